/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decide when a cycle is due, and do the work of a run: NEGOTIATOR_INTERVAL, _MIN_INTERVAL,
 * _CYCLE_DELAY. Runs between cycles start only tasks that have their slot already: tasks for which
 * a slot was vacated, and the next jobs of claims that are still valid. PREEMPT is evaluated in
 * each run, and at least once per POLLING_INTERVAL.
 */
#include <errno.h>

#include "sched/policy/userprio/inside.h"
#include "sched/process/clock.h"

/* Time of the next cycle */

/* Return the earliest time of the next cycle, even if one is wanted. */
static int64_t earliest(const struct userprio_policy *policy)
{
	int64_t by_begin = policy->cycle.begin + policy->conf->min_interval,
		by_end = policy->cycle.end + policy->conf->cycle_delay;

	return by_begin > by_end ? by_begin : by_end;
}

static int64_t latest(const struct userprio_policy *policy)
{
	int64_t by_interval = policy->cycle.begin + policy->conf->interval;

	return by_interval > earliest(policy) ? by_interval : earliest(policy);
}

int64_t cycle_next(const struct userprio_policy *policy)
{
	return policy->in_force->wanted ? earliest(policy) : latest(policy);
}

/* Return whether a cycle is due. If the clock was set back, it is due at once. */
bool cycle_is_due(const struct userprio_policy *policy, const struct run *run)
{
	if (policy->cycle.number == 0 || run->now < policy->cycle.begin)
		return true;
	return run->now >= cycle_next(policy);
}

/* The cycle */

static uint64_t clock_ns(void *context)
{
	(void)context;
	return clock_monotonic_ns();
}

struct admission {				/* context of admits() */
	const struct userprio_cell *u;
	const struct places *places;
};

/*
 * Return whether dispatch admits a class to a slot. Parallel jobs start by an allocation rule of
 * dispatch, so they need slots of which dispatch knows, and they do not preempt.
 */
static bool admits(void *context, uint32_t class, uint32_t slot)
{
	const struct admission *admission = context;
	const struct ad_class *ad_class = &admission->u->classes.items[class];
	const struct listed_slot *place = &admission->u->slots.places[slot];

	if (ad_class->parallel &&
	    (!place->is_partitionable || !admission->places->known(admission->places->self, place->instance)))
		return false;
	return admission->places->admits(admission->places->self, ad_class->place, place->instance);
}

static int classes_ready(const struct userprio_cell *cell, const struct run *run, const struct places *places)
{
	int rc = 0;

	pool_each(i, &cell->classes.keys)
		if (rc == 0 && cell->classes.items[i].seen == run->number)
			rc = places->ready(places->self, cell->classes.items[i].place);
	return rc;
}

static bool any_is_parallel(const struct userprio_cell *cell, const struct run *run)
{
	pool_each(i, &cell->classes.keys)
		if (cell->classes.items[i].seen == run->number && cell->classes.items[i].parallel)
			return true;
	return false;
}

static int cycle(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	struct admission asking = { cell, places };
	bool asks = !places->reported_alone || any_is_parallel(cell, run);
	const struct cycle_input in = { .now = run->now,
					.cycle = policy->cycle.number + 1,
					.submitters = cell->requests.submitters,
					.nsubmitters = cell->requests.nsubmitters,
					.admits = asks ? admits : NULL,
					.context = &asking,
					.workers = run->workers,
					.clock_ns = clock_ns,
					.names = cell->requests.names };
	int rc = asks ? classes_ready(cell, run, places) : 0;

	return rc ? rc
		  : negotiator_cycle(cell->negotiator, &in, &policy->accountant.customers, cell->slots.charged,
				     &cell->result);
}

/* Make a cycle: list the slots, then the requests, then match them. */
static int negotiate(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct userprio_cell *cell = policy->in_force;
	uint64_t begin = clock_monotonic_ns();
	int rc = slot_list_take(policy, run, places);

	rc = rc ? rc : requests_names(policy, run);
	rc = rc ? rc : matches_evict(policy, run, places);
	rc = rc ? rc : negotiator_slots(cell->negotiator, cell->slots.slots, cell->slots.n);
	rc = rc ? rc : requests_classes(policy, run);
	rc = rc ? rc : requests_take(policy, run, places);
	rc = rc ? rc : cycle(policy, run, places);
	if (rc)
		return rc;
	policy->cycle.number++;
	policy->cycle.begin = policy->cycle.end = run->now;
	cell->wanted = false;
	cell->duration_ns = clock_monotonic_ns() - begin;
	rc = shown_keep(policy, run);
	return rc ? rc : matches_take(policy, run, places);
}

/* Make another run at that time or earlier. */
static void wake_at(struct run *run, int64_t time)
{
	if (time > run->now && time < run->next_change)
		run->next_change = time;
}

int userprio_negotiate(struct policy *policy, struct run *run, const struct places *places)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	struct userprio_cell *cell = p->in_force;
	int rc;

	cell->room.now = run->now;
	cell->nstaying = 0;
	starts_begin(cell);
	rc = slot_list_look(p, run);
	if (rc == 0 && !places->off)
		rc = winners_take(p, run, places);
	if (rc == 0 && !places->off)
		rc = worklife_take(p, run, places);
	if (rc == 0 && !places->off && cell->due)
		rc = negotiate(p, run, places);
	else if (rc == 0 && !places->off && vacate_may_be_due(cell))
		rc = slot_list_take(p, run, places) ? -ENOMEM : matches_evict(p, run, places);
	if (rc)
		return rc;
	submitters_remember(p, run);
	wake_at(run, cycle_next(p));
	if (vacate_may_be_due(cell) && cell->nstaying + cell->nordered > 0)
		wake_at(run, run->now + p->conf->polling_interval);
	return 0;
}
