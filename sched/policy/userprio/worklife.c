/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CLAIM_WORKLIFE: a claim whose job has ended takes the next job of the same submitter that fits,
 * without a cycle, as long as it is not too old. HTCondor's manual, "CLAIM_WORKLIFE".
 *
 * A job with concurrency limits, or a parallel one, waits for a cycle: there it is known what is in
 * use of the limits.
 */
#include <errno.h>

#include "sched/policy/userprio/inside.h"

struct reuse {
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	const struct freed_claim *freed;
	struct classad *slot;		/* what is free */
	uint64_t stamp;			/* of what classes say to it */
};

static bool requirements_hold(struct userprio_cell *u, const struct classad *my, const struct classad *target)
{
	struct classad_value value;
	bool holds;

	if (!classad_find(my, "Requirements"))
		return true;
	classad_attribute(&(struct classad_pair){ my, target }, "Requirements", &u->room, &value);
	holds = classad_is_true(&value);
	classad_room_reset(&u->room);
	return holds;
}

static bool fits(struct reuse *r, uint32_t place, const struct ad_class *c)
{
	if (c->parallel || c->cpus > r->freed->cpus || classad_find(c->ad, "ConcurrencyLimits"))
		return false;
	if (!requirements_hold(r->u, c->ad, r->slot) || !requirements_hold(r->u, r->slot, c->ad))
		return false;
	return r->places->told_alone || (r->places->ready(r->places->self, place) == 0 &&
					 r->places->admits(r->places->self, place, r->freed->instance));
}

/* The submitter's first job that fits; NONE. */
static uint32_t next_job(struct reuse *r, const struct submitter *s, int *rc)
{
	for (uint32_t k = s->begin; k < s->begin + s->n; k++) {
		uint32_t place = (uint32_t)r->run->order.items[k], class = ad_classes_of(r->p, r->run, r->run->waiting.rows[place]);
		struct started_job job = starts_of(&r->u->started, place);
		struct ad_class *c;

		if (class == NONE) {
			*rc = -ENOMEM;
			return NONE;
		}
		c = &r->u->classes.items[class];
		if (c->reuse == r->stamp || run_tasks_of(r->run, place) <= job.started + job.reserved)
			continue;
		if (fits(r, place, c))
			return place;
		c->reuse = r->stamp;
	}
	return NONE;
}

/* The ad of what has become free. NULL: no memory, or nobody has told of it. */
static struct classad *free_ad(struct userprio_cell *u, const struct run *run, const struct freed_claim *freed)
{
	const struct instance *i = &run->mirror->state->instances[freed->instance];
	const struct slot_ad *s = freed->instance < u->slots.ads_capacity ? &u->slots.ads[freed->instance] : NULL;
	const struct classad_value cpus = { .type = CLASSAD_INT, .integer = freed->cpus };
	struct classad *ad = i->ad || (s && s->ad) ? classad_create() : NULL;

	if (ad && classad_set_value(ad, "Cpus", &cpus)) {
		classad_free(ad);
		return NULL;
	}
	if (ad)
		classad_put_behind(ad, i->ad ? i->ad : s->ad);
	return ad;
}

static double rank_of(struct reuse *r, const struct classad *job)
{
	struct classad_value value;
	double rank;

	classad_attribute(&(struct classad_pair){ r->slot, job }, "Rank", &r->u->room, &value);
	if (!classad_number(&value, &rank) || !(rank - rank == 0.0))
		rank = 0.0;
	classad_room_reset(&r->u->room);
	return rank;
}

static bool is_under_ceiling(const struct customer *c, double weight)
{
	return c->ceiling < 0 || c->weight_used + weight <= (double)c->ceiling;
}

static int reuse(struct reuse *r)
{
	const struct submitters *s = &r->u->submitters;
	uint32_t number = s->of_customer[r->freed->customer], place, slots;
	struct start_wish wish = { .instance = r->freed->instance, .customer = r->freed->customer, .weight = r->freed->weight,
				   .negotiating_group = UINT32_MAX, .begun = r->freed->begun, .charge = true };
	int rc = 0;

	if (number == NONE || !is_under_ceiling(&r->p->accountant.customers.items[r->freed->customer], r->freed->weight) ||
	    !r->places->open(r->places->self, r->freed->instance, &slots))
		return 0;
	r->slot = free_ad(r->u, r->run, r->freed);
	if (!r->slot)
		return 0;
	r->stamp = ++r->u->stamps;
	place = next_job(r, &s->items[number], &rc);
	if (place != NONE) {
		wish.place = place;
		wish.rank = rank_of(r, r->u->classes.items[ad_classes_of(r->p, r->run, r->run->waiting.rows[place])].ad);
		rc = starts_make(r->p, r->run, r->places, &wish);
	}
	classad_free(r->slot);
	return rc == -EAGAIN ? 0 : rc;
}

int worklife_take(struct userprio_policy *p, struct run *run, const struct places *places)
{
	struct reuse r = { .p = p, .u = p->in_force, .run = run, .places = places };
	int rc = 0;

	for (size_t i = 0; i < r.u->nfreed && rc == 0; i++) {
		r.freed = &r.u->freed[i];
		rc = reuse(&r);
	}
	r.u->nfreed = 0;
	return rc;
}
