/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/heap.h"
#include "tickets/order.h"
#include "tickets/override_pick.h"

/* A sixteenth more, so that a queue that grows slowly does not move each time. */
static int reserve_tasks(struct ticket_scratch *s, size_t n)
{
	if (n <= s->tasks)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&s->members, n, sizeof(uint32_t)) || array_grow(&s->other_members, n, sizeof(uint32_t)) ||
	    array_grow(&s->keys, n, sizeof(double)) || array_grow(&s->other_keys, n, sizeof(double)))
		return -ENOMEM;
	s->tasks = n;
	return 0;
}

static int reserve_classes(struct ticket_scratch *s, size_t n)
{
	if (n <= s->classes)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&s->queues, n, sizeof(*s->queues)) || array_grow(&s->heap, n, sizeof(*s->heap)) ||
	    array_grow(&s->groups, n, sizeof(*s->groups)) || array_grow(&s->group_heap, n, sizeof(*s->group_heap)) ||
	    array_grow(&s->pools, SHARER_KINDS * n, sizeof(*s->pools)) || array_grow(&s->components, n + 1, sizeof(uint32_t)) ||
	    array_grow(&s->next_class, n, sizeof(uint32_t)) || array_grow(&s->queue_hashes, n, sizeof(uint32_t)))
		return -ENOMEM;
	index_clear(&s->queue_index);
	if (index_reserve_rows(&s->queue_index, s->queue_hashes, n))
		return -ENOMEM;
	s->classes = n;
	return 0;
}

static int reserve_nodes(struct ticket_scratch *s, size_t n)
{
	if (n <= s->node_capacity)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&s->nodes, n, sizeof(uint32_t)) || array_grow(&s->depths, n + 1, sizeof(uint32_t)) ||
	    array_grow(&s->node_class, n, sizeof(uint32_t)))
		return -ENOMEM;
	s->node_capacity = n;
	return 0;
}

int ticket_scratch_reserve(struct ticket_scratch *s, size_t tasks, size_t classes, size_t nodes)
{
	if (reserve_tasks(s, tasks) || reserve_classes(s, classes + 1) || reserve_nodes(s, nodes))
		return -ENOMEM;
	return 0;
}

void ticket_scratch_free(struct ticket_scratch *s)
{
	void *arrays[] = { s->members, s->other_members, s->keys, s->other_keys, s->queues, s->heap, s->groups, s->group_heap, s->pools,
			   s->components, s->next_class, s->queue_hashes, s->nodes, s->depths, s->node_class };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	index_free(&s->queue_index);
	*s = (struct ticket_scratch){ .workers = s->workers, .witness = s->witness };
}

void picked_tasks_add(struct picked_tasks *picked, uint32_t task)
{
	if (picked->n == picked->capacity) {
		size_t capacity = 2 * picked->capacity + 256;

		picked->lost |= array_grow(&picked->tasks, capacity, sizeof(*picked->tasks)) != 0;
		if (picked->lost)
			return;
		picked->capacity = capacity;
	}
	picked->tasks[picked->n++] = task;
}

/* Which queue a class belongs to */

static uint32_t key_hash(const struct task_queue *q)
{
	uint64_t h = q->job_value;

	for (int k = 0; k < SHARER_KINDS; k++)
		h = (h ^ q->sharer[k]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static bool key_equal(const struct task_queue *a, const struct task_queue *b)
{
	return a->job_value == b->job_value && memcmp(a->sharer, b->sharer, sizeof(a->sharer)) == 0;
}

/* What the policy sees of a class; false when it sees nothing. */
static bool class_key(const struct ticket_class *c, const struct sharers *sharers, bool override, struct task_queue *key)
{
	bool any;

	*key = (struct task_queue){ .job_value = override ? c->override_tickets : c->jobshare };
	any = key->job_value != 0;
	for (int k = 0; k < SHARER_KINDS; k++) {
		const struct sharer *o = c->sharer[k] == TICKETS_NONE ? NULL : &sharers->items[k][c->sharer[k]];
		bool brings = o && (override ? o->oticket : o->fshare) != 0;

		key->sharer[k] = brings ? c->sharer[k] : TICKETS_NONE;
		any |= brings;
	}
	return any;
}

static uint32_t queue_find_or_add(struct ticket_scratch *s, const struct task_queue *key, uint32_t class_id, size_t *nqueues)
{
	uint32_t hash = key_hash(key), q;

	index_search(q, &s->queue_index, hash, s->queue_hashes[q] == hash && key_equal(&s->queues[q], key));
	if (q != INDEX_NONE)
		return q;
	q = (uint32_t)(*nqueues)++;
	s->queues[q] = *key;
	s->queues[q].first_class = s->queues[q].last_class = class_id;
	s->queue_hashes[q] = hash;
	index_insert(&s->queue_index, s->queue_hashes, q);
	return q;
}

/* Queues with the number of their tasks in `end`, and their classes chained. */
static size_t queues_count(const struct ticket_classes *classes, const struct sharers *sharers, bool override, struct ticket_scratch *s)
{
	size_t nqueues = 0;

	index_clear(&s->queue_index);
	for (size_t i = 0; i < classes->norder; i++) {
		uint32_t id = classes->order[i], q;
		const struct ticket_class *c = &classes->items[id];
		struct task_queue key;

		s->next_class[id] = TICKETS_NONE;
		if (!class_key(c, sharers, override, &key))
			continue;
		q = queue_find_or_add(s, &key, id, &nqueues);
		s->queues[q].end += c->pending;
		if (s->queues[q].last_class != id)
			s->next_class[s->queues[q].last_class] = id;
		s->queues[q].last_class = id;
	}
	return nqueues;
}

/* The tasks in each queue */

struct queue_filling {
	const struct ticket_classes *classes;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	bool dependent;
};

static void queue_fill(void *context, size_t i)
{
	const struct queue_filling *f = context;
	struct ticket_scratch *s = f->scratch;
	const struct task_queue *q = &s->queues[i];
	struct task_range range = {
		.tasks = s->members + q->begin, .keys = s->keys + q->begin, .other_tasks = s->other_members + q->begin,
		.other_keys = s->other_keys + q->begin, .job = f->pending->job, .rank = f->dependent ? f->pending->age : NULL };

	for (uint32_t id = q->first_class; id != TICKETS_NONE; id = s->next_class[id])
		for (uint32_t k = 0; k < f->classes->items[id].pending; k++, range.n++) {
			uint32_t task = f->classes->items[id].begin + k;

			range.tasks[range.n] = task;
			range.keys[range.n] = f->dependent ? f->pending->accumulated[task] : 0.0;
		}
	order_sort(&range);
}

size_t queues_build(const struct ticket_classes *classes, const struct sharers *sharers, const struct pending_tasks *pending,
		    bool override, bool dependent, struct ticket_scratch *s)
{
	struct queue_filling filling = { classes, pending, s, dependent };
	size_t nqueues = queues_count(classes, sharers, override, s);
	uint32_t begin = 0;

	for (size_t q = 0; q < nqueues; q++) {
		uint32_t n = s->queues[q].end;

		s->queues[q].begin = begin;
		begin += n;
		s->queues[q].end = begin;
	}
	tickets_share_work(&s->workers, queue_fill, &filling, nqueues);
	return nqueues;
}

/* The heap */

/* Without branches: which of two children is better could not be foreseen. */
static inline bool entry_before(const struct queue_heap *h, const struct queue_entry *a, const struct queue_entry *b)
{
	(void)h;
	return (a->rank > b->rank) | ((a->rank == b->rank) & (a->turn < b->turn));
}

void queue_heap_sink(struct queue_heap *h, size_t i)
{
	heap_sink(h->items, h->n, i, entry_before, h);
}

void queue_heap_build(struct queue_heap *h)
{
	heap_build(h->items, h->n, entry_before, h);
}

void queue_heap_pop(struct queue_heap *h)
{
	h->items[0] = h->items[--h->n];
	if (h->n > 0)
		queue_heap_sink(h, 0);
}
