/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a cycle is due, and what a run does then: NEGOTIATOR_INTERVAL, _MIN_INTERVAL, _CYCLE_DELAY.
 * In between runs only start what has its slot already: those for whom one was vacated, and the
 * next jobs of claims that are still good. Each run evaluates PREEMPT, at least every
 * POLLING_INTERVAL.
 */
#include <errno.h>
#include <time.h>

#include "sched/policy/userprio/inside.h"

/* When */

/* Not before that, whatever is wanted. */
static int64_t earliest(const struct userprio_policy *p)
{
	int64_t by_begin = p->cycle.begin + p->conf->min_interval, by_end = p->cycle.end + p->conf->cycle_delay;

	return by_begin > by_end ? by_begin : by_end;
}

static int64_t latest(const struct userprio_policy *p)
{
	int64_t by_interval = p->cycle.begin + p->conf->interval;

	return by_interval > earliest(p) ? by_interval : earliest(p);
}

int64_t cycle_next(const struct userprio_policy *p)
{
	return p->in_force->wanted ? earliest(p) : latest(p);
}

/* A clock that was set back does not keep the next cycle from coming. */
bool cycle_is_due(const struct userprio_policy *p, const struct run *run)
{
	if (p->cycle.number == 0 || run->now < p->cycle.begin)
		return true;
	return run->now >= cycle_next(p);
}

/* The cycle */

static uint64_t clock_ns(void *context)
{
	struct timespec t;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct admission {				/* the context of slot_admits() */
	const struct userprio_cell *u;
	const struct places *places;
};

/* Parallel jobs start by a rule of dispatch's, so on what it knows, and drive nobody out. */
static bool admits(void *context, uint32_t class, uint32_t slot)
{
	const struct admission *a = context;
	const struct ad_class *c = &a->u->classes.items[class];
	const struct listed_slot *place = &a->u->slots.places[slot];

	if (c->parallel && (!place->is_partitionable || !a->places->known(a->places->self, place->instance)))
		return false;
	return a->places->admits(a->places->self, c->place, place->instance);
}

static int classes_ready(const struct userprio_cell *u, const struct run *run, const struct places *places)
{
	int rc = 0;

	pool_each(i, &u->classes.keys)
		if (rc == 0 && u->classes.items[i].seen == run->number)
			rc = places->ready(places->self, u->classes.items[i].place);
	return rc;
}

static bool any_is_parallel(const struct userprio_cell *u, const struct run *run)
{
	pool_each(i, &u->classes.keys)
		if (u->classes.items[i].seen == run->number && u->classes.items[i].parallel)
			return true;
	return false;
}

static int cycle(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	struct admission asking = { u, places };
	bool asks = !places->told_alone || any_is_parallel(u, run);
	const struct cycle_input in = { .now = run->now, .cycle = p->cycle.number + 1, .submitters = u->requests.submitters,
					.nsubmitters = u->requests.nsubmitters, .admits = asks ? admits : NULL, .context = &asking,
					.workers = run->workers, .clock_ns = clock_ns, .names = u->requests.names };
	int rc = asks ? classes_ready(u, run, places) : 0;

	return rc ? rc : negotiator_cycle(u->negotiator, &in, &p->accountant.customers, u->slots.charged, &u->result);
}

/* Slots, then who asks for them, then who gets them. */
static int negotiate(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct userprio_cell *u = p->in_force;
	uint64_t begin = clock_ns(NULL);
	int rc = slot_list_take(p, run, places);

	rc = rc ? rc : requests_names(p, run);
	rc = rc ? rc : matches_evict(p, run, places);
	rc = rc ? rc : negotiator_slots(u->negotiator, u->slots.slots, u->slots.n);
	rc = rc ? rc : requests_classes(p, run);
	rc = rc ? rc : requests_take(p, run, places);
	rc = rc ? rc : cycle(p, run, places);
	if (rc)
		return rc;
	p->cycle.number++;
	p->cycle.begin = p->cycle.end = run->now;
	u->wanted = false;
	u->duration_ns = clock_ns(NULL) - begin;
	rc = shown_keep(p, run);
	return rc ? rc : matches_take(p, run, places);
}

/* Make another run then, at the latest. */
static void wake_at(struct run *run, int64_t time)
{
	if (time > run->now && time < run->next_change)
		run->next_change = time;
}

int userprio_negotiate(struct policy *policy, struct run *run, const struct places *places)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	struct userprio_cell *u = p->in_force;
	int rc;

	u->room.now = run->now;
	u->nstaying = 0;
	starts_begin(u);
	rc = slot_list_look(p, run);
	if (rc == 0 && !places->off)
		rc = winners_take(p, run, places);
	if (rc == 0 && !places->off)
		rc = worklife_take(p, run, places);
	if (rc == 0 && !places->off && u->due)
		rc = negotiate(p, run, places);
	else if (rc == 0 && !places->off && vacate_may_be_due(u))
		rc = slot_list_take(p, run, places) ? -ENOMEM : matches_evict(p, run, places);
	if (rc)
		return rc;
	submitters_remember(p, run);
	wake_at(run, cycle_next(p));
	if (vacate_may_be_due(u) && u->nstaying + u->nordered > 0)
		wake_at(run, run->now + p->conf->polling_interval);
	return 0;
}
