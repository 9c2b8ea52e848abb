/* SPDX-License-Identifier: Apache-2.0 */
/* Started tasks, found by job and id and chained by id. */
#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/state.h"

uint32_t tasks_find(const struct state *s, uint32_t row, uint32_t id)
{
	return pool_find(&s->tasks.pool, (const uint32_t[]){ row, id });
}

/*
 * Tasks start in the order of their ids as a rule, so the place is looked for from the end, which
 * the first one leads to; before that, at the beginning. Any other order costs as many steps as
 * started tasks of the job have higher ids.
 */
static void chain(struct state *s, uint32_t task)
{
	struct task *items = s->tasks.items;
	uint32_t *first = &s->jobs.first_task[items[task].row], last, before, behind = NONE;

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

static void unchain(struct state *s, uint32_t task)
{
	struct task *items = s->tasks.items, *t = &items[task];
	uint32_t *first = &s->jobs.first_task[t->row];

	if (task == *first)
		*first = t->next;
	else
		items[t->previous].next = t->next;
	if (t->next != NONE)
		items[t->next].previous = t->previous;
	else if (*first != NONE)
		items[*first].previous = t->previous;
}

uint32_t tasks_insert(struct state *s, uint32_t row, uint32_t id)
{
	struct tasks *t = &s->tasks;
	uint32_t task;
	bool is_new;

	if (pool_reserve(&t->pool))
		return NONE;
	if (t->pool.capacity > t->capacity) {
		struct task *larger = realloc(t->items, t->pool.capacity * sizeof(*larger));

		if (!larger)
			return NONE;
		t->items = larger;
		t->capacity = t->pool.capacity;
	}
	task = pool_hold(&t->pool, (const uint32_t[]){ row, id }, &is_new);
	t->items[task] = (struct task){ .row = row, .id = id, .state = "r", .granted_pe = NONE, .partition = NONE, .tres = NONE };
	chain(s, task);
	return task;
}

void task_drop_granted(struct task *t, struct strings *strings)
{
	for (size_t i = 0; i < t->ngranted; i++)
		strings_drop(strings, t->granted[i].queue);
	strings_drop(strings, t->granted_pe);
	strings_drop(strings, t->partition);
	strings_drop(strings, t->tres);
	free(t->granted);
	t->granted = NULL;
	t->ngranted = 0;
	t->granted_pe = t->partition = t->tres = NONE;
}

uint64_t used_pe_place(const struct state *s, uint32_t name)
{
	for (size_t i = 0; i < s->nused_pes; i++)
		if (s->used_pes[i].name == name)
			return s->used_pes[i].place;
	return 0;
}

/* There are few PEs. */
int used_pe_set(struct state *s, struct strings *strings, const char *name, uint64_t place)
{
	uint32_t id = strings_find(strings, name);
	struct used_pe *larger;

	s->places = place > s->places ? place : s->places;
	for (size_t i = 0; i < s->nused_pes; i++)
		if (s->used_pes[i].name == id) {
			s->used_pes[i].place = place;
			return 0;
		}
	larger = reallocarray(s->used_pes, s->nused_pes + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	s->used_pes = larger;
	id = strings_hold(strings, name);
	if (id != NONE)
		s->used_pes[s->nused_pes++] = (struct used_pe){ id, place };
	return id == NONE ? -ENOMEM : 0;
}

void granted_touch_places(struct state *s, const struct granted_entry *granted, size_t n, uint32_t pe, struct strings *strings)
{
	for (size_t k = 0; k < n; k++) {
		uint32_t i = index_find(&s->instance_index, s->instance_names, granted[k].queue);

		if (i != INDEX_NONE)
			s->instances[i].place = ++s->places;
	}
	if (pe != NONE)
		/* one for which there is no memory keeps its place */
		used_pe_set(s, strings, strings_text(strings, pe), s->places + 1);
}

void task_touch_places(struct state *s, const struct task *t, struct strings *strings)
{
	granted_touch_places(s, t->granted, t->ngranted, t->granted_pe, strings);
}

void tasks_remove(struct state *s, uint32_t task, struct strings *strings)
{
	struct task *t = &s->tasks.items[task];

	unchain(s, task);
	task_drop_granted(t, strings);
	usage_free(&t->usage);
	*t = (struct task){ .row = NONE };
	pool_drop(&s->tasks.pool, task);
}
