/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations of parallel jobs, host by host: the time from which a host has room. In a run
 * bookings are only added and instances only leave the list. Therefore the time found for one
 * reservation of a category is never too late for the next one, and only hosts that may have room
 * by then are checked again. A negative request frees resources, and adjusted loads may fit later;
 * in these cases nothing is kept.
 *
 *     host_room_begin(&s, slots)         begin a search for at least `slots` slots in s->with
 *     host_may_have_room(&s, host)       at the time of the search
 *     hosts_suffice(&s, &since)          at that time, and at all times back to `since`
 */
#ifndef SCHED_DISPATCH_SEARCH_HOST_ROOM_H
#define SCHED_DISPATCH_SEARCH_HOST_ROOM_H

#include "sched/dispatch/search/host_capacity.h"
#include "sched/dispatch/search/search.h"

int host_room_begin(struct search *search, uint32_t slots);	/* return 0 or -ENOMEM */
/* Return whether the results for one reservation stay true for the next one. */
bool host_room_keeps(const struct search *search);

/*
 * Return whether an attempt would succeed at this time and at all times back to `since`. Call only
 * with `are_all`.
 */
bool hosts_suffice(struct search *search, int64_t *since);

/* Return whether the host can give anything at the time of the search. */
static inline bool host_may_have_room(const struct search *search, uint32_t host)
{
	return search->with->capacity->from[host] <= search->question.begin;
}

/*
 * Return whether only few hosts have room at that time. False without `are_all`, since there are
 * too many attempts to count.
 */
bool hosts_are_few(const struct search *search);

/* Record that an attempt has found `slots` slots on a host. */
void host_was_visited(struct search *search, uint32_t host, uint32_t slots);

/*
 * shortage.c: Return the first change after the last time of the search at which an object has too
 * little room for `slots` slots. INT64_MIN: it always has enough. `doubt` decides the cases that
 * depend on rounding.
 */
enum doubt { DOUBT_IS_SHORTAGE, DOUBT_IS_ENOUGH };
int64_t shortage_end(const struct search *search, enum level level, uint32_t object, uint32_t slots, enum doubt doubt);

#endif
