/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks, found by job and id, and chained by id. */
#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/state.h"

uint32_t tasks_find(const struct state *state, uint32_t row, uint32_t id)
{
	return pool_find(&state->tasks.pool, (const uint32_t[]){ row, id });
}

/*
 * Insert a task into its job's chain. Tasks usually start in the order of their ids, so the
 * position is searched from the end, which the first task refers to. The beginning is checked
 * before. Any other order costs one step for each started task of the job with a higher id.
 */
static void chain(struct state *state, uint32_t task)
{
	struct task *items = state->tasks.items;
	uint32_t *first = &state->jobs.first_task[items[task].row], last, before, behind = NONE;

	last = before = *first == NONE ? NONE : items[*first].previous;
	if (before != NONE && items[*first].id > items[task].id) {
		behind = *first;
		before = NONE;
	}
	while (before != NONE && items[before].id > items[task].id) {
		behind = before;
		before = items[before].previous;
	}
	items[task].next = behind;
	items[task].previous = before != NONE ? before : behind != NONE ? last : task;
	if (before != NONE)
		items[before].next = task;
	else
		*first = task;
	if (behind != NONE)
		items[behind].previous = task;
	else
		items[*first].previous = task;
}

static void unchain(struct state *state, uint32_t task)
{
	struct task *items = state->tasks.items, *t = &items[task];
	uint32_t *first = &state->jobs.first_task[t->row];

	if (task == *first)
		*first = t->next;
	else
		items[t->previous].next = t->next;
	if (t->next != NONE)
		items[t->next].previous = t->previous;
	else if (*first != NONE)
		items[*first].previous = t->previous;
}

uint32_t tasks_insert(struct state *state, uint32_t row, uint32_t id)
{
	struct tasks *tasks = &state->tasks;
	uint32_t task;
	bool is_new;

	if (pool_reserve(&tasks->pool))
		return NONE;
	if (tasks->pool.capacity > tasks->capacity) {
		struct task *larger = realloc(tasks->items, tasks->pool.capacity * sizeof(*larger));

		if (!larger)
			return NONE;
		tasks->items = larger;
		tasks->capacity = tasks->pool.capacity;
	}
	task = pool_hold(&tasks->pool, (const uint32_t[]){ row, id }, &is_new);
	tasks->items[task] = (struct task){
		.row = row, .id = id, .state = "r", .granted_pe = NONE, .partition = NONE, .tres = NONE
	};
	chain(state, task);
	return task;
}

void task_drop_granted(struct task *task, struct strings *strings)
{
	for (size_t i = 0; i < task->ngranted; i++)
		strings_drop(strings, task->granted[i].queue);
	strings_drop(strings, task->granted_pe);
	strings_drop(strings, task->partition);
	strings_drop(strings, task->tres);
	free(task->granted);
	task->granted = NULL;
	task->ngranted = 0;
	task->granted_pe = task->partition = task->tres = NONE;
}

uint64_t used_pe_place(const struct state *state, uint32_t name)
{
	for (size_t i = 0; i < state->nused_pes; i++)
		if (state->used_pes[i].name == name)
			return state->used_pes[i].place;
	return 0;
}

/* Set the place of a PE. A linear search is enough for few PEs. */
int used_pe_set(struct state *state, struct strings *strings, const char *name, uint64_t place)
{
	uint32_t id = strings_find(strings, name);
	struct used_pe *larger;

	state->places = place > state->places ? place : state->places;
	for (size_t i = 0; i < state->nused_pes; i++)
		if (state->used_pes[i].name == id) {
			state->used_pes[i].place = place;
			return 0;
		}
	larger = reallocarray(state->used_pes, state->nused_pes + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	state->used_pes = larger;
	id = strings_hold(strings, name);
	if (id != NONE)
		state->used_pes[state->nused_pes++] = (struct used_pe){ id, place };
	return id == NONE ? -ENOMEM : 0;
}

void granted_touch_places(struct state *state, const struct granted_entry *granted, size_t n, uint32_t pe,
			  struct strings *strings)
{
	for (size_t k = 0; k < n; k++) {
		uint32_t i = index_find(&state->instance_index, state->instance_names, granted[k].queue);

		if (i != INDEX_NONE)
			state->instances[i].place = ++state->places;
	}
	if (pe != NONE)
		/* without memory the old place is kept */
		used_pe_set(state, strings, strings_text(strings, pe), state->places + 1);
}

void task_touch_places(struct state *state, const struct task *task, struct strings *strings)
{
	granted_touch_places(state, task->granted, task->ngranted, task->granted_pe, strings);
}

void tasks_remove(struct state *state, uint32_t task, struct strings *strings)
{
	struct task *t = &state->tasks.items[task];

	unchain(state, task);
	task_drop_granted(t, strings);
	usage_free(&t->usage);
	*t = (struct task){ .row = NONE };
	pool_drop(&state->tasks.pool, task);
}
