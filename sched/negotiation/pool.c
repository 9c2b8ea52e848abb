/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be had in a cycle: slots by class, free ones in a list each with the best in front.
 * Nothing becomes free before the cycle's end, but for what is left of partitionable slots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/negotiation/inside.h"

static int slots_room(struct slot_pool *p, size_t n)
{
	size_t capacity = n + n / 4 + 16;

	if (n <= p->slots)
		return 0;
	if (array_grow(&p->places, capacity, 1) < 0 || array_grow(&p->visible, capacity, 1) < 0 ||
	    array_grow(&p->nodes, capacity, sizeof(*p->nodes)) < 0 || array_grow(&p->walk, capacity, sizeof(*p->walk)) < 0 ||
	    array_grow(&p->order, capacity, sizeof(*p->order)) < 0 || array_grow(&p->current, capacity, sizeof(*p->current)) < 0 ||
	    array_grow(&p->claimed, capacity, sizeof(*p->claimed)) < 0 || array_grow(&p->claims, capacity, sizeof(*p->claims)) < 0 ||
	    array_grow(&p->gave, capacity, sizeof(*p->gave)) < 0)
		return -ENOMEM;
	memset(p->claims + p->slots, 0, (capacity - p->slots) * sizeof(*p->claims));
	memset(p->gave + p->slots, 0, (capacity - p->slots) * sizeof(*p->gave));
	p->slots = capacity;
	return 0;
}

static int classes_room(struct slot_pool *p, size_t n)
{
	size_t capacity = n + n / 4 + 64;

	if (n <= p->nclasses)
		return 0;
	if (array_grow(&p->classes, capacity, sizeof(*p->classes)) < 0 || array_grow(&p->lists[0], capacity, sizeof(*p->lists[0])) < 0 ||
	    array_grow(&p->lists[1], capacity, sizeof(*p->lists[1])) < 0)
		return -ENOMEM;
	for (size_t i = p->nclasses; i < capacity; i++)
		p->classes[i] = (struct class_pool){ .head = NONE, .tail = NONE };
	p->nclasses = capacity;
	return 0;
}

void pool_free(struct slot_pool *p)
{
	free(p->places);
	free(p->visible);
	free(p->nodes);
	free(p->walk);
	free(p->order);
	free(p->current);
	free(p->claimed);
	free(p->claims);
	free(p->gave);
	free(p->classes);
	free(p->lists[0]);
	free(p->lists[1]);
	*p = (struct slot_pool){ 0 };
}

static const struct classad *slot_ad(struct negotiator *n, uint32_t slot)
{
	return slot_is_claimed(n, slot) ? moment_claim(n, slot) : moment_free(n, slot, n->slots[slot].ad);
}

static bool holds(struct negotiator *n, const struct condor_expression *e, uint32_t slot)
{
	struct classad_pair pair;
	struct classad_value value;

	if (!e->program)
		return true;
	pair = (struct classad_pair){ .my = slot_ad(n, slot) };
	classad_room_reset(&n->moments.room);
	classad_evaluate(e->program, &pair, &n->moments.room, &value);
	return classad_is_true(&value);
}

int pool_see(struct negotiator *n)
{
	if (slots_room(&n->pool, n->nslots) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->nslots; i++)
		n->pool.visible[i] = holds(n, &n->conf->slot_constraint, i);
	return 0;
}

/* Slots that nobody may have in this cycle: HTCondor trims them. */
static bool is_trimmed(struct negotiator *n, uint32_t slot)
{
	const struct slot *s = &n->slots[slot];

	if (!n->conf->consider_preemption)
		return s->state != SLOT_UNCLAIMED && !s->partitionable;
	if (n->conf->consider_early_preemption || !n->facts[slot].retires)
		return false;
	return attribute_number(n, s->ad, "RetirementTimeRemaining", 0) > 0;
}

static double weight_counted(struct negotiator *n, uint32_t slot)
{
	const struct slot *s = &n->slots[slot];
	double cpus;

	if (n->conf->use_slot_weights || !s->partitionable)
		return s->weight;
	cpus = attribute_number(n, s->ad, "Cpus", 1);	/* so many pieces of weight 1 */
	return cpus > 0 ? cpus : 0;
}

static void weigh(struct negotiator *n)
{
	struct slot_pool *p = &n->pool;

	p->weight = p->counted = 0;
	p->least = INFINITY;
	for (uint32_t i = 0; i < n->nslots; i++) {
		const struct slot *s = &n->slots[i];
		double weight, least;

		if (!p->visible[i] || !s->open)
			continue;
		weight = weight_counted(n, i);
		least = s->partitionable ? n->slot_classes.items[n->facts[i].class].per_cpu : s->weight;
		p->weight += weight;
		if (holds(n, &n->conf->poolsize_constraint, i))
			p->counted += weight;
		if (least < p->least && !(s->partitionable && least == 0))
			p->least = least;
	}
	if (!isfinite(p->least))
		p->least = 0;
}

static uint32_t place_class(const struct negotiator *n, uint32_t slot)
{
	const struct slot_facts *facts = &n->facts[slot];

	return n->pool.places[slot] == PLACE_CLAIMED && facts->claimed_class != NONE ? facts->claimed_class : facts->class;
}

static void place_all(struct negotiator *n)
{
	struct slot_pool *p = &n->pool;

	for (size_t i = 0; i < p->nclasses; i++)
		p->classes[i] = (struct class_pool){ .head = NONE, .tail = NONE };
	p->nfree = p->nclaimed = p->by_rank = p->trimmed = 0;
	p->nlists[0] = p->nlists[1] = 0;
	for (uint32_t i = 0; i < n->nslots; i++) {
		bool out = !p->visible[i] || !n->slots[i].open;

		if (!out && is_trimmed(n, i)) {
			p->trimmed++;
			out = true;
		}
		p->places[i] = out ? PLACE_OUT : n->conf->consider_preemption && slot_is_claimed(n, i) ? PLACE_CLAIMED : PLACE_FREE;
		p->current[i] = place_class(n, i);
		p->nfree += p->places[i] == PLACE_FREE;
		p->nclaimed += p->places[i] == PLACE_CLAIMED;
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

bool slot_precedes(const struct negotiator *n, uint32_t slot, uint32_t other)
{
	return by_ranks(&slot, &other, n->facts) < 0;
}

static void put_in_order(struct negotiator *n)
{
	struct slot_pool *p = &n->pool;

	if (p->ordered == n->slot_classes.version && p->norder == n->nslots)
		return;
	for (uint32_t i = 0; i < n->nslots; i++)
		p->order[i] = i;
	if (n->nslots > 0)
		qsort_r(p->order, n->nslots, sizeof(*p->order), by_ranks, n->facts);
	p->ordered = n->slot_classes.version;
	p->norder = n->nslots;
}

/* Who looks through the classes needs no look at their slots. */
static void head_tell(const struct slot_pool *p, struct class_pool *c)
{
	if (c->head == NONE)
		return;
	c->pre = p->nodes[c->head].pre;
	c->post = p->nodes[c->head].post;
}

/* Behind that one of the class; NONE: in front. */
static void list_put(struct negotiator *n, uint32_t slot, uint32_t class, uint32_t behind)
{
	struct slot_pool *p = &n->pool;
	struct class_pool *c = &p->classes[class];
	uint32_t *link = behind == NONE ? &c->head : &p->nodes[behind].next;

	if (!c->listed)
		p->lists[0][p->nlists[0]++] = class;
	c->listed = true;
	p->nodes[slot] = (struct slot_node){ n->facts[slot].pre, n->facts[slot].post, *link, behind };
	*(*link == NONE ? &c->tail : &p->nodes[*link].previous) = slot;
	*link = slot;
	c->free++;
	if (behind == NONE)
		head_tell(p, c);
}

/* RANK of the machine can prefer a job to the one that it has. */
static bool may_prefer(const struct negotiator *n, uint32_t slot)
{
	const struct slot_class *class = &n->slot_classes.items[n->facts[slot].class];

	return !class->rank_is_constant || class->rank > n->slots[slot].current_rank;
}

static void list_claimed(struct negotiator *n)
{
	struct slot_pool *p = &n->pool;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < n->nslots; i++)
		if (p->places[i] == PLACE_CLAIMED) {
			struct class_pool *c = &p->classes[p->current[i]];

			if (c->nclaimed++ == 0) {
				p->lists[1][p->nlists[1]++] = p->current[i];
				c->least_rank = n->slots[i].current_rank;
			}
			c->least_rank = fmin(c->least_rank, n->slots[i].current_rank);
			p->by_rank += may_prefer(n, i);
		}
	for (size_t i = 0; i < p->nlists[1]; i++) {
		struct class_pool *c = &p->classes[p->lists[1][i]];

		c->claimed = begin;
		begin += c->nclaimed;
		c->nclaimed = 0;
	}
	for (uint32_t i = 0; i < n->nslots; i++)
		if (p->places[i] == PLACE_CLAIMED) {
			struct class_pool *c = &p->classes[p->current[i]];

			p->claimed[c->claimed + c->nclaimed++] = i;
		}
}

static void list_free(struct negotiator *n)
{
	struct slot_pool *p = &n->pool;
	uint32_t last = NONE;

	p->walks = false;
	p->walk_head = NONE;
	for (size_t i = 0; i < n->nslots && !n->interest.by_job[ROOT_PRE] && !n->interest.by_job[ROOT_POST]; i++)
		p->walks |= p->places[i] == PLACE_FREE && n->slots[i].partitionable;
	for (size_t i = 0; i < n->nslots; i++) {
		uint32_t slot = p->order[i];

		if (p->places[slot] != PLACE_FREE)
			continue;
		list_put(n, slot, p->current[slot], p->classes[p->current[slot]].tail);
		p->classes[p->current[slot]].were_free++;
		if (p->walks)
			walk_put(n, slot, last);
		last = slot;
	}
}

/* Whose claim it is, and when, does not matter to the ranks of claimed slots. */
static bool claimed_ranks_hold(const struct negotiator *n)
{
	for (int root = ROOT_PRE; root <= ROOT_POST; root++) {
		const struct reach *reach = &n->interest.slots[root];

		for (size_t i = 0; i < reach->own.n; i++)
			if (moment_of(reach->own.items[i]))
				return false;
		if (reach->time)
			return false;
	}
	return true;
}

int pool_fill(struct negotiator *n)
{
	const struct classad_expression *requirements = n->conf->preemption_requirements.program;
	struct slot_pool *p = &n->pool;
	struct classad_value value;

	if (classes_room(p, n->slot_classes.keys.n) < 0)
		return -ENOMEM;
	weigh(n);
	place_all(n);
	put_in_order(n);
	list_free(n);
	list_claimed(n);
	p->were_free = p->nfree;
	p->were_claimed = p->nclaimed;
	p->by_priority = requirements && !(classad_is_constant(requirements, &value) && !(value.type == CLASSAD_BOOL && value.truth));
	p->lazy = p->by_priority && preempt_is_lazy(n);
	p->ranks_hold = claimed_ranks_hold(n);
	return n->rc;
}

void pool_take(struct negotiator *n, uint32_t slot)
{
	struct slot_pool *p = &n->pool;
	struct class_pool *c = &p->classes[p->current[slot]];

	if (p->places[slot] == PLACE_CLAIMED) {
		p->nclaimed--;
		p->by_rank -= may_prefer(n, slot);
	} else {
		const struct slot_node *node = &p->nodes[slot];

		*(node->previous == NONE ? &c->head : &p->nodes[node->previous].next) = node->next;
		*(node->next == NONE ? &c->tail : &p->nodes[node->next].previous) = node->previous;
		if (node->previous == NONE)
			head_tell(p, c);
		if (p->walks)
			walk_take(p, slot);
		c->free--;
		p->nfree--;
	}
	p->places[slot] = PLACE_OUT;
}

int pool_put(struct negotiator *n, uint32_t slot, uint32_t class)
{
	struct slot_pool *p = &n->pool;
	uint32_t before;

	if (classes_room(p, n->slot_classes.keys.n) < 0)
		return -ENOMEM;
	before = p->classes[class].tail;
	while (before != NONE && slot_precedes(n, slot, before))
		before = p->nodes[before].previous;
	list_put(n, slot, class, before);
	if (p->walks)
		walk_put(n, slot, p->walk[slot].previous);	/* it has left the list just now */
	p->places[slot] = PLACE_FREE;
	p->current[slot] = class;
	p->nfree++;
	p->revived++;
	return 0;
}
