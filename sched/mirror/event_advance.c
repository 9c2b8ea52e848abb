/* SPDX-License-Identifier: Apache-2.0 */
/* Events about advance reservations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/mirror/inside.h"

/* Release the strings of a reservation. */
static void drop(struct mirror *mirror, struct advance_reservation *reservation)
{
	for (size_t k = 0; k < ADVANCE_TEXTS; k++)
		strings_drop(mirror->strings, reservation->texts[k]);
	for (size_t k = 0; k < reservation->ngranted; k++)
		strings_drop(mirror->strings, reservation->granted[k].queue);
	free(reservation->granted);
}

void reported_advances_free(struct mirror *mirror, struct state *state)
{
	for (size_t i = 0; i < state->nadvances; i++)
		drop(mirror, &state->advances[i]);
	free(state->advances);
	free(state->advance_numbers);
	index_free(&state->advance_index);
}

static int texts_hold(struct mirror *mirror, struct advance_reservation *reservation, const struct advance_event *event)
{
	int rc = 0;

	for (size_t k = 0; k < ADVANCE_TEXTS; k++) {
		bool given = event->texts[k] && *event->texts[k];

		reservation->texts[k] = given ? strings_hold(mirror->strings, event->texts[k]) : NONE;
		if (given && reservation->texts[k] == NONE)
			rc = -ENOMEM;
	}
	return rc;
}

static int granted_hold(struct mirror *mirror, struct advance_reservation *reservation, const struct grants *granted)
{
	reservation->granted = calloc(granted->n + 1, sizeof(*reservation->granted));
	for (; reservation->granted && reservation->ngranted < granted->n; reservation->ngranted++) {
		const struct granted *from = &granted->items[reservation->ngranted];

		reservation->granted[reservation->ngranted] =
			(struct granted_entry){ strings_hold(mirror->strings, from->queue), from->slots };
		if (reservation->granted[reservation->ngranted].queue == NONE)
			return -ENOMEM;
	}
	return reservation->granted ? 0 : -ENOMEM;
}

static int reserve(struct state *state)
{
	if (array_reserve(&state->advances_capacity, state->nadvances + 1, COLUMN(state->advances),
			  COLUMN(state->advance_numbers)))
		return -ENOMEM;
	return index_reserve(&state->advance_index, state->advance_numbers);
}

/* Set or add a reservation. reserve() has been called. */
static void put(struct mirror *mirror, struct state *state, uint32_t number, const struct advance_reservation *a)
{
	uint32_t i = index_find(&state->advance_index, state->advance_numbers, number);

	if (i == INDEX_NONE) {
		granted_touch_places(state, a->granted, a->ngranted, a->granted_pe, mirror->strings);
		i = (uint32_t)state->nadvances++;
		state->advance_numbers[i] = number;
		index_insert(&state->advance_index, state->advance_numbers, i);
	} else {
		drop(mirror, &state->advances[i]);
	}
	state->advances[i] = *a;
}

static int check(const struct advance_event *event, struct error *error)
{
	if (event->number == 0)
		return error_set(error, -EINVAL, "\"number\" is 0: advance reservations count from 1");
	if (strlen(event->state) != 1 || !strchr(ADVANCE_STATES, *event->state))
		return error_set(error, -EINVAL, "\"state\" is \"%.40s\": allowed is one of the letters w W r E d",
				 event->state);
	if (event->end_time <= event->start_time)
		return error_set(error, -EINVAL, "\"end_time\" %lld is not after \"start_time\" %lld",
				 (long long)event->end_time, (long long)event->start_time);
	if (event->granted.n == 0)
		return error_set(error, -EINVAL, "\"granted\" is empty");
	return 0;
}

int mirror_advance(struct mirror *mirror, const struct advance_event *event, struct error *error)
{
	struct advance_reservation reservation = { .submission_time = event->submission_time,
						   .start_time = event->start_time,
						   .end_time = event->end_time,
						   .hard_error = event->hard_error };
	struct state *state = mirror_target(mirror);
	int rc = check(event, error);

	if (rc)
		return rc;
	if (texts_hold(mirror, &reservation, event) || granted_hold(mirror, &reservation, &event->granted) ||
	    reserve(state)) {
		drop(mirror, &reservation);
		return error_set(error, -ENOMEM, "out of memory");
	}
	put(mirror, state, event->number, &reservation);
	return 0;
}

/* Delete a reservation. The last one moves into the gap. */
int mirror_advance_delete(struct mirror *mirror, uint32_t number, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t gap = index_find(&state->advance_index, state->advance_numbers, number),
		 last = (uint32_t)state->nadvances - 1;

	if (gap == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no advance reservation %u", number);
	granted_touch_places(state, state->advances[gap].granted, state->advances[gap].ngranted,
			     state->advances[gap].granted_pe, mirror->strings);
	drop(mirror, &state->advances[gap]);
	index_remove(&state->advance_index, state->advance_numbers, number);
	if (gap != last) {
		index_remove(&state->advance_index, state->advance_numbers, state->advance_numbers[last]);
		state->advances[gap] = state->advances[last];
		state->advance_numbers[gap] = state->advance_numbers[last];
		index_insert(&state->advance_index, state->advance_numbers, gap);
	}
	state->nadvances--;
	return 0;
}
