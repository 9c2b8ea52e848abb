/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that are available in a cycle, by class. Free ones are in a list with the best first. No
 * slot becomes free before the end of the cycle, except what is left of partitionable slots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/negotiation/inside.h"

static int slots_room(struct slot_pool *pool, size_t n)
{
	size_t capacity = n + n / 4 + 16;

	if (n <= pool->slots)
		return 0;
	if (array_grow(&pool->places, capacity, 1) < 0 || array_grow(&pool->visible, capacity, 1) < 0 ||
	    array_grow(&pool->nodes, capacity, sizeof(*pool->nodes)) < 0 ||
	    array_grow(&pool->walk, capacity, sizeof(*pool->walk)) < 0 ||
	    array_grow(&pool->order, capacity, sizeof(*pool->order)) < 0 ||
	    array_grow(&pool->current, capacity, sizeof(*pool->current)) < 0 ||
	    array_grow(&pool->claimed, capacity, sizeof(*pool->claimed)) < 0 ||
	    array_grow(&pool->claims, capacity, sizeof(*pool->claims)) < 0 ||
	    array_grow(&pool->gave, capacity, sizeof(*pool->gave)) < 0)
		return -ENOMEM;
	memset(pool->claims + pool->slots, 0, (capacity - pool->slots) * sizeof(*pool->claims));
	memset(pool->gave + pool->slots, 0, (capacity - pool->slots) * sizeof(*pool->gave));
	pool->slots = capacity;
	return 0;
}

static int classes_room(struct slot_pool *pool, size_t n)
{
	size_t capacity = n + n / 4 + 64;

	if (n <= pool->nclasses)
		return 0;
	if (array_grow(&pool->classes, capacity, sizeof(*pool->classes)) < 0 ||
	    array_grow(&pool->lists[0], capacity, sizeof(*pool->lists[0])) < 0 ||
	    array_grow(&pool->lists[1], capacity, sizeof(*pool->lists[1])) < 0)
		return -ENOMEM;
	for (size_t i = pool->nclasses; i < capacity; i++)
		pool->classes[i] = (struct class_pool){ .head = NONE, .tail = NONE };
	pool->nclasses = capacity;
	return 0;
}

void pool_free(struct slot_pool *pool)
{
	free(pool->places);
	free(pool->visible);
	free(pool->nodes);
	free(pool->walk);
	free(pool->order);
	free(pool->current);
	free(pool->claimed);
	free(pool->claims);
	free(pool->gave);
	free(pool->classes);
	free(pool->lists[0]);
	free(pool->lists[1]);
	*pool = (struct slot_pool){ 0 };
}

static const struct classad *slot_ad(struct negotiator *negotiator, uint32_t slot)
{
	return slot_is_claimed(negotiator, slot) ? moment_claim(negotiator, slot)
						 : moment_free(negotiator, slot, negotiator->slots[slot].ad);
}

static bool holds(struct negotiator *negotiator, const struct condor_expression *expression, uint32_t slot)
{
	struct classad_pair pair;
	struct classad_value value;

	if (!expression->program)
		return true;
	pair = (struct classad_pair){ .my = slot_ad(negotiator, slot) };
	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(expression->program, &pair, &negotiator->moments.room, &value);
	return classad_is_true(&value);
}

int pool_see(struct negotiator *negotiator)
{
	if (slots_room(&negotiator->pool, negotiator->nslots) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < negotiator->nslots; i++)
		negotiator->pool.visible[i] = holds(negotiator, &negotiator->conf->slot_constraint, i);
	return 0;
}

/* Return whether a slot is not available to any submitter in this cycle: HTCondor trims it. */
static bool is_trimmed(struct negotiator *negotiator, uint32_t slot)
{
	const struct slot *s = &negotiator->slots[slot];

	if (!negotiator->conf->consider_preemption)
		return s->state != SLOT_UNCLAIMED && !s->partitionable;
	if (negotiator->conf->consider_early_preemption || !negotiator->facts[slot].retires)
		return false;
	return attribute_number(negotiator, s->ad, "RetirementTimeRemaining", 0) > 0;
}

static double weight_counted(struct negotiator *negotiator, uint32_t slot)
{
	const struct slot *s = &negotiator->slots[slot];
	double cpus;

	if (negotiator->conf->use_slot_weights || !s->partitionable)
		return s->weight;
	cpus = attribute_number(negotiator, s->ad, "Cpus", 1);	/* number of pieces of weight 1 */
	return cpus > 0 ? cpus : 0;
}

static void weigh(struct negotiator *negotiator)
{
	struct slot_pool *pool = &negotiator->pool;

	pool->weight = pool->counted = 0;
	pool->least = INFINITY;
	for (uint32_t i = 0; i < negotiator->nslots; i++) {
		const struct slot *slot = &negotiator->slots[i];
		double weight, least;

		if (!pool->visible[i] || !slot->open)
			continue;
		weight = weight_counted(negotiator, i);
		least = slot->partitionable ? negotiator->slot_classes.items[negotiator->facts[i].class].per_cpu
					    : slot->weight;
		pool->weight += weight;
		if (holds(negotiator, &negotiator->conf->poolsize_constraint, i))
			pool->counted += weight;
		if (least < pool->least && !(slot->partitionable && least == 0))
			pool->least = least;
	}
	if (!isfinite(pool->least))
		pool->least = 0;
}

static uint32_t place_class(const struct negotiator *negotiator, uint32_t slot)
{
	const struct slot_facts *facts = &negotiator->facts[slot];

	return negotiator->pool.places[slot] == PLACE_CLAIMED && facts->claimed_class != NONE ? facts->claimed_class
											      : facts->class;
}

static void place_all(struct negotiator *negotiator)
{
	struct slot_pool *pool = &negotiator->pool;

	for (size_t i = 0; i < pool->nclasses; i++)
		pool->classes[i] = (struct class_pool){ .head = NONE, .tail = NONE };
	pool->nfree = pool->nclaimed = pool->by_rank = pool->trimmed = 0;
	pool->nlists[0] = pool->nlists[1] = 0;
	for (uint32_t i = 0; i < negotiator->nslots; i++) {
		bool out = !pool->visible[i] || !negotiator->slots[i].open;

		if (!out && is_trimmed(negotiator, i)) {
			pool->trimmed++;
			out = true;
		}
		pool->places[i] = out ? PLACE_OUT
				  : negotiator->conf->consider_preemption && slot_is_claimed(negotiator, i)
					  ? PLACE_CLAIMED
					  : PLACE_FREE;
		pool->current[i] = place_class(negotiator, i);
		pool->nfree += pool->places[i] == PLACE_FREE;
		pool->nclaimed += pool->places[i] == PLACE_CLAIMED;
	}
}

static int by_ranks(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct slot_facts *facts = context;

	if (facts[i].pre != facts[j].pre)
		return facts[i].pre > facts[j].pre ? -1 : 1;
	if (facts[i].post != facts[j].post)
		return facts[i].post > facts[j].post ? -1 : 1;
	return (i > j) - (i < j);
}

bool slot_precedes(const struct negotiator *negotiator, uint32_t slot, uint32_t other)
{
	return by_ranks(&slot, &other, negotiator->facts) < 0;
}

static void put_in_order(struct negotiator *negotiator)
{
	struct slot_pool *pool = &negotiator->pool;

	if (pool->ordered == negotiator->slot_classes.version && pool->norder == negotiator->nslots)
		return;
	for (uint32_t i = 0; i < negotiator->nslots; i++)
		pool->order[i] = i;
	if (negotiator->nslots > 0)
		qsort_r(pool->order, negotiator->nslots, sizeof(*pool->order), by_ranks, negotiator->facts);
	pool->ordered = negotiator->slot_classes.version;
	pool->norder = negotiator->nslots;
}

/* Copy the ranks of the first slot to its class, so that searches need not read slots. */
static void head_copy(const struct slot_pool *pool, struct class_pool *class_pool)
{
	if (class_pool->head == NONE)
		return;
	class_pool->pre = pool->nodes[class_pool->head].pre;
	class_pool->post = pool->nodes[class_pool->head].post;
}

/* Insert a slot after another one of the class; NONE: at the front. */
static void list_put(struct negotiator *negotiator, uint32_t slot, uint32_t class, uint32_t behind)
{
	struct slot_pool *pool = &negotiator->pool;
	struct class_pool *class_pool = &pool->classes[class];
	uint32_t *link = behind == NONE ? &class_pool->head : &pool->nodes[behind].next;

	if (!class_pool->listed)
		pool->lists[0][pool->nlists[0]++] = class;
	class_pool->listed = true;
	pool->nodes[slot] =
		(struct slot_node){ negotiator->facts[slot].pre, negotiator->facts[slot].post, *link, behind };
	*(*link == NONE ? &class_pool->tail : &pool->nodes[*link].previous) = slot;
	*link = slot;
	class_pool->free++;
	if (behind == NONE)
		head_copy(pool, class_pool);
}

/* Return whether the machine's RANK can prefer a job to the one that it has. */
static bool may_prefer(const struct negotiator *negotiator, uint32_t slot)
{
	const struct slot_class *class = &negotiator->slot_classes.items[negotiator->facts[slot].class];

	return !class->rank_is_constant || class->rank > negotiator->slots[slot].current_rank;
}

static void list_claimed(struct negotiator *negotiator)
{
	struct slot_pool *pool = &negotiator->pool;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < negotiator->nslots; i++)
		if (pool->places[i] == PLACE_CLAIMED) {
			struct class_pool *class_pool = &pool->classes[pool->current[i]];

			if (class_pool->nclaimed++ == 0) {
				pool->lists[1][pool->nlists[1]++] = pool->current[i];
				class_pool->least_rank = negotiator->slots[i].current_rank;
			}
			class_pool->least_rank = fmin(class_pool->least_rank, negotiator->slots[i].current_rank);
			pool->by_rank += may_prefer(negotiator, i);
		}
	for (size_t i = 0; i < pool->nlists[1]; i++) {
		struct class_pool *class_pool = &pool->classes[pool->lists[1][i]];

		class_pool->claimed = begin;
		begin += class_pool->nclaimed;
		class_pool->nclaimed = 0;
	}
	for (uint32_t i = 0; i < negotiator->nslots; i++)
		if (pool->places[i] == PLACE_CLAIMED) {
			struct class_pool *class_pool = &pool->classes[pool->current[i]];

			pool->claimed[class_pool->claimed + class_pool->nclaimed++] = i;
		}
}

static void list_free(struct negotiator *negotiator)
{
	struct slot_pool *pool = &negotiator->pool;
	uint32_t last = NONE;

	pool->walks = false;
	pool->walk_head = NONE;
	for (size_t i = 0; i < negotiator->nslots && !negotiator->interest.by_job[ROOT_PRE] &&
			   !negotiator->interest.by_job[ROOT_POST];
	     i++)
		pool->walks |= pool->places[i] == PLACE_FREE && negotiator->slots[i].partitionable;
	for (size_t i = 0; i < negotiator->nslots; i++) {
		uint32_t slot = pool->order[i];

		if (pool->places[slot] != PLACE_FREE)
			continue;
		list_put(negotiator, slot, pool->current[slot], pool->classes[pool->current[slot]].tail);
		pool->classes[pool->current[slot]].were_free++;
		if (pool->walks)
			walk_put(negotiator, slot, last);
		last = slot;
	}
}

/* Return whether the ranks of claimed slots depend neither on the claim nor on the time. */
static bool claimed_ranks_hold(const struct negotiator *negotiator)
{
	for (int root = ROOT_PRE; root <= ROOT_POST; root++) {
		const struct reach *reach = &negotiator->interest.slots[root];

		for (size_t i = 0; i < reach->own.n; i++)
			if (moment_of(reach->own.items[i]))
				return false;
		if (reach->time)
			return false;
	}
	return true;
}

int pool_fill(struct negotiator *negotiator)
{
	const struct classad_expression *requirements = negotiator->conf->preemption_requirements.program;
	struct slot_pool *pool = &negotiator->pool;
	struct classad_value value;

	if (classes_room(pool, negotiator->slot_classes.keys.n) < 0)
		return -ENOMEM;
	weigh(negotiator);
	place_all(negotiator);
	put_in_order(negotiator);
	list_free(negotiator);
	list_claimed(negotiator);
	pool->were_free = pool->nfree;
	pool->were_claimed = pool->nclaimed;
	pool->by_priority = requirements && !(classad_is_constant(requirements, &value) &&
					      !(value.type == CLASSAD_BOOL && value.truth));
	pool->lazy = pool->by_priority && preempt_is_lazy(negotiator);
	pool->ranks_hold = claimed_ranks_hold(negotiator);
	return negotiator->rc;
}

void pool_take(struct negotiator *negotiator, uint32_t slot)
{
	struct slot_pool *pool = &negotiator->pool;
	struct class_pool *class_pool = &pool->classes[pool->current[slot]];

	if (pool->places[slot] == PLACE_CLAIMED) {
		pool->nclaimed--;
		pool->by_rank -= may_prefer(negotiator, slot);
	} else {
		const struct slot_node *node = &pool->nodes[slot];

		*(node->previous == NONE ? &class_pool->head : &pool->nodes[node->previous].next) = node->next;
		*(node->next == NONE ? &class_pool->tail : &pool->nodes[node->next].previous) = node->previous;
		if (node->previous == NONE)
			head_copy(pool, class_pool);
		if (pool->walks)
			walk_take(pool, slot);
		class_pool->free--;
		pool->nfree--;
	}
	pool->places[slot] = PLACE_OUT;
}

int pool_put(struct negotiator *negotiator, uint32_t slot, uint32_t class)
{
	struct slot_pool *pool = &negotiator->pool;
	uint32_t before;

	if (classes_room(pool, negotiator->slot_classes.keys.n) < 0)
		return -ENOMEM;
	before = pool->classes[class].tail;
	while (before != NONE && slot_precedes(negotiator, slot, before))
		before = pool->nodes[before].previous;
	list_put(negotiator, slot, class, before);
	if (pool->walks)
		/* links from before its removal */
		walk_put(negotiator, slot, pool->walk[slot].previous);
	pool->places[slot] = PLACE_FREE;
	pool->current[slot] = class;
	pool->nfree++;
	pool->revived++;
	return 0;
}
