/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations of parallel jobs, host by host: the time from which a host has room. In a run
 * bookings are only added and instances only leave the list. Therefore the time found for one
 * reservation of a category is never too late for the next one, and only hosts that may have room
 * by then are checked again. A negative request frees resources, and adjusted loads may fit later;
 * in these cases nothing is kept.
 *
 *     host_capacity_begin(&s, slots)     begin a search for at least `slots` slots in s->with
 *     host_may_have_room(&s, host)       at the time of the search
 *     hosts_suffice(&s, &since)          at that time, and at all times back to `since`
 */
#ifndef SCHED_DISPATCH_RESERVE_HOST_CAPACITY_H
#define SCHED_DISPATCH_RESERVE_HOST_CAPACITY_H

#include "sched/dispatch/reserve/reserve.h"

struct host_capacity {				/* per category and PE */
	/*
	 * Per host: it has no room before this time, as far as `failed` and later times are
	 * concerned.
	 */
	int64_t *from;
	uint32_t *heap;			/* hosts, the earliest time on top */
	size_t nheap;
	/* Per host: slots that load thresholds allow; UINT32_MAX if that depends on the time. */
	uint32_t *headroom;
	/* Slots of the job; minimum and maximum that a used host gives. */
	uint32_t slots, least, most;
	/* Latest time at which all hosts together did not suffice. */
	int64_t failed;
	/*
	 * Every host with room can give it: quotas, the master queue and thresholds on consumables
	 * do not matter.
	 */
	bool are_all;
};

int host_capacity_begin(struct search *search, uint32_t slots);	/* return 0 or -ENOMEM */
void host_capacity_free(struct host_capacity *capacity);

/*
 * Return whether an attempt would succeed at this time and at all times back to `since`. Call only
 * with `are_all`.
 */
bool hosts_suffice(struct search *search, int64_t *since);

/* Return whether the host can give anything at the time of the search. */
static inline bool host_may_have_room(const struct search *search, uint32_t host)
{
	return search->with->capacity->from[host] <= search->begin;
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
