/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "conf/base/heap.h"
#include "tickets/order.h"
#include "tickets/override_pick.h"

/*
 * Reserve memory for tasks: one sixteenth more than needed, so that a slowly growing list is not
 * moved each time.
 */
static int reserve_tasks(struct ticket_scratch *scratch, size_t n)
{
	return array_reserve(&scratch->tasks, n, COLUMN(scratch->members), COLUMN(scratch->other_members),
			     COLUMN(scratch->keys), COLUMN(scratch->other_keys));
}

static int reserve_classes(struct ticket_scratch *scratch, size_t n)
{
	if (n <= scratch->classes)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&scratch->queues, n, sizeof(*scratch->queues)) ||
	    array_grow(&scratch->heap, n, sizeof(*scratch->heap)) ||
	    array_grow(&scratch->groups, n, sizeof(*scratch->groups)) ||
	    array_grow(&scratch->group_heap, n, sizeof(*scratch->group_heap)) ||
	    array_grow(&scratch->pools, SHARER_KINDS * n, sizeof(*scratch->pools)) ||
	    array_grow(&scratch->components, n + 1, sizeof(uint32_t)) ||
	    array_grow(&scratch->next_class, n, sizeof(uint32_t)) ||
	    array_grow(&scratch->queue_hashes, n, sizeof(uint32_t)))
		return -ENOMEM;
	index_clear(&scratch->queue_index);
	if (index_reserve_rows(&scratch->queue_index, scratch->queue_hashes, n))
		return -ENOMEM;
	scratch->classes = n;
	return 0;
}

static int reserve_nodes(struct ticket_scratch *scratch, size_t n)
{
	if (n <= scratch->node_capacity)
		return 0;
	n += n / 16 + 64;
	if (array_grow(&scratch->nodes, n, sizeof(uint32_t)) || array_grow(&scratch->depths, n + 1, sizeof(uint32_t)) ||
	    array_grow(&scratch->node_class, n, sizeof(uint32_t)))
		return -ENOMEM;
	scratch->node_capacity = n;
	return 0;
}

int ticket_scratch_reserve(struct ticket_scratch *scratch, size_t tasks, size_t classes, size_t nodes)
{
	if (reserve_tasks(scratch, tasks) || reserve_classes(scratch, classes + 1) || reserve_nodes(scratch, nodes))
		return -ENOMEM;
	return 0;
}

void ticket_scratch_free(struct ticket_scratch *scratch)
{
	void *arrays[] = { scratch->members, scratch->other_members, scratch->keys,	  scratch->other_keys,
			   scratch->queues,  scratch->heap,	     scratch->groups,	  scratch->group_heap,
			   scratch->pools,   scratch->components,    scratch->next_class, scratch->queue_hashes,
			   scratch->nodes,   scratch->depths,	     scratch->node_class };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	index_free(&scratch->queue_index);
	*scratch = (struct ticket_scratch){ .workers = scratch->workers, .witness = scratch->witness };
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

/* The queue of a class */

static uint32_t key_hash(const struct task_queue *queue)
{
	uint64_t h = queue->job_value;

	for (int k = 0; k < SHARER_KINDS; k++)
		h = (h ^ queue->sharer[k]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static bool key_equal(const struct task_queue *a, const struct task_queue *b)
{
	return a->job_value == b->job_value && memcmp(a->sharer, b->sharer, sizeof(a->sharer)) == 0;
}

/* Build the key of a class for the policy. Return false if nothing in it matters for the policy. */
static bool class_key(const struct ticket_class *class, const struct sharers *sharers, bool override,
		      struct task_queue *key)
{
	bool any;

	*key = (struct task_queue){ .job_value = override ? class->override_tickets : class->jobshare };
	any = key->job_value != 0;
	for (int k = 0; k < SHARER_KINDS; k++) {
		const struct sharer *sharer =
			class->sharer[k] == TICKETS_NONE ? NULL : &sharers->items[k][class->sharer[k]];
		bool brings = sharer && (override ? sharer->oticket : sharer->fshare) != 0;

		key->sharer[k] = brings ? class->sharer[k] : TICKETS_NONE;
		any |= brings;
	}
	return any;
}

static uint32_t queue_find_or_add(struct ticket_scratch *scratch, const struct task_queue *key, uint32_t class_id,
				  size_t *nqueues)
{
	uint32_t hash = key_hash(key), q;

	index_search(q, &scratch->queue_index, hash,
		     scratch->queue_hashes[q] == hash && key_equal(&scratch->queues[q], key));
	if (q != INDEX_NONE)
		return q;
	q = (uint32_t)(*nqueues)++;
	scratch->queues[q] = *key;
	scratch->queues[q].first_class = scratch->queues[q].last_class = class_id;
	scratch->queue_hashes[q] = hash;
	index_insert(&scratch->queue_index, scratch->queue_hashes, q);
	return q;
}

/* Create the queues, with the number of their tasks in `end` and their classes chained. */
static size_t queues_count(const struct ticket_classes *classes, const struct sharers *sharers, bool override,
			   struct ticket_scratch *scratch)
{
	size_t nqueues = 0;

	index_clear(&scratch->queue_index);
	for (size_t i = 0; i < classes->norder; i++) {
		uint32_t id = classes->order[i], q;
		const struct ticket_class *class = &classes->items[id];
		struct task_queue key;

		scratch->next_class[id] = TICKETS_NONE;
		if (!class_key(class, sharers, override, &key))
			continue;
		q = queue_find_or_add(scratch, &key, id, &nqueues);
		scratch->queues[q].end += class->pending;
		if (scratch->queues[q].last_class != id)
			scratch->next_class[scratch->queues[q].last_class] = id;
		scratch->queues[q].last_class = id;
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
	const struct queue_filling *filling = context;
	struct ticket_scratch *scratch = filling->scratch;
	const struct task_queue *queue = &scratch->queues[i];
	struct task_range range = { .tasks = scratch->members + queue->begin,
				    .keys = scratch->keys + queue->begin,
				    .other_tasks = scratch->other_members + queue->begin,
				    .other_keys = scratch->other_keys + queue->begin,
				    .job = filling->pending->job,
				    .rank = filling->dependent ? filling->pending->age : NULL };

	for (uint32_t id = queue->first_class; id != TICKETS_NONE; id = scratch->next_class[id])
		for (uint32_t k = 0; k < filling->classes->items[id].pending; k++, range.n++) {
			uint32_t task = filling->classes->items[id].begin + k;

			range.tasks[range.n] = task;
			range.keys[range.n] = filling->dependent ? filling->pending->accumulated[task] : 0.0;
		}
	order_sort(&range);
}

size_t queues_build(const struct ticket_classes *classes, const struct sharers *sharers,
		    const struct pending_tasks *pending, bool override, bool dependent, struct ticket_scratch *scratch)
{
	struct queue_filling filling = { classes, pending, scratch, dependent };
	size_t nqueues = queues_count(classes, sharers, override, scratch);
	uint32_t begin = 0;

	for (size_t q = 0; q < nqueues; q++) {
		uint32_t n = scratch->queues[q].end;

		scratch->queues[q].begin = begin;
		begin += n;
		scratch->queues[q].end = begin;
	}
	tickets_share_work(&scratch->workers, queue_fill, &filling, nqueues);
	return nqueues;
}

/* The heap */

/* Compare without branches, because the better of two children is unpredictable. */
static inline bool entry_before(const struct queue_heap *heap, const struct queue_entry *a, const struct queue_entry *b)
{
	(void)heap;
	return (a->rank > b->rank) | ((a->rank == b->rank) & (a->turn < b->turn));
}

void queue_heap_sink(struct queue_heap *heap, size_t i)
{
	heap_sink(heap->items, heap->n, i, entry_before, heap);
}

void queue_heap_build(struct queue_heap *heap)
{
	heap_build(heap->items, heap->n, entry_before, heap);
}

void queue_heap_pop(struct queue_heap *heap)
{
	heap->items[0] = heap->items[--heap->n];
	if (heap->n > 0)
		queue_heap_sink(heap, 0);
}
