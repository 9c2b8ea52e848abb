/* SPDX-License-Identifier: Apache-2.0 */
/* Usage booked for jobs that still run, by job number, and for each of their tasks. */
#include <stdlib.h>
#include <string.h>

#include "conf/base/search.h"
#include "sched/mirror/state.h"

/* Tasks of a job */

/* Return the index of a task, or the index at which to insert it. */
static size_t task_place(const struct debited *debited, uint32_t id, int64_t start_time)
{
	const struct debited_task *task = debited->tasks;
	size_t place;

	lower_bound(place, debited->ntasks,
		    task[place].id < id || (task[place].id == id && task[place].start_time < start_time));
	return place;
}

struct debited_task *debited_find_task(const struct debited *debited, uint32_t id, int64_t start_time)
{
	size_t place = task_place(debited, id, start_time);
	struct debited_task *task = &debited->tasks[place];

	return place < debited->ntasks && task->id == id && task->start_time == start_time ? task : NULL;
}

struct debited_task *debited_get_task(struct debited *debited, uint32_t id, int64_t start_time)
{
	size_t place = task_place(debited, id, start_time);
	struct debited_task *task = debited_find_task(debited, id, start_time);

	if (task)
		return task;
	if (debited->ntasks == debited->capacity) {
		size_t capacity = debited->capacity ? 2 * debited->capacity : 1;

		task = realloc(debited->tasks, capacity * sizeof(*task));
		if (!task)
			return NULL;
		debited->tasks = task;
		debited->capacity = capacity;
	}
	task = &debited->tasks[place];
	memmove(task + 1, task, (debited->ntasks - place) * sizeof(*task));
	debited->ntasks++;
	*task = (struct debited_task){ .id = id, .start_time = start_time };
	return task;
}

void debited_remove_task(struct debited *debited, struct debited_task *task)
{
	usage_free(&task->usage);
	memmove(task, task + 1, (size_t)(debited->tasks + debited->ntasks - (task + 1)) * sizeof(*task));
	debited->ntasks--;
}

void debited_free(struct debited *debited)
{
	for (size_t i = 0; i < debited->ntasks; i++)
		usage_free(&debited->tasks[i].usage);
	free(debited->tasks);
	usage_free(&debited->usage);
	*debited = (struct debited){ 0 };
}

/* Jobs */

struct debited *debited_find(const struct state *state, uint32_t number)
{
	uint32_t i = index_find(&state->debited_index, state->debited_numbers, number);

	return i == INDEX_NONE ? NULL : &state->debited[i];
}

struct debited *debited_add(struct state *state, uint32_t number)
{
	struct debited *found = debited_find(state, number);

	if (found)
		return found;
	if (state->ndebited == state->debited_capacity) {
		size_t capacity = 2 * state->debited_capacity + 64;
		struct debited *debited = realloc(state->debited, capacity * sizeof(*debited));
		uint32_t *numbers = debited ? realloc(state->debited_numbers, capacity * sizeof(*numbers)) : NULL;

		state->debited = debited ? debited : state->debited;
		if (!numbers)
			return NULL;
		state->debited_numbers = numbers;
		state->debited_capacity = capacity;
	}
	if (index_reserve(&state->debited_index, state->debited_numbers))
		return NULL;
	state->debited_numbers[state->ndebited] = number;
	state->debited[state->ndebited] = (struct debited){ 0 };
	index_insert(&state->debited_index, state->debited_numbers, (uint32_t)state->ndebited);
	return &state->debited[state->ndebited++];
}

/* Remove a job. The last entry moves into the gap. */
void debited_remove(struct state *state, uint32_t number)
{
	uint32_t gap = index_find(&state->debited_index, state->debited_numbers, number),
		 last = (uint32_t)state->ndebited - 1;

	if (gap == INDEX_NONE)
		return;
	debited_free(&state->debited[gap]);
	index_remove(&state->debited_index, state->debited_numbers, number);
	if (gap != last) {
		index_remove(&state->debited_index, state->debited_numbers, state->debited_numbers[last]);
		state->debited[gap] = state->debited[last];
		state->debited_numbers[gap] = state->debited_numbers[last];
		index_insert(&state->debited_index, state->debited_numbers, gap);
	}
	state->ndebited--;
}
