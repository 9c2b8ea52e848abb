/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that no slot matches, whoever has it and however much of it is taken: they are reported
 * as such even where the negotiation did not come to them, or a limit refused them first. It is the
 * question that condor_q -better-analyze answers.
 */
#include <errno.h>

#include "sched/negotiation/inside.h"

#define LOOKS_MOST 200000u		/* evaluations of a cycle; then no more is found out */

static const struct { const char *left, *of_slot, *of_machine; } resources[] = {
	{ "Cpus", "TotalSlotCpus", "TotalCpus" }, { "Memory", "TotalSlotMemory", "TotalMemory" }, { "Disk", "TotalSlotDisk", "TotalDisk" },
	{ "GPUs", "TotalSlotGPUs", "TotalGPUs" },
};

struct looking {
	struct negotiator *n;
	const struct classad *job;
	uint32_t by_job, by_slot;
};

static double number_of(struct negotiator *n, const struct classad *ad, const struct classad *other, const char *name, double otherwise)
{
	struct classad_pair pair = { ad, other };
	struct classad_value value;
	double number;

	classad_room_reset(&n->moments.room);
	classad_attribute(&pair, name, &n->moments.room, &value);
	return classad_number(&value, &number) ? number : otherwise;
}

/* How much there is of a resource when nothing is taken out of a partitionable slot. */
static double whole_of(struct negotiator *n, const struct classad *ad, size_t resource)
{
	const struct classad *base = classad_behind(ad);
	double own = number_of(n, ad, NULL, resources[resource].left, 0);

	own = number_of(n, ad, NULL, resources[resource].of_machine, own);
	own = number_of(n, ad, NULL, resources[resource].of_slot, own);
	return base && classad_find(base, resources[resource].left) ? fmax(own, number_of(n, base, NULL, resources[resource].left, own)) : own;
}

/* The slot as a free one; a partitionable one with all that it ever has. NULL: no memory. */
static const struct classad *slot_whole(struct negotiator *n, const struct slot *slot)
{
	struct classad *ad = n->moments.whole;

	if (!slot->partitionable)
		return moment_free(n, NONE, slot->ad);
	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		struct classad_value value = { .type = CLASSAD_REAL, .real = whole_of(n, slot->ad, i) };

		if (classad_find(slot->ad, resources[i].left) && classad_set_value(ad, resources[i].left, &value) < 0)
			return NULL;
		if (!classad_find(slot->ad, resources[i].left))
			classad_unset(ad, resources[i].left);
	}
	classad_put_behind(ad, slot->ad);
	return moment_free(n, NONE, ad);
}

/* What a job requests of these is never more than the slot has in all. */
static bool fits(struct negotiator *n, const struct classad *slot, const struct classad *job)
{
	static const char *const requests[] = { "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs" };

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (number_of(n, job, slot, requests[i], 0) > number_of(n, slot, NULL, resources[i].left, 0))
			return false;
	return true;
}

/* True: the slot matches. */
static bool look(struct looking *l, const struct slot *slot)
{
	const struct classad *whole = slot_whole(l->n, slot);

	if (!whole) {
		l->n->rc = -ENOMEM;
		return true;
	}
	l->n->looks++;
	if ((slot->partitionable && !fits(l->n, whole, l->job)) || !requirements_are_true(l->n, l->job, whole)) {
		l->by_job++;
		return false;
	}
	if (requirements_are_true(l->n, whole, l->job))
		return true;
	l->by_slot++;
	return false;
}

/* Find out whether no slot matches the kind, once a cycle. */
static bool is_unmatched(struct negotiator *n, struct request_kind *kind)
{
	struct looking l = { .n = n, .job = moment_job(n, kind->ad) };

	if (kind->looked_in == n->cycle)
		return kind->unmatched;
	kind->looked_in = n->cycle;
	kind->unmatched = false;
	for (uint32_t i = 0; i < n->nslots; i++)
		if (n->pool.visible[i] && (n->looks >= LOOKS_MOST || look(&l, &n->slots[i])))
			return false;
	kind->unmatched = l.by_job + l.by_slot > 0;
	kind->never_by_job = l.by_job;
	kind->never_by_slot = l.by_slot;
	return kind->unmatched;
}

static struct request_kind *kind_of(struct negotiator *n, uint32_t submitter, uint32_t request)
{
	return &n->clusters.kinds[n->class_facts[n->in->submitters[submitter].requests[request].class].kind];
}

static void refuse(struct class_refusal *r, const struct request_kind *kind)
{
	*r = (struct class_refusal){ .submitter = r->submitter, .request = r->request, .refusal = REFUSED_NO_MATCH, .limit = NONE,
				     .slots = kind->never_by_job + kind->never_by_slot, .by_job = kind->never_by_job,
				     .by_slot = kind->never_by_slot };
}

/* Requests of a submitter that were not refused, as far as the cycle came. */
static int submitter_look(struct negotiator *n, uint32_t submitter)
{
	const struct cycle_submitter *s = &n->in->submitters[submitter];
	struct cycle_result *result = n->result;

	for (uint32_t i = 0; i < s->n && n->rc == 0; i++) {
		uint32_t cluster = n->class_facts[s->requests[i].class].cluster;
		struct request_kind *kind = kind_of(n, submitter, i);

		if (n->left[n->left_of[submitter] + i] == 0 || n->rejected[cluster] == n->visits)
			continue;
		n->rejected[cluster] = n->visits;
		if (!is_unmatched(n, kind) || n->rc < 0)
			continue;
		if (room_for(&result->refusals, &result->room.refusals, result->nrefusals + 1, sizeof(*result->refusals)) < 0)
			return -ENOMEM;
		result->refusals[result->nrefusals] = (struct class_refusal){ .submitter = submitter, .request = i };
		refuse(&result->refusals[result->nrefusals++], kind);
	}
	return n->rc;
}

/* Mark the clusters of which a submitter's last visit has a refusal: these are next to each other. */
static void refused_mark(struct negotiator *n, uint32_t submitter, size_t nrefusals)
{
	const struct class_refusal *refusals = n->result->refusals;

	n->visits++;
	for (size_t i = n->states[submitter].refusals; i < nrefusals && refusals[i].submitter == submitter; i++)
		n->rejected[n->class_facts[n->in->submitters[submitter].requests[refusals[i].request].class].cluster] = n->visits;
}

void unmatched_find(struct negotiator *n)
{
	struct cycle_result *result = n->result;
	size_t before = result->nrefusals;

	n->looks = 0;
	for (uint32_t s = 0; s < n->in->nsubmitters; s++)
		n->states[s].refusals = before;
	for (size_t i = 0; i < before && n->rc == 0; i++) {
		struct class_refusal *r = &result->refusals[i];
		struct request_kind *kind = kind_of(n, r->submitter, r->request);

		if (i == 0 || result->refusals[i - 1].submitter != r->submitter)
			n->states[r->submitter].refusals = i;
		if (is_unmatched(n, kind))
			refuse(r, kind);
	}
	for (uint32_t s = 0; s < n->in->nsubmitters && n->rc == 0; s++) {
		refused_mark(n, s, before);
		n->rc = submitter_look(n, s);
	}
}
