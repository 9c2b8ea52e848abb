/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that no slot matches, whichever job has the slot and however much of it is taken. They
 * are reported as unmatched even if the negotiation did not reach them, or if a limit refused them
 * first. This answers the same question as condor_q -better-analyze.
 */
#include <errno.h>

#include "sched/negotiation/inside.h"

/* evaluations in a cycle; after that no more requests are examined */
#define LOOKS_MOST 200000u

static const struct { const char *left, *of_slot, *of_machine; } resources[] = {
	{ "Cpus", "TotalSlotCpus", "TotalCpus" }, { "Memory", "TotalSlotMemory", "TotalMemory" },
	{ "Disk", "TotalSlotDisk", "TotalDisk" },
	{ "GPUs", "TotalSlotGPUs", "TotalGPUs" },
};

struct looking {
	struct negotiator *n;
	const struct classad *job;
	uint32_t by_job, by_slot;
};

static double number_of(struct negotiator *negotiator, const struct classad *ad, const struct classad *other,
			const char *name, double otherwise)
{
	struct classad_pair pair = { ad, other };
	struct classad_value value;
	double number;

	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, name, &negotiator->moments.room, &value);
	return classad_number(&value, &number) ? number : otherwise;
}

/* Return the amount of a resource that a partitionable slot has when nothing is taken out of it. */
static double whole_of(struct negotiator *negotiator, const struct classad *ad, size_t resource)
{
	const struct classad *base = classad_base(ad);
	double own = number_of(negotiator, ad, NULL, resources[resource].left, 0);

	own = number_of(negotiator, ad, NULL, resources[resource].of_machine, own);
	own = number_of(negotiator, ad, NULL, resources[resource].of_slot, own);
	return base && classad_find(base, resources[resource].left)
		       ? fmax(own, number_of(negotiator, base, NULL, resources[resource].left, own))
		       : own;
}

/*
 * Return the slot's ad as if it were free; for a partitionable slot with all of its resources.
 * NULL: memory is exhausted.
 */
static const struct classad *slot_whole(struct negotiator *negotiator, const struct slot *slot)
{
	struct classad *ad = negotiator->moments.whole;

	if (!slot->partitionable)
		return moment_free(negotiator, NONE, slot->ad);
	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		struct classad_value value = { .type = CLASSAD_REAL, .real = whole_of(negotiator, slot->ad, i) };

		if (classad_find(slot->ad, resources[i].left) && classad_set_value(ad, resources[i].left, &value) < 0)
			return NULL;
		if (!classad_find(slot->ad, resources[i].left))
			classad_unset(ad, resources[i].left);
	}
	classad_set_base(ad, slot->ad);
	return moment_free(negotiator, NONE, ad);
}

/* Return whether the job's requests of these resources are within the slot's total. */
static bool fits(struct negotiator *negotiator, const struct classad *slot, const struct classad *job)
{
	static const char *const requests[] = { "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs" };

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (number_of(negotiator, job, slot, requests[i], 0) >
		    number_of(negotiator, slot, NULL, resources[i].left, 0))
			return false;
	return true;
}

/* Return whether the slot matches. */
static bool look(struct looking *looking, const struct slot *slot)
{
	const struct classad *whole = slot_whole(looking->n, slot);

	if (!whole) {
		looking->n->rc = -ENOMEM;
		return true;
	}
	looking->n->looks++;
	if ((slot->partitionable && !fits(looking->n, whole, looking->job)) ||
	    !requirements_are_true(looking->n, looking->job, whole)) {
		looking->by_job++;
		return false;
	}
	if (requirements_are_true(looking->n, whole, looking->job))
		return true;
	looking->by_slot++;
	return false;
}

/* Find out once per cycle whether no slot matches the kind. */
static bool is_unmatched(struct negotiator *negotiator, struct request_kind *kind)
{
	struct looking looking = { .n = negotiator, .job = moment_job(negotiator, kind->ad) };

	if (kind->looked_in == negotiator->cycle)
		return kind->unmatched;
	kind->looked_in = negotiator->cycle;
	kind->unmatched = false;
	for (uint32_t i = 0; i < negotiator->nslots; i++)
		if (negotiator->pool.visible[i] &&
		    (negotiator->looks >= LOOKS_MOST || look(&looking, &negotiator->slots[i])))
			return false;
	kind->unmatched = looking.by_job + looking.by_slot > 0;
	kind->never_by_job = looking.by_job;
	kind->never_by_slot = looking.by_slot;
	return kind->unmatched;
}

static struct request_kind *kind_of(struct negotiator *negotiator, uint32_t submitter, uint32_t request)
{
	return &negotiator->clusters.kinds
			[negotiator->class_facts[negotiator->in->submitters[submitter].requests[request].class].kind];
}

static void refuse(struct class_refusal *refusal, const struct request_kind *kind)
{
	*refusal = (struct class_refusal){ .submitter = refusal->submitter,
					   .request = refusal->request,
					   .refusal = REFUSED_NO_MATCH,
					   .limit = NONE,
					   .slots = kind->never_by_job + kind->never_by_slot,
					   .by_job = kind->never_by_job,
					   .by_slot = kind->never_by_slot };
}

/* Examine the requests of a submitter that the cycle did not refuse. */
static int submitter_look(struct negotiator *negotiator, uint32_t submitter)
{
	const struct cycle_submitter *cycle_submitter = &negotiator->in->submitters[submitter];
	struct cycle_result *result = negotiator->result;

	for (uint32_t i = 0; i < cycle_submitter->n && negotiator->rc == 0; i++) {
		uint32_t cluster = negotiator->class_facts[cycle_submitter->requests[i].class].cluster;
		struct request_kind *kind = kind_of(negotiator, submitter, i);

		if (negotiator->left[negotiator->left_of[submitter] + i] == 0 ||
		    negotiator->rejected[cluster] == negotiator->visits)
			continue;
		negotiator->rejected[cluster] = negotiator->visits;
		if (!is_unmatched(negotiator, kind) || negotiator->rc < 0)
			continue;
		if (room_for(&result->refusals, &result->room.refusals, result->nrefusals + 1,
			     sizeof(*result->refusals)) < 0)
			return -ENOMEM;
		result->refusals[result->nrefusals] = (struct class_refusal){ .submitter = submitter, .request = i };
		refuse(&result->refusals[result->nrefusals++], kind);
	}
	return negotiator->rc;
}

/* Mark the clusters that the submitter's last visit has refused. These refusals are adjacent. */
static void refused_mark(struct negotiator *negotiator, uint32_t submitter, size_t nrefusals)
{
	const struct class_refusal *refusals = negotiator->result->refusals;

	negotiator->visits++;
	for (size_t i = negotiator->states[submitter].refusals; i < nrefusals && refusals[i].submitter == submitter;
	     i++)
		negotiator->rejected[negotiator
					     ->class_facts[negotiator->in->submitters[submitter]
								   .requests[refusals[i].request]
								   .class]
					     .cluster] = negotiator->visits;
}

void unmatched_find(struct negotiator *negotiator)
{
	struct cycle_result *result = negotiator->result;
	size_t before = result->nrefusals;

	negotiator->looks = 0;
	for (uint32_t s = 0; s < negotiator->in->nsubmitters; s++)
		negotiator->states[s].refusals = before;
	for (size_t i = 0; i < before && negotiator->rc == 0; i++) {
		struct class_refusal *refusal = &result->refusals[i];
		struct request_kind *kind = kind_of(negotiator, refusal->submitter, refusal->request);

		if (i == 0 || result->refusals[i - 1].submitter != refusal->submitter)
			negotiator->states[refusal->submitter].refusals = i;
		if (is_unmatched(negotiator, kind))
			refuse(refusal, kind);
	}
	for (uint32_t s = 0; s < negotiator->in->nsubmitters && negotiator->rc == 0; s++) {
		refused_mark(negotiator, s, before);
		negotiator->rc = submitter_look(negotiator, s);
	}
}
