/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task starts: dispatch takes it, and from now on its submitter has the slot. Tasks of a job
 * start in their order; how many of them this run has started, and how many are to have a slot that
 * is still being vacated, is counted here.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

/* Counts */

/* NULL: no memory. */
static struct started_job *job_get(struct started *s, uint32_t place)
{
	uint32_t i = index_find(&s->index, s->places, place);
	size_t n = s->capacity + s->capacity / 2 + 64;

	if (i != INDEX_NONE)
		return &s->items[i];
	if (s->n == s->capacity) {
		if (array_grow(&s->places, n, sizeof(*s->places)) || array_grow(&s->items, n, sizeof(*s->items)))
			return NULL;
		s->capacity = n;
	}
	if (index_reserve(&s->index, s->places))
		return NULL;
	s->places[s->n] = place;
	s->items[s->n] = (struct started_job){ 0 };
	index_insert(&s->index, s->places, (uint32_t)s->n);
	return &s->items[s->n++];
}

struct started_job starts_of(const struct started *s, uint32_t place)
{
	uint32_t i = s->n > 0 ? index_find(&s->index, s->places, place) : INDEX_NONE;

	return i == INDEX_NONE ? (struct started_job){ 0 } : s->items[i];
}

int starts_reserve(struct userprio_cell *u, uint32_t place)
{
	struct started_job *job = job_get(&u->started, place);

	if (!job)
		return -ENOMEM;
	job->reserved++;
	return 0;
}

void starts_begin(struct userprio_cell *u)
{
	u->started.n = 0;
	index_clear(&u->started.index);
	u->nordered = 0;
}

void starts_free(struct userprio_cell *u)
{
	free(u->started.places);
	free(u->started.items);
	index_free(&u->started.index);
	free(u->ordered);
}

/* Starts */

struct granting {			/* what a start has been given */
	struct userprio_policy *p;
	struct run *run;
	const struct start_wish *wish;
	uint32_t row, task;
	int rc;
};

/* Its submitter has it from now on. */
static void granted(void *context, uint32_t instance, uint32_t slots)
{
	struct granting *g = context;
	const struct start_wish *wish = g->wish;
	struct userprio_cell *u = g->p->in_force;
	const struct state *state = g->run->mirror->state;
	const struct claim_key key = { state->instance_names[instance], job_fact(&state->jobs, g->row, number), g->task };
	struct claim claim = { .customer = wish->customer, .cpus = slots, .weight = wish->weight, .since = g->run->now, .begun = wish->begun,
			       .current_rank = wish->rank, .is_ranked = true, .negotiating_group = wish->negotiating_group,
			       .autoregroup = wish->autoregroup, .start = g->run->now, .ordered = true, .seen = g->run->number };
	struct claim_key *ordered = array_add(&u->ordered, &u->nordered, sizeof(*ordered));
	const struct claim *added;

	if (claim.weight < 0.0)
		claim.weight = slot_list_weight(u, g->run, instance, slots);
	added = ordered ? accountant_claim_add(&g->p->accountant, g->run->strings, &key, &claim) : NULL;
	if (!added || claims_chain(g->p, instance, &key, NONE)) {
		g->rc = -ENOMEM;
		return;
	}
	*ordered = key;
	if (wish->charge)
		accountant_charge(&g->p->accountant, added);
}

/* -EAGAIN: there is no room for it now, or no task of it left; -ENOMEM. */
int starts_make(struct userprio_policy *p, struct run *run, const struct places *places, const struct start_wish *wish)
{
	struct userprio_cell *u = p->in_force;
	struct granting g = { .p = p, .run = run, .wish = wish, .row = run->waiting.rows[wish->place] };
	struct started_job *job = job_get(&u->started, wish->place);
	uint32_t task = run->waiting.first[wish->place] + (job ? job->started : 0), class = ad_classes_of(p, run, g.row);
	double key = run->waiting.prio[wish->place];
	const struct ad_class *c;
	int rc;

	if (!job || class == NONE)
		return -ENOMEM;
	if (task >= run->pending.n || run->pending.job[task] != wish->place)
		return -EAGAIN;
	c = &u->classes.items[class];
	rc = c->parallel ? places->start_parallel(places->self, task, wish->instances, wish->ninstances, key, &g.task, granted, &g) :
			   places->start(places->self, task, wish->instance, c->cpus, key, &g.task);
	if (rc)
		return rc;
	if (!c->parallel)
		granted(&g, wish->instance, c->cpus);
	job->started++;
	return g.rc;
}

/* What could not be ordered after all has not been had, either. */
void starts_settle(struct userprio_policy *p, const struct run *run)
{
	const struct userprio_cell *u = p->in_force;
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < u->nordered; i++) {
		uint32_t row = jobs_find(&state->jobs, u->ordered[i].job);

		if (row == INDEX_NONE || tasks_find(state, row, u->ordered[i].task) == NONE)
			accountant_claim_end(&p->accountant, run->strings, &u->ordered[i], run->now);
	}
}
