/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CLAIM_WORKLIFE: when a job ends, its claim takes the next job of the same submitter that fits,
 * without a cycle, as long as the claim is not too old. Source: HTCondor's manual,
 * "CLAIM_WORKLIFE".
 *
 * A job with concurrency limits and a parallel job wait for a cycle, because only a cycle knows how
 * much of the limits is in use.
 */
#include <errno.h>

#include "sched/policy/userprio/inside.h"

struct reuse {
	struct userprio_policy *p;
	struct userprio_cell *u;
	struct run *run;
	const struct places *places;
	const struct freed_claim *freed;
	struct classad *slot;		/* ad of the free slot */
	uint64_t stamp;			/* marks classes that do not fit this slot */
};

static bool requirements_hold(struct userprio_cell *cell, const struct classad *my, const struct classad *target)
{
	struct classad_value value;
	bool holds;

	if (!classad_find(my, "Requirements"))
		return true;
	classad_attribute(&(struct classad_pair){ my, target }, "Requirements", &cell->room, &value);
	holds = classad_is_true(&value);
	classad_room_reset(&cell->room);
	return holds;
}

static bool fits(struct reuse *reuse, uint32_t place, const struct ad_class *class)
{
	if (class->parallel || class->cpus > reuse->freed->cpus || classad_find(class->ad, "ConcurrencyLimits"))
		return false;
	if (!requirements_hold(reuse->u, class->ad, reuse->slot) ||
	    !requirements_hold(reuse->u, reuse->slot, class->ad))
		return false;
	return reuse->places->reported_alone || (reuse->places->ready(reuse->places->self, place) == 0 &&
					 reuse->places->admits(reuse->places->self, place, reuse->freed->instance));
}

/* Return the submitter's first job that fits; NONE. */
static uint32_t next_job(struct reuse *reuse, const struct submitter *submitter, int *rc)
{
	for (uint32_t k = submitter->begin; k < submitter->begin + submitter->n; k++) {
		uint32_t place = (uint32_t)reuse->run->order.items[k],
			 class = ad_classes_of(reuse->p, reuse->run, reuse->run->waiting.rows[place]);
		struct started_job job = starts_of(&reuse->u->started, place);
		struct ad_class *ad_class;

		if (class == NONE) {
			*rc = -ENOMEM;
			return NONE;
		}
		ad_class = &reuse->u->classes.items[class];
		if (ad_class->reuse == reuse->stamp || run_tasks_of(reuse->run, place) <= job.started + job.reserved)
			continue;
		if (fits(reuse, place, ad_class))
			return place;
		ad_class->reuse = reuse->stamp;
	}
	return NONE;
}

/* Return the ad of the free slot. NULL: memory is exhausted, or the slot was not reported. */
static struct classad *free_ad(struct userprio_cell *cell, const struct run *run, const struct freed_claim *freed)
{
	const struct instance *instance = &run->mirror->state->instances[freed->instance];
	const struct slot_ad *slot_ad =
		freed->instance < cell->slots.ads_capacity ? &cell->slots.ads[freed->instance] : NULL;
	const struct classad_value cpus = { .type = CLASSAD_INT, .integer = freed->cpus };
	struct classad *ad = instance->ad || (slot_ad && slot_ad->ad) ? classad_create() : NULL;

	if (ad && classad_set_value(ad, "Cpus", &cpus)) {
		classad_free(ad);
		return NULL;
	}
	if (ad)
		classad_set_base(ad, instance->ad ? instance->ad : slot_ad->ad);
	return ad;
}

static double rank_of(struct reuse *reuse, const struct classad *job)
{
	struct classad_value value;
	double rank;

	classad_attribute(&(struct classad_pair){ reuse->slot, job }, "Rank", &reuse->u->room, &value);
	if (!classad_number(&value, &rank) || !(rank - rank == 0.0))
		rank = 0.0;
	classad_room_reset(&reuse->u->room);
	return rank;
}

static bool is_under_ceiling(const struct customer *customer, double weight)
{
	return customer->ceiling < 0 || customer->weight_used + weight <= (double)customer->ceiling;
}

static int reuse(struct reuse *r)
{
	const struct submitters *submitters = &r->u->submitters;
	uint32_t number = submitters->of_customer[r->freed->customer], place, slots;
	struct start_wish wish = { .instance = r->freed->instance,
				   .customer = r->freed->customer,
				   .weight = r->freed->weight,
				   .negotiating_group = UINT32_MAX,
				   .begun = r->freed->begun,
				   .charge = true };
	int rc = 0;

	if (number == NONE ||
	    !is_under_ceiling(&r->p->accountant.customers.items[r->freed->customer], r->freed->weight) ||
	    !r->places->open(r->places->self, r->freed->instance, &slots))
		return 0;
	r->slot = free_ad(r->u, r->run, r->freed);
	if (!r->slot)
		return 0;
	r->stamp = ++r->u->stamps;
	place = next_job(r, &submitters->items[number], &rc);
	if (place != NONE) {
		wish.place = place;
		wish.rank =
			rank_of(r, r->u->classes.items[ad_classes_of(r->p, r->run, r->run->waiting.rows[place])].ad);
		rc = starts_make(r->p, r->run, r->places, &wish);
	}
	classad_free(r->slot);
	return rc == -EAGAIN ? 0 : rc;
}

int worklife_take(struct userprio_policy *policy, struct run *run, const struct places *places)
{
	struct reuse r = { .p = policy, .u = policy->in_force, .run = run, .places = places };
	int rc = 0;

	for (size_t i = 0; i < r.u->nfreed && rc == 0; i++) {
		r.freed = &r.u->freed[i];
		rc = reuse(&r);
	}
	r.u->nfreed = 0;
	return rc;
}
