/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natural merge sort of task indices. What is sorted here was sorted a moment ago by nearly the same key, or stands in job list order,
 * which is nearly age: runs that are in order already are found and merged pairwise, so sorted input costs one pass and
 * r runs cost log2(r).
 */
#include <string.h>

#include "tickets/queue.h"

struct sort {
	const struct tickets *tickets;
	const uint32_t *position;	/* ascending among equal keys; NULL: the task itself */
	const struct ticket_tasks *tasks;
};

static inline bool by_position(const struct sort *s, uint32_t a, uint32_t b)
{
	return s->position ? s->position[a] < s->position[b] : a < b;
}

static inline bool by_accumulated(const struct sort *s, uint32_t a, uint32_t b)
{
	double x = s->tickets[a].accumulated, y = s->tickets[b].accumulated;

	return x != y ? x > y : by_position(s, a, b);
}

static inline bool by_key(const struct sort *s, struct ranked a, struct ranked b)
{
	return a.key != b.key ? a.key > b.key : by_position(s, a.task, b.task);
}

static inline bool by_number(const struct sort *s, uint32_t a, uint32_t b)
{
	const struct ticket_tasks *t = s->tasks;

	if (t->job_number[a] != t->job_number[b])
		return t->job_number[a] < t->job_number[b];
	return t->task[a] < t->task[b];
}

static inline bool by_age(const struct sort *s, uint32_t a, uint32_t b)
{
	const struct ticket_tasks *t = s->tasks;

	if (t->submission[a] != t->submission[b])
		return t->submission[a] < t->submission[b];
	return by_number(s, a, b);
}

/* One instance for each order, so that the comparison is inlined. Returns where the sorted items are: `from` or `to`. */
#define DEFINE_MERGE_SORT(NAME, TYPE, BEFORE)								\
static size_t NAME##_run(const struct sort *s, const TYPE *items, size_t begin, size_t n)			\
{													\
	size_t end = begin + 1;										\
	while (end < n && !BEFORE(s, items[end], items[end - 1]))					\
		end++;											\
	return end;											\
}													\
													\
static void NAME##_merge(const struct sort *s, const TYPE *from, size_t a, size_t middle, size_t end, TYPE *to)	\
{													\
	size_t b = middle;										\
	for (size_t k = a; k < end; k++)								\
		to[k] = b >= end || (a < middle && !BEFORE(s, from[b], from[a])) ? from[a++] : from[b++];	\
}													\
													\
static TYPE *NAME##_sort_runs(const struct sort *s, TYPE *from, TYPE *to, size_t n)			\
{													\
	while (n > 0 && NAME##_run(s, from, 0, n) < n) {						\
		for (size_t begin = 0; begin < n; ) {							\
			size_t middle = NAME##_run(s, from, begin, n);					\
			size_t end = middle < n ? NAME##_run(s, from, middle, n) : n;			\
			NAME##_merge(s, from, begin, middle, end, to);					\
			begin = end;									\
		}											\
		TYPE *swap = from;									\
		from = to;										\
		to = swap;										\
	}												\
	return from;											\
}

DEFINE_MERGE_SORT(accumulated, uint32_t, by_accumulated)
DEFINE_MERGE_SORT(ranked, struct ranked, by_key)
DEFINE_MERGE_SORT(number, uint32_t, by_number)
DEFINE_MERGE_SORT(age, uint32_t, by_age)

void accumulated_sort(uint32_t *tasks, uint32_t *other, size_t n, const struct tickets *tickets, const uint32_t *position)
{
	struct sort s = { .tickets = tickets, .position = position };
	const uint32_t *sorted = accumulated_sort_runs(&s, tasks, other, n);

	if (sorted != tasks)
		memcpy(tasks, sorted, n * sizeof(*tasks));
}

void ranked_sort(struct ranked *items, struct ranked *other, size_t n, const uint32_t *position)
{
	struct sort s = { .position = position };
	const struct ranked *sorted = ranked_sort_runs(&s, items, other, n);

	if (sorted != items)
		memcpy(items, sorted, n * sizeof(*items));
}

/* Turn a permutation into positions: where each task stands in it. */
static const uint32_t *positions(const uint32_t *permutation, size_t n, uint32_t *position)
{
	for (size_t k = 0; k < n; k++)
		position[permutation[k]] = (uint32_t)k;
	return position;
}

static uint32_t *identity(uint32_t *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items[i] = (uint32_t)i;
	return items;
}

const uint32_t *tasks_by_age(const struct ticket_tasks *tasks, struct ticket_scratch *scratch)
{
	struct sort s = { .tasks = tasks };

	identity(scratch->members, tasks->n);
	if (tasks->n == 0 || age_run(&s, scratch->members, 0, tasks->n) == tasks->n)
		return NULL;
	return positions(age_sort_runs(&s, scratch->members, scratch->sorted, tasks->n), tasks->n, scratch->age);
}

const uint32_t *tasks_by_number(const struct ticket_tasks *tasks, struct ticket_scratch *scratch)
{
	struct sort s = { .tasks = tasks };

	identity(scratch->members, tasks->n);
	if (tasks->n == 0 || number_run(&s, scratch->members, 0, tasks->n) == tasks->n)
		return NULL;
	return positions(number_sort_runs(&s, scratch->members, scratch->sorted, tasks->n), tasks->n, scratch->by_number);
}
