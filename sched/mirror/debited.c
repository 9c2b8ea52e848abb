/* SPDX-License-Identifier: Apache-2.0 */
/* What was booked for jobs that still run, by job number, and of that for each of their tasks. */
#include <stdlib.h>
#include <string.h>

#include "conf/search.h"
#include "sched/mirror/state.h"

/* Tasks of a job */

/* Where it is, or would be. */
static size_t task_place(const struct debited *d, uint32_t id, int64_t start_time)
{
	const struct debited_task *t = d->tasks;
	size_t place;

	lower_bound(place, d->ntasks, t[place].id < id || (t[place].id == id && t[place].start_time < start_time));
	return place;
}

struct debited_task *debited_find_task(const struct debited *d, uint32_t id, int64_t start_time)
{
	size_t place = task_place(d, id, start_time);
	struct debited_task *t = &d->tasks[place];

	return place < d->ntasks && t->id == id && t->start_time == start_time ? t : NULL;
}

struct debited_task *debited_get_task(struct debited *d, uint32_t id, int64_t start_time)
{
	size_t place = task_place(d, id, start_time);
	struct debited_task *t = debited_find_task(d, id, start_time);

	if (t)
		return t;
	if (d->ntasks == d->capacity) {
		size_t capacity = d->capacity ? 2 * d->capacity : 1;

		t = realloc(d->tasks, capacity * sizeof(*t));
		if (!t)
			return NULL;
		d->tasks = t;
		d->capacity = capacity;
	}
	t = &d->tasks[place];
	memmove(t + 1, t, (d->ntasks - place) * sizeof(*t));
	d->ntasks++;
	*t = (struct debited_task){ .id = id, .start_time = start_time };
	return t;
}

void debited_remove_task(struct debited *d, struct debited_task *task)
{
	usage_free(&task->usage);
	memmove(task, task + 1, (size_t)(d->tasks + d->ntasks - (task + 1)) * sizeof(*task));
	d->ntasks--;
}

void debited_free(struct debited *d)
{
	for (size_t i = 0; i < d->ntasks; i++)
		usage_free(&d->tasks[i].usage);
	free(d->tasks);
	usage_free(&d->usage);
	*d = (struct debited){ 0 };
}

/* Jobs */

struct debited *debited_find(const struct state *s, uint32_t number)
{
	uint32_t i = index_find(&s->debited_index, s->debited_numbers, number);

	return i == INDEX_NONE ? NULL : &s->debited[i];
}

struct debited *debited_add(struct state *s, uint32_t number)
{
	struct debited *found = debited_find(s, number);

	if (found)
		return found;
	if (s->ndebited == s->debited_capacity) {
		size_t capacity = 2 * s->debited_capacity + 64;
		struct debited *debited = realloc(s->debited, capacity * sizeof(*debited));
		uint32_t *numbers = debited ? realloc(s->debited_numbers, capacity * sizeof(*numbers)) : NULL;

		s->debited = debited ? debited : s->debited;
		if (!numbers)
			return NULL;
		s->debited_numbers = numbers;
		s->debited_capacity = capacity;
	}
	if (index_reserve(&s->debited_index, s->debited_numbers))
		return NULL;
	s->debited_numbers[s->ndebited] = number;
	s->debited[s->ndebited] = (struct debited){ 0 };
	index_insert(&s->debited_index, s->debited_numbers, (uint32_t)s->ndebited);
	return &s->debited[s->ndebited++];
}

/* The last one moves into the gap. */
void debited_remove(struct state *s, uint32_t number)
{
	uint32_t gap = index_find(&s->debited_index, s->debited_numbers, number), last = (uint32_t)s->ndebited - 1;

	if (gap == INDEX_NONE)
		return;
	debited_free(&s->debited[gap]);
	index_remove(&s->debited_index, s->debited_numbers, number);
	if (gap != last) {
		index_remove(&s->debited_index, s->debited_numbers, s->debited_numbers[last]);
		s->debited[gap] = s->debited[last];
		s->debited_numbers[gap] = s->debited_numbers[last];
		index_insert(&s->debited_index, s->debited_numbers, gap);
	}
	s->ndebited--;
}
