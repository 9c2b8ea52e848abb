/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job starts: dispatch starts a task, and from then on its submitter has the slot. Tasks of a job
 * start in their order. This file counts how many of them the run has started, and how many have a
 * slot reserved that is still being vacated.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/columns.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

/* Counts */

/* Return the counts of a job, creating them if needed. NULL: memory is exhausted. */
static struct started_job *job_get(struct started *started, uint32_t place)
{
	uint32_t i = index_find(&started->index, started->places, place);

	if (i != INDEX_NONE)
		return &started->items[i];
	if (array_reserve(&started->capacity, started->n + 1, COLUMN(started->places), COLUMN(started->items)))
		return NULL;
	if (index_reserve(&started->index, started->places))
		return NULL;
	started->places[started->n] = place;
	started->items[started->n] = (struct started_job){ 0 };
	index_insert(&started->index, started->places, (uint32_t)started->n);
	return &started->items[started->n++];
}

struct started_job starts_of(const struct started *started, uint32_t place)
{
	uint32_t i = started->n > 0 ? index_find(&started->index, started->places, place) : INDEX_NONE;

	return i == INDEX_NONE ? (struct started_job){ 0 } : started->items[i];
}

int starts_reserve(struct userprio_cell *cell, uint32_t place)
{
	struct started_job *job = job_get(&cell->started, place);

	if (!job)
		return -ENOMEM;
	job->reserved++;
	return 0;
}

void starts_begin(struct userprio_cell *cell)
{
	cell->started.n = 0;
	index_clear(&cell->started.index);
	cell->nordered = 0;
}

void starts_free(struct userprio_cell *cell)
{
	free(cell->started.places);
	free(cell->started.items);
	index_free(&cell->started.index);
	free(cell->ordered);
}

/* Job starts */

struct granting {			/* slots granted to a task that starts */
	struct userprio_policy *p;
	struct run *run;
	const struct start_wish *wish;
	uint32_t row, task;
	int rc;
};

/* Record that the submitter has the slot from now on. */
static void granted(void *context, uint32_t instance, uint32_t slots)
{
	struct granting *granting = context;
	const struct start_wish *wish = granting->wish;
	struct userprio_cell *cell = granting->p->in_force;
	const struct state *state = granting->run->mirror->state;
	const struct claim_key key = { state->instance_names[instance], job_fact(&state->jobs, granting->row, number),
				       granting->task };
	struct claim claim = { .customer = wish->customer,
			       .cpus = slots,
			       .weight = wish->weight,
			       .since = granting->run->now,
			       .begun = wish->begun,
			       .current_rank = wish->rank,
			       .is_ranked = true,
			       .negotiating_group = wish->negotiating_group,
			       .autoregroup = wish->autoregroup,
			       .start = granting->run->now,
			       .ordered = true,
			       .seen = granting->run->number };
	struct claim_key *ordered = array_add(&cell->ordered, &cell->nordered, sizeof(*ordered));
	const struct claim *added;

	if (claim.weight < 0.0)
		claim.weight = slot_list_weight(cell, granting->run, instance, slots);
	added = ordered ? accountant_claim_add(&granting->p->accountant, granting->run->strings, &key, &claim) : NULL;
	if (!added || claims_chain(granting->p, instance, &key, NONE)) {
		granting->rc = -ENOMEM;
		return;
	}
	*ordered = key;
	if (wish->charge)
		accountant_charge(&granting->p->accountant, added);
}

/* Start a task. -EAGAIN: there is no room at the moment, or the job has no more tasks; -ENOMEM. */
int starts_make(struct userprio_policy *policy, struct run *run, const struct places *places,
		const struct start_wish *wish)
{
	struct userprio_cell *cell = policy->in_force;
	struct granting granting = { .p = policy, .run = run, .wish = wish, .row = run->waiting.rows[wish->place] };
	struct started_job *job = job_get(&cell->started, wish->place);
	uint32_t task = run->waiting.first[wish->place] + (job ? job->started : 0),
		 class = ad_classes_of(policy, run, granting.row);
	double key = run->waiting.prio[wish->place];
	const struct ad_class *ad_class;
	int rc;

	if (!job || class == NONE)
		return -ENOMEM;
	if (task >= run->pending.n || run->pending.job[task] != wish->place)
		return -EAGAIN;
	ad_class = &cell->classes.items[class];
	rc = ad_class->parallel
		     ? places->start_parallel(places->self, task, wish->instances, wish->ninstances, key,
					      &granting.task, granted, &granting)
		     : places->start(places->self, task, wish->instance, ad_class->cpus, key, &granting.task);
	if (rc)
		return rc;
	if (!ad_class->parallel)
		granted(&granting, wish->instance, ad_class->cpus);
	job->started++;
	return granting.rc;
}

/* End the claims of tasks whose start could not be ordered. */
void starts_settle(struct userprio_policy *policy, const struct run *run)
{
	const struct userprio_cell *cell = policy->in_force;
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < cell->nordered; i++) {
		uint32_t row = jobs_find(&state->jobs, cell->ordered[i].job);

		if (row == INDEX_NONE || tasks_find(state, row, cell->ordered[i].task) == NONE)
			accountant_claim_end(&policy->accountant, run->strings, &cell->ordered[i], run->now);
	}
}
