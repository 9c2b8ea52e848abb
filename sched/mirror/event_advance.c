/* SPDX-License-Identifier: Apache-2.0 */
/* Events about advance reservations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/mirror/tables.h"

const struct advance_reservation *told_advance_find(const struct state *s, uint32_t number)
{
	uint32_t i = index_find(&s->advance_index, s->advance_numbers, number);

	return i == INDEX_NONE ? NULL : &s->advances[i];
}

/* What it holds. */
static void drop(struct mirror *m, struct advance_reservation *a)
{
	for (size_t k = 0; k < ADVANCE_TEXTS; k++)
		strings_drop(m->strings, a->texts[k]);
	for (size_t k = 0; k < a->ngranted; k++)
		strings_drop(m->strings, a->granted[k].queue);
	free(a->granted);
}

void told_advances_free(struct mirror *m, struct state *s)
{
	for (size_t i = 0; i < s->nadvances; i++)
		drop(m, &s->advances[i]);
	free(s->advances);
	free(s->advance_numbers);
	index_free(&s->advance_index);
}

static int texts_hold(struct mirror *m, struct advance_reservation *a, const struct advance_event *event)
{
	int rc = 0;

	for (size_t k = 0; k < ADVANCE_TEXTS; k++) {
		bool given = event->texts[k] && *event->texts[k];

		a->texts[k] = given ? strings_hold(m->strings, event->texts[k]) : NONE;
		if (given && a->texts[k] == NONE)
			rc = -ENOMEM;
	}
	return rc;
}

static int granted_hold(struct mirror *m, struct advance_reservation *a, const struct grants *granted)
{
	a->granted = calloc(granted->n + 1, sizeof(*a->granted));
	for (; a->granted && a->ngranted < granted->n; a->ngranted++) {
		const struct granted *from = &granted->items[a->ngranted];

		a->granted[a->ngranted] = (struct granted_entry){ strings_hold(m->strings, from->queue), from->slots };
		if (a->granted[a->ngranted].queue == NONE)
			return -ENOMEM;
	}
	return a->granted ? 0 : -ENOMEM;
}

static int reserve(struct state *s)
{
	size_t n = 2 * s->advances_capacity + 16;

	if (s->nadvances == s->advances_capacity) {
		if (array_grow(&s->advances, n, sizeof(*s->advances)) || array_grow(&s->advance_numbers, n, sizeof(*s->advance_numbers)))
			return -ENOMEM;
		s->advances_capacity = n;
	}
	return index_reserve(&s->advance_index, s->advance_numbers);
}

/* Room must have been reserved. */
static void put(struct mirror *m, struct state *s, uint32_t number, const struct advance_reservation *a)
{
	uint32_t i = index_find(&s->advance_index, s->advance_numbers, number);

	if (i == INDEX_NONE) {
		granted_touch_places(s, a->granted, a->ngranted, a->granted_pe, m->strings);
		i = (uint32_t)s->nadvances++;
		s->advance_numbers[i] = number;
		index_insert(&s->advance_index, s->advance_numbers, i);
	} else {
		drop(m, &s->advances[i]);
	}
	s->advances[i] = *a;
}

static int check(const struct advance_event *event, struct error *error)
{
	if (event->number == 0)
		return error_set(error, -EINVAL, "\"number\" is 0: advance reservations count from 1");
	if (strlen(event->state) != 1 || !strchr(ADVANCE_STATES, *event->state))
		return error_set(error, -EINVAL, "\"state\" is \"%.40s\": allowed is one of the letters w W r E d", event->state);
	if (event->end_time <= event->start_time)
		return error_set(error, -EINVAL, "\"end_time\" %lld is not behind \"start_time\" %lld", (long long)event->end_time,
				 (long long)event->start_time);
	if (event->granted.n == 0)
		return error_set(error, -EINVAL, "\"granted\" is empty");
	return 0;
}

int mirror_advance(struct mirror *m, const struct advance_event *event, struct error *error)
{
	struct advance_reservation a = { .submission_time = event->submission_time, .start_time = event->start_time,
					 .end_time = event->end_time, .hard_error = event->hard_error };
	struct state *s = mirror_target(m);
	int rc = check(event, error);

	if (rc)
		return rc;
	if (texts_hold(m, &a, event) || granted_hold(m, &a, &event->granted) || reserve(s)) {
		drop(m, &a);
		return error_set(error, -ENOMEM, "out of memory");
	}
	put(m, s, event->number, &a);
	return 0;
}

/* The last one moves into the gap. */
int mirror_advance_delete(struct mirror *m, uint32_t number, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t gap = index_find(&s->advance_index, s->advance_numbers, number), last = (uint32_t)s->nadvances - 1;

	if (gap == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no advance reservation %u", number);
	granted_touch_places(s, s->advances[gap].granted, s->advances[gap].ngranted, s->advances[gap].granted_pe, m->strings);
	drop(m, &s->advances[gap]);
	index_remove(&s->advance_index, s->advance_numbers, number);
	if (gap != last) {
		index_remove(&s->advance_index, s->advance_numbers, s->advance_numbers[last]);
		s->advances[gap] = s->advances[last];
		s->advance_numbers[gap] = s->advance_numbers[last];
		index_insert(&s->advance_index, s->advance_numbers, gap);
	}
	s->nadvances--;
	return 0;
}
