/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a cycle: matches become job starts. A match that preempts a claim vacates its slot,
 * and the owner is charged until the slot is free. A match is taken back if dispatch has no room
 * for it. This happens when instances share a resource and have less of it together than each of
 * them reports.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

struct gathering {			/* slots of a parallel job, until it has all of them */
	uint32_t submitter, request;
	uint32_t *instances;
	double *weights;
	uint32_t n, wanted;
};

struct match_taking {
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	struct gathering *gathered;
	size_t ngathered;
};

static uint32_t customer_of(const struct match_taking *taking, const struct match *match)
{
	return taking->u->requests.submitters[match->submitter].customer;
}

/* Take back the charge of a match, as if it had not been made. */
static void undo(struct match_taking *taking, uint32_t customer, double weight)
{
	customers_remove_match(&taking->p->accountant.customers, customer, weight, taking->run->now, taking->run->now);
}

static int show(struct match_taking *taking, const struct match *match, uint32_t job, uint32_t task)
{
	const struct listed_slot *place = &taking->u->slots.places[match->slot];
	const struct claim_key *victim = match->preemption == PREEMPTS_NONE || place->claim == NONE ? NULL :
					 pool_key(&taking->p->accountant.keys, place->claim);

	return shown_match(taking->p, taking->run,
			   &(struct shown_match){ .submitter = match->submitter,
						  .slot = taking->run->mirror->state->instance_names[place->instance],
						  .job = job,
						  .task = task,
						  .preemption = match->preemption,
						  .loser = victim ? taking->p->accountant.claims[place->claim].customer
								  : CUSTOMER_NONE,
						  .loser_job = victim ? victim->job : 0,
						  .loser_task = victim ? victim->task : 0,
						  .weight = match->weight,
						  .rank = match->rank });
}

/* Show the match of the task that was started last. */
static int show_started(struct match_taking *taking, const struct match *match)
{
	const struct claim_key *key = &taking->u->ordered[taking->u->nordered - 1];

	return show(taking, match, key->job, key->task);
}

/* Job starts */

static int start(struct match_taking *taking, const struct match *match, uint32_t place)
{
	const struct start_wish wish = { .place = place,
					 .instance = taking->u->slots.places[match->slot].instance,
					 .customer = customer_of(taking, match),
					 .weight = match->weight,
					 .rank = match->rank,
					 .negotiating_group = match->group,
					 .autoregroup = match->autoregroup,
					 .begun = taking->run->now };
	int rc = starts_make(taking->p, taking->run, taking->places, &wish);

	if (rc == -EAGAIN)
		undo(taking, wish.customer, match->weight);
	return rc == -EAGAIN ? 0 : rc ? rc : show_started(taking, match);
}

/* Parallel jobs */

static struct gathering *gathering_of(struct match_taking *taking, const struct match *match, uint32_t wanted)
{
	struct gathering *gathering;

	for (size_t i = 0; i < taking->ngathered; i++)
		if (taking->gathered[i].submitter == match->submitter && taking->gathered[i].request == match->request)
			return &taking->gathered[i];
	gathering = array_add(&taking->gathered, &taking->ngathered, sizeof(*gathering));
	if (!gathering)
		return NULL;
	*gathering = (struct gathering){ match->submitter,
					 match->request,
					 malloc(wanted * sizeof(*gathering->instances)),
					 malloc(wanted * sizeof(*gathering->weights)),
					 0,
					 wanted };
	return gathering->instances && gathering->weights ? gathering : NULL;
}

static void gathering_undo(struct match_taking *taking, struct gathering *gathering)
{
	for (uint32_t i = 0; i < gathering->n; i++)
		undo(taking, taking->u->requests.submitters[gathering->submitter].customer, gathering->weights[i]);
	gathering->n = 0;
}

/*
 * Collect the slots of a parallel job and start it when it has all. Each slot was charged by its
 * match; these charges are replaced by a charge for the slots that are granted.
 */
static int gather(struct match_taking *taking, const struct match *match, uint32_t place, const struct ad_class *class)
{
	struct gathering *gathering = gathering_of(taking, match, class->cpus);
	struct start_wish wish = { .place = place,
				   .customer = customer_of(taking, match),
				   .weight = -1.0,
				   .rank = match->rank,
				   .negotiating_group = match->group,
				   .autoregroup = match->autoregroup,
				   .begun = taking->run->now,
				   .charge = true };
	int rc;

	if (!gathering)
		return -ENOMEM;
	gathering->instances[gathering->n] = taking->u->slots.places[match->slot].instance;
	gathering->weights[gathering->n++] = match->weight;
	if (gathering->n < gathering->wanted)
		return 0;
	wish.instances = gathering->instances;
	wish.ninstances = gathering->n;
	gathering_undo(taking, gathering);
	rc = starts_make(taking->p, taking->run, taking->places, &wish);
	return rc == -EAGAIN ? 0 : rc ? rc : show_started(taking, match);
}

static void gathered_free(struct match_taking *taking)
{
	for (size_t i = 0; i < taking->ngathered; i++) {
		gathering_undo(taking, &taking->gathered[i]);
		free(taking->gathered[i].instances);
		free(taking->gathered[i].weights);
	}
	free(taking->gathered);
}

/* Preemption */

static const struct classad *job_ad(const struct match_taking *taking, uint32_t task)
{
	uint32_t class =
		task == NONE ? NONE
			     : ad_classes_of(taking->p, taking->run, taking->run->mirror->state->tasks.items[task].row);

	return class == NONE ? NULL : taking->u->classes.items[class].ad;
}

/* Vacate a slot. If the slot has a winner already, it is being vacated. */
static int vacate(struct match_taking *taking, const struct listed_slot *place, const struct slot *slot,
		  const struct winner *winner, enum vacate_reason reason)
{
	const struct claim_key victim = *(const struct claim_key *)pool_key(&taking->p->accountant.keys, place->claim);
	const struct vacate_wish wish = { .task = place->task,
					  .instance = place->instance,
					  .slot = slot,
					  .job = job_ad(taking, place->task),
					  .reason = reason,
					  .winner = winner->job ? taking->u->requests.names[winner->customer] : NULL };

	if (winners_add(taking->p, taking->run->strings, &victim, winner))
		return -ENOMEM;
	return place->winner != NONE ? 0 : vacate_order(taking->p, taking->run, taking->places, &wish);
}

/* Return whether the slot's task has started in this run. Such a task cannot be vacated yet. */
static bool has_just_started(const struct match_taking *taking, const struct listed_slot *place)
{
	return place->task == NONE &&
	       ((const struct claim_key *)pool_key(&taking->p->accountant.keys, place->claim))->job != 0;
}

static int preempt(struct match_taking *taking, const struct match *match, uint32_t place)
{
	const struct winner winner = { .job = job_fact(&taking->run->mirror->state->jobs,
						       taking->run->waiting.rows[place], number),
				       .customer = customer_of(taking, match),
				       .rank = match->rank,
				       .negotiating_group = match->group,
				       .autoregroup = match->autoregroup,
				       .since = taking->run->now };

	if (has_just_started(taking, &taking->u->slots.places[match->slot]))
		return 0;
	if (starts_reserve(taking->u, place) || show(taking, match, winner.job, 0))
		return -ENOMEM;
	return vacate(taking, &taking->u->slots.places[match->slot], &taking->u->slots.slots[match->slot], &winner,
		      match->preemption == PREEMPTS_BY_RANK ? VACATE_RANK : VACATE_PRIORITY);
}

/*
 * Vacate slots by the machine's own policy, whether or not another job wants them. Call before the
 * cycle, which then does not use these slots.
 */
int matches_evict(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	struct match_taking taking = { .p = policy, .u = cell, .run = run, .places = places };
	const struct winner nobody = { .since = run->now, .negotiating_group = UINT32_MAX };
	int rc = 0;

	for (size_t i = 0; vacate_may_be_due(cell) && i < cell->slots.n && rc == 0; i++) {
		struct listed_slot *place = &cell->slots.places[i];

		if (place->task == NONE || place->winner != NONE)
			continue;
		rc = vacate_is_due(policy, run, &cell->slots.slots[i], job_ad(&taking, place->task));
		cell->nstaying += rc == 0;
		if (rc <= 0)
			continue;
		rc = vacate(&taking, place, &cell->slots.slots[i], &nobody, VACATE_POLICY);
		cell->slots.slots[i].open = false;
	}
	return rc;
}

/* All matches */

static int match_take(struct match_taking *taking, const struct match *match)
{
	uint32_t place = requests_next(taking->u, taking->run, match->submitter, match->request), class;

	if (place == NONE) {
		if (match->preemption == PREEMPTS_NONE)
			undo(taking, customer_of(taking, match), match->weight);
		return 0;
	}
	class = ad_classes_of(taking->p, taking->run, taking->run->waiting.rows[place]);
	if (class == NONE)
		return -ENOMEM;
	if (match->preemption != PREEMPTS_NONE)
		return preempt(taking, match, place);
	if (taking->u->classes.items[class].parallel)
		return gather(taking, match, place, &taking->u->classes.items[class]);
	return start(taking, match, place);
}

int matches_take(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	struct match_taking taking = { .p = policy, .u = cell, .run = run, .places = places };
	int rc = 0;

	for (size_t i = 0; i < cell->slots.n; i++)
		if (cell->slots.places[i].claim != NONE)
			winners_step_back(policy, run, &policy->accountant.claims[cell->slots.places[i].claim],
					  &cell->slots.charged[i]);
	for (size_t i = 0; i < cell->result.nmatches && rc == 0; i++)
		rc = match_take(&taking, &cell->result.matches[i]);
	gathered_free(&taking);
	return rc;
}
