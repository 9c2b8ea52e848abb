/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept from cycle to cycle: classes of slots, kinds and clusters of requests. */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/negotiation/inside.h"

#define SPARE_KEYS 10000u		/* classes and kinds that nobody has, before all are found anew */

static int groups_create(struct negotiator *n)
{
	size_t groups = n->conf->ngroups ? n->conf->ngroups : 1;

	n->groups = calloc(groups, sizeof(*n->groups));
	n->tree_used = calloc(groups, sizeof(*n->tree_used));
	n->quotas = calloc(groups, sizeof(*n->quotas));
	n->quota_order = calloc(groups, sizeof(*n->quota_order));
	n->group_order = calloc(groups, sizeof(*n->group_order));
	return n->groups && n->tree_used && n->quotas && n->quota_order && n->group_order ? 0 : -ENOMEM;
}

struct negotiator *negotiator_create(const struct condor_conf *conf)
{
	struct negotiator *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->conf = conf;
	n->slot_classes.version = 1;
	if (groups_create(n) < 0 || moment_ads_create(&n->moments) < 0 || clusters_create(&n->clusters, conf) < 0 ||
	    clauses_create(&n->clauses, conf->preemption_requirements.program ? conf->preemption_requirements.text : NULL) < 0) {
		negotiator_free(n);
		return NULL;
	}
	return n;
}

void negotiator_free(struct negotiator *n)
{
	if (!n)
		return;
	for (size_t i = 0; n->groups && i < n->conf->ngroups; i++)
		free(n->groups[i].items);
	free(n->groups);
	free(n->tree_used);
	free(n->quotas);
	free(n->quota_order);
	free(n->group_order);
	free(n->facts);
	free(n->class_facts);
	interest_free(&n->interest);
	slot_classes_free(&n->slot_classes);
	clusters_free(&n->clusters);
	moment_ads_free(&n->moments);
	cross_free(&n->cross);
	concurrency_free(&n->limits);
	pool_free(&n->pool);
	free(n->list.heap);
	free(n->list.claimed);
	free(n->list.lazy);
	clauses_free(&n->clauses);
	free(n->states);
	free(n->left);
	free(n->left_of);
	free(n->rejected);
	free(n->counted_in);
	free(n->below.items);
	free(n);
}

/* A class for a slot that has none, or whose claim is one of its own. */
static int slot_classify(struct negotiator *n, uint32_t slot)
{
	const struct slot *s = &n->slots[slot];
	struct slot_facts *f = &n->facts[slot];
	bool alone = cross_is_on(n);

	if (f->class == NONE) {
		f->class = slot_class_of(n, s->ad, s->weight, s->partitionable, alone ? slot : NONE);
		f->ad = s->ad;
		f->made = s->made;
		f->weight = s->weight;
		f->partitionable = s->partitionable;
		f->known = f->claimed_known = false;
		f->retires = classad_find(s->ad, "RetirementTimeRemaining");
		if (f->class == NONE)
			return -ENOMEM;
	}
	f->claimed_class = NONE;
	if (n->interest.claim_matters && !alone && s->state != SLOT_UNCLAIMED) {
		f->claimed_class = slot_class_of(n, s->ad, s->weight, s->partitionable, slot);
		if (f->claimed_class == NONE)
			return -ENOMEM;
	}
	return 0;
}

static int slots_classify(struct negotiator *n)
{
	struct slot_classes *c = &n->slot_classes;
	int rc = 0;

	for (uint32_t i = 0; i < n->nslots && rc == 0; i++)
		rc = slot_classify(n, i);
	for (size_t i = 0; i < c->keys.n; i++) {
		classad_free(c->items[i].left);
		c->items[i].left = NULL;
		c->items[i].slot = NONE;
	}
	for (uint32_t i = 0; i < n->nslots && rc == 0; i++) {
		const struct slot_facts *f = &n->facts[i];

		c->items[f->class].slot = i;
		c->items[f->class].ad = n->slots[i].ad;
		if (f->claimed_class != NONE) {
			c->items[f->claimed_class].slot = i;
			c->items[f->claimed_class].ad = n->slots[i].ad;
		}
	}
	return rc;
}

static void slots_forget(struct negotiator *n)
{
	slot_classes_clear(&n->slot_classes);
	rows_drop(&n->clusters);
	for (size_t i = 0; i < n->nslots; i++)
		n->facts[i].class = NONE;
}

static int classes_forget(struct negotiator *n)
{
	for (size_t i = 0; i < n->nclasses; i++)
		n->class_facts[i].kind = NONE;
	return clusters_settle(n);
}

static int classes_classify(struct negotiator *n)
{
	struct clusters *c = &n->clusters;
	int rc = 0;

	for (size_t i = 0; i < n->nclasses && rc == 0; i++)
		if (n->class_facts[i].kind == NONE)
			rc = class_put(n, i);
	for (size_t i = 0; i < n->nclasses && rc == 0; i++)
		c->kinds[n->class_facts[i].kind].ad = n->classes[i].ad;
	return rc;
}

/*
 * What slots ask of jobs may depend on slots again, and the other way round: until nobody asks for
 * more. Names of attributes come to an end.
 */
static int ask_each_other(struct negotiator *n)
{
	bool asks = interest_asks(&n->interest), looks = interest_looks(&n->interest);
	int rc = 0;

	while (rc == 0 && (asks || looks)) {
		for (size_t i = 0; i < n->nclasses && asks && rc == 0; i++)
			rc = interest_ask(&n->interest, n->classes[i].ad);
		for (size_t i = 0; i < n->nslots && looks && rc == 0; i++)
			rc = interest_look(&n->interest, n->slots[i].ad);
		asks = interest_asks(&n->interest);
		looks = interest_looks(&n->interest);
	}
	return rc;
}

/* What matters may be more than before: then all is to be put into its classes anew. */
static int settle(struct negotiator *n)
{
	struct interest_change change;
	int rc = ask_each_other(n);

	if (rc == 0)
		rc = interest_settle(&n->interest, &change);

	if (rc == 0 && (change.key || n->slot_classes.keys.n > 4 * n->nslots + SPARE_KEYS))
		slots_forget(n);
	if (rc == 0 && (change.significant || !n->clusters.wanted.n || n->clusters.keys.n > 4 * n->nclasses + SPARE_KEYS))
		rc = classes_forget(n);
	if (rc == 0)
		rc = slots_classify(n);
	if (rc == 0)
		rc = classes_classify(n);
	n->list.is_there = false;
	return rc;
}

/* Classes that were lent before may be gone: all is settled when those of now are known. */
int negotiator_slots(struct negotiator *n, const struct slot *slots, size_t count)
{
	size_t before = n->nslots;
	int rc = room_for(&n->facts, &n->nfacts, count, sizeof(*n->facts));

	if (rc < 0)
		return rc;
	for (size_t i = before; i < count; i++)
		n->facts[i] = (struct slot_facts){ .class = NONE, .claimed_class = NONE };
	n->slots = slots;
	n->nslots = count;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct slot_facts *f = &n->facts[i];
		const struct slot *s = &slots[i];

		if (f->class != NONE && f->ad == s->ad && f->made == s->made && f->weight == s->weight && f->partitionable == s->partitionable)
			continue;
		f->class = NONE;
		rc = interest_slot(&n->interest, n->conf, s->ad);
	}
	return rc;
}

int negotiator_classes(struct negotiator *n, const struct request_class *classes, size_t count)
{
	size_t before = n->nclasses;
	int rc = room_for(&n->class_facts, &n->nclass_facts, count, sizeof(*n->class_facts));

	if (rc < 0)
		return rc;
	for (size_t i = before; i < count; i++)
		n->class_facts[i] = (struct class_facts){ .kind = NONE };
	n->classes = classes;
	n->nclasses = count;
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct class_facts *f = &n->class_facts[i];

		if (f->kind != NONE && f->ad == classes[i].ad && f->made == classes[i].made)
			continue;
		f->kind = NONE;
		rc = interest_job(&n->interest, classes[i].ad);
	}
	return rc == 0 ? settle(n) : rc;
}

uint32_t negotiator_cluster(const struct negotiator *n, uint32_t class)
{
	return n->class_facts[class].cluster;
}
