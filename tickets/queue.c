/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

static int reserve_tasks(struct ticket_scratch *s, size_t n)
{
	if (n <= s->tasks)
		return 0;
	n += n / 4;
	if (array_grow(&s->ranked, n, sizeof(*s->ranked)) || array_grow(&s->ranked_other, n, sizeof(*s->ranked_other)) ||
	    array_grow(&s->members, n, sizeof(uint32_t)) || array_grow(&s->sorted, n, sizeof(uint32_t)) ||
	    array_grow(&s->age, n, sizeof(uint32_t)) || array_grow(&s->by_number, n, sizeof(uint32_t)))
		return -ENOMEM;
	s->tasks = n;
	return 0;
}

static int reserve_classes(struct ticket_scratch *s, size_t n)
{
	size_t table_size = s->table_size ? s->table_size : 64;

	if (n <= s->classes)
		return 0;
	n += n / 4;
	while (table_size < 2 * n)
		table_size *= 2;
	if (array_grow(&s->queues, n, sizeof(*s->queues)) || array_grow(&s->heap, n, sizeof(*s->heap)) ||
	    array_grow(&s->groups, n, sizeof(*s->groups)) || array_grow(&s->group_heap, n, sizeof(*s->group_heap)) ||
	    array_grow(&s->queue_of_class, n, sizeof(uint32_t)) || array_grow(&s->table, table_size, sizeof(uint32_t)))
		return -ENOMEM;
	s->table_size = table_size;
	s->classes = n;
	return 0;
}

int ticket_scratch_reserve(struct ticket_scratch *s, size_t tasks, size_t classes)
{
	if (reserve_tasks(s, tasks) || reserve_classes(s, classes))
		return -ENOMEM;
	return 0;
}

void ticket_scratch_free(struct ticket_scratch *s)
{
	free(s->ranked);
	free(s->ranked_other);
	free(s->members);
	free(s->sorted);
	free(s->age);
	free(s->by_number);
	free(s->queues);
	free(s->heap);
	free(s->groups);
	free(s->group_heap);
	free(s->queue_of_class);
	free(s->table);
	*s = (struct ticket_scratch){ 0 };
}

/* ---- which queue a class belongs to ------------------------------------------------------------------------------ */

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

static uint32_t queue_find_or_add(struct ticket_scratch *s, const struct task_queue *key, size_t *nqueues)
{
	size_t mask = s->table_size - 1, slot = key_hash(key) & mask;

	while (s->table[slot] != TICKETS_NONE) {
		if (key_equal(&s->queues[s->table[slot]], key))
			return s->table[slot];
		slot = (slot + 1) & mask;
	}
	s->table[slot] = (uint32_t)*nqueues;
	s->queues[*nqueues] = *key;
	return (uint32_t)(*nqueues)++;
}

/* Queues with the number of their tasks in `end`. */
static size_t queues_count(const struct ticket_classes *classes, const struct sharers *sharers, bool override, struct ticket_scratch *s)
{
	size_t nqueues = 0;

	if (s->table_size > 0)
		memset(s->table, 0xff, s->table_size * sizeof(*s->table));
	for (size_t i = 0; i < classes->norder; i++) {
		const struct ticket_class *c = &classes->items[classes->order[i]];
		struct task_queue key;
		uint32_t q = TICKETS_NONE;

		if (class_key(c, sharers, override, &key)) {
			q = queue_find_or_add(s, &key, &nqueues);
			s->queues[q].end += c->pending;
		}
		s->queue_of_class[classes->order[i]] = q;
	}
	return nqueues;
}

/* ---- the tasks in each queue --------------------------------------------------------------------------------------- */

static void queues_fill(const struct ticket_tasks *pending, const uint32_t *age, struct ticket_scratch *s)
{
	uint32_t *by_age = NULL;

	if (age) {
		by_age = s->sorted;
		for (size_t i = 0; i < pending->n; i++)
			by_age[age[i]] = (uint32_t)i;
	}
	for (size_t k = 0; k < pending->n; k++) {
		uint32_t task = by_age ? by_age[k] : (uint32_t)k;
		uint32_t q = s->queue_of_class[pending->class_id[task]];

		if (q != TICKETS_NONE)
			s->members[s->queues[q].end++] = task;
	}
}

size_t queues_build(const struct ticket_classes *classes, const struct sharers *sharers, const struct ticket_tasks *pending,
		    bool override, bool dependent, struct ticket_scratch *s)
{
	size_t nqueues = queues_count(classes, sharers, override, s);
	uint32_t begin = 0;

	for (size_t q = 0; q < nqueues; q++) {
		uint32_t n = s->queues[q].end;

		s->queues[q].begin = s->queues[q].end = begin;
		begin += n;
	}
	queues_fill(pending, dependent ? s->age_position : NULL, s);
	for (size_t q = 0; q < nqueues; q++) {
		if (dependent)
			accumulated_sort(s->members + s->queues[q].begin, s->sorted, s->queues[q].end - s->queues[q].begin,
					 pending->tickets, s->age_position);
		queue_head(&s->queues[q], pending, s);
	}
	return nqueues;
}

/* ---- the heap ------------------------------------------------------------------------------------------------------- */

static inline bool head_before(const struct queue_heap *h, const struct task_queue *a, const struct task_queue *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (h->by_submission && a->submission != b->submission)
		return a->submission < b->submission;
	return a->number != b->number ? a->number < b->number : a->task < b->task;
}

void queue_heap_sink(struct queue_heap *h, size_t i)
{
	struct task_queue *sinking = h->items[i];

	for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && head_before(h, h->items[child + 1], h->items[child]))
			child++;
		if (!head_before(h, h->items[child], sinking))
			break;
		h->items[i] = h->items[child];
	}
	h->items[i] = sinking;
}

void queue_heap_build(struct queue_heap *h)
{
	for (size_t i = h->n / 2; i-- > 0; )
		queue_heap_sink(h, i);
}

void queue_heap_pop(struct queue_heap *h)
{
	h->items[0] = h->items[--h->n];
	if (h->n > 0)
		queue_heap_sink(h, 0);
}
