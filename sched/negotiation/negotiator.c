/* SPDX-License-Identifier: Apache-2.0 */
/* State kept from cycle to cycle: classes of slots, kinds and clusters of requests. */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/negotiation/inside.h"

/* unused classes and kinds that are kept before all are computed again */
#define SPARE_KEYS 10000u

static int groups_create(struct negotiator *negotiator)
{
	size_t groups = negotiator->conf->ngroups ? negotiator->conf->ngroups : 1;

	negotiator->groups = calloc(groups, sizeof(*negotiator->groups));
	negotiator->tree_used = calloc(groups, sizeof(*negotiator->tree_used));
	negotiator->quotas = calloc(groups, sizeof(*negotiator->quotas));
	negotiator->quota_order = calloc(groups, sizeof(*negotiator->quota_order));
	negotiator->group_order = calloc(groups, sizeof(*negotiator->group_order));
	return negotiator->groups && negotiator->tree_used && negotiator->quotas && negotiator->quota_order &&
			       negotiator->group_order
		       ? 0
		       : -ENOMEM;
}

struct negotiator *negotiator_create(const struct condor_conf *conf)
{
	struct negotiator *negotiator = calloc(1, sizeof(*negotiator));

	if (!negotiator)
		return NULL;
	negotiator->conf = conf;
	negotiator->slot_classes.version = 1;
	if (groups_create(negotiator) < 0 || moment_ads_create(&negotiator->moments) < 0 ||
	    clusters_create(&negotiator->clusters, conf) < 0 ||
	    clauses_create(&negotiator->clauses,
			   conf->preemption_requirements.program ? conf->preemption_requirements.text : NULL) < 0) {
		negotiator_free(negotiator);
		return NULL;
	}
	return negotiator;
}

void negotiator_free(struct negotiator *negotiator)
{
	if (!negotiator)
		return;
	for (size_t i = 0; negotiator->groups && i < negotiator->conf->ngroups; i++)
		free(negotiator->groups[i].items);
	free(negotiator->groups);
	free(negotiator->tree_used);
	free(negotiator->quotas);
	free(negotiator->quota_order);
	free(negotiator->group_order);
	free(negotiator->facts);
	free(negotiator->class_facts);
	interest_free(&negotiator->interest);
	slot_classes_free(&negotiator->slot_classes);
	clusters_free(&negotiator->clusters);
	moment_ads_free(&negotiator->moments);
	cross_free(&negotiator->cross);
	concurrency_free(&negotiator->limits);
	pool_free(&negotiator->pool);
	free(negotiator->list.heap);
	free(negotiator->list.claimed);
	free(negotiator->list.lazy);
	clauses_free(&negotiator->clauses);
	free(negotiator->states);
	free(negotiator->left);
	free(negotiator->left_of);
	free(negotiator->rejected);
	free(negotiator->counted_in);
	free(negotiator->below.items);
	free(negotiator);
}

/* Find the class of a slot without one, or of a slot whose claim is a class of its own. */
static int slot_classify(struct negotiator *negotiator, uint32_t slot)
{
	const struct slot *s = &negotiator->slots[slot];
	struct slot_facts *facts = &negotiator->facts[slot];
	bool alone = cross_is_on(negotiator);

	if (facts->class == NONE) {
		facts->class = slot_class_of(negotiator, s->ad, s->weight, s->partitionable, alone ? slot : NONE);
		facts->ad = s->ad;
		facts->made = s->made;
		facts->weight = s->weight;
		facts->partitionable = s->partitionable;
		facts->known = facts->claimed_known = false;
		facts->retires = classad_find(s->ad, "RetirementTimeRemaining");
		if (facts->class == NONE)
			return -ENOMEM;
	}
	facts->claimed_class = NONE;
	if (negotiator->interest.claim_matters && !alone && s->state != SLOT_UNCLAIMED) {
		facts->claimed_class = slot_class_of(negotiator, s->ad, s->weight, s->partitionable, slot);
		if (facts->claimed_class == NONE)
			return -ENOMEM;
	}
	return 0;
}

static int slots_classify(struct negotiator *negotiator)
{
	struct slot_classes *classes = &negotiator->slot_classes;
	int rc = 0;

	for (uint32_t i = 0; i < negotiator->nslots && rc == 0; i++)
		rc = slot_classify(negotiator, i);
	for (size_t i = 0; i < classes->keys.n; i++) {
		classad_free(classes->items[i].left);
		classes->items[i].left = NULL;
		classes->items[i].slot = NONE;
	}
	for (uint32_t i = 0; i < negotiator->nslots && rc == 0; i++) {
		const struct slot_facts *facts = &negotiator->facts[i];

		classes->items[facts->class].slot = i;
		classes->items[facts->class].ad = negotiator->slots[i].ad;
		if (facts->claimed_class != NONE) {
			classes->items[facts->claimed_class].slot = i;
			classes->items[facts->claimed_class].ad = negotiator->slots[i].ad;
		}
	}
	return rc;
}

static void slots_forget(struct negotiator *negotiator)
{
	slot_classes_clear(&negotiator->slot_classes);
	rows_drop(&negotiator->clusters);
	for (size_t i = 0; i < negotiator->nslots; i++)
		negotiator->facts[i].class = NONE;
}

static int classes_forget(struct negotiator *negotiator)
{
	for (size_t i = 0; i < negotiator->nclasses; i++)
		negotiator->class_facts[i].kind = NONE;
	return clusters_settle(negotiator);
}

static int classes_classify(struct negotiator *negotiator)
{
	struct clusters *clusters = &negotiator->clusters;
	int rc = 0;

	for (size_t i = 0; i < negotiator->nclasses && rc == 0; i++)
		if (negotiator->class_facts[i].kind == NONE)
			rc = class_put(negotiator, i);
	for (size_t i = 0; i < negotiator->nclasses && rc == 0; i++)
		clusters->kinds[negotiator->class_facts[i].kind].ad = negotiator->classes[i].ad;
	return rc;
}

/*
 * Follow references until there are no new ones: attributes of jobs that slots read may depend on
 * slots again, and vice versa. The loop ends because the number of attribute names is finite.
 */
static int ask_each_other(struct negotiator *negotiator)
{
	bool asks = interest_asks(&negotiator->interest), looks = interest_looks(&negotiator->interest);
	int rc = 0;

	while (rc == 0 && (asks || looks)) {
		for (size_t i = 0; i < negotiator->nclasses && asks && rc == 0; i++)
			rc = interest_ask(&negotiator->interest, negotiator->classes[i].ad);
		for (size_t i = 0; i < negotiator->nslots && looks && rc == 0; i++)
			rc = interest_look(&negotiator->interest, negotiator->slots[i].ad);
		asks = interest_asks(&negotiator->interest);
		looks = interest_looks(&negotiator->interest);
	}
	return rc;
}

/* Update the attributes that matter. If there are more than before, classify everything again. */
static int settle(struct negotiator *negotiator)
{
	struct interest_change change;
	int rc = ask_each_other(negotiator);

	if (rc == 0)
		rc = interest_settle(&negotiator->interest, &change);

	if (rc == 0 && (change.key || negotiator->slot_classes.keys.n > 4 * negotiator->nslots + SPARE_KEYS))
		slots_forget(negotiator);
	if (rc == 0 && (change.significant || !negotiator->clusters.wanted.n ||
			negotiator->clusters.keys.n > 4 * negotiator->nclasses + SPARE_KEYS))
		rc = classes_forget(negotiator);
	if (rc == 0)
		rc = slots_classify(negotiator);
	if (rc == 0)
		rc = classes_classify(negotiator);
	negotiator->list.is_there = false;
	return rc;
}

/*
 * Set the slots. Classes that were borrowed before may no longer exist, so everything is settled
 * when the current ones are set.
 */
int negotiator_slots(struct negotiator *negotiator, const struct slot *slots, size_t count)
{
	size_t before = negotiator->nslots;
	int rc = room_for(&negotiator->facts, &negotiator->nfacts, count, sizeof(*negotiator->facts));

	if (rc < 0)
		return rc;
	for (size_t i = before; i < count; i++)
		negotiator->facts[i] = (struct slot_facts){ .class = NONE, .claimed_class = NONE };
	negotiator->slots = slots;
	negotiator->nslots = count;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct slot_facts *facts = &negotiator->facts[i];
		const struct slot *slot = &slots[i];

		if (facts->class != NONE && facts->ad == slot->ad && facts->made == slot->made &&
		    facts->weight == slot->weight && facts->partitionable == slot->partitionable)
			continue;
		facts->class = NONE;
		rc = interest_slot(&negotiator->interest, negotiator->conf, slot->ad);
	}
	return rc;
}

int negotiator_classes(struct negotiator *negotiator, const struct request_class *classes, size_t count)
{
	size_t before = negotiator->nclasses;
	int rc = room_for(&negotiator->class_facts, &negotiator->nclass_facts, count, sizeof(*negotiator->class_facts));

	if (rc < 0)
		return rc;
	for (size_t i = before; i < count; i++)
		negotiator->class_facts[i] = (struct class_facts){ .kind = NONE };
	negotiator->classes = classes;
	negotiator->nclasses = count;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct class_facts *facts = &negotiator->class_facts[i];

		if (facts->kind != NONE && facts->ad == classes[i].ad && facts->made == classes[i].made)
			continue;
		facts->kind = NONE;
		rc = interest_job(&negotiator->interest, classes[i].ad);
	}
	return rc == 0 ? settle(negotiator) : rc;
}

uint32_t negotiator_cluster(const struct negotiator *negotiator, uint32_t class)
{
	return negotiator->class_facts[class].cluster;
}
