/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations of parallel jobs, host by host: since when does a host have room? In a run bookings
 * are only added and instances only leave the list, so what was found out for one reservation of a
 * category is never too late for the next: only hosts that may have room by then are looked at
 * again. A negative request gives back, and what loads adjust may fit later: nothing is kept then.
 *
 *     host_capacity_begin(&s, slots)     a search for so many slots or more, in the PE s->with
 *     host_may_have_room(&s, host)       at the moment of the search
 *     hosts_suffice(&s, &since)          at that moment, and at each one back to `since`
 */
#ifndef SCHED_DISPATCH_RESERVE_HOST_CAPACITY_H
#define SCHED_DISPATCH_RESERVE_HOST_CAPACITY_H

#include "sched/dispatch/reserve/reserve.h"

struct host_capacity {				/* of a category in a PE */
	/* by host: it has no room before, as far as `failed` and later moments go */
	int64_t *from;
	uint32_t *heap;			/* hosts, the earliest on top */
	size_t nheap;
	/*
	 * by host: what load thresholds allow; UINT32_MAX where that is not the same at all moments
	 */
	uint32_t *headroom;
	/* slots: of the job; that a host must give to take part; that it may give */
	uint32_t slots, least, most;
	/* the latest moment at which all hosts together have not been enough */
	int64_t failed;
	/*
	 * whoever has room gives it: neither quotas nor the master queue matter, nor thresholds on
	 * consumables
	 */
	bool are_all;
};

int host_capacity_begin(struct search *search, uint32_t slots);	/* -ENOMEM */
void host_capacity_free(struct host_capacity *capacity);

/* Only with `are_all`. True: an attempt would succeed, at this moment and at all moments since. */
bool hosts_suffice(struct search *search, int64_t *since);

/* False: the host gives nothing. */
static inline bool host_may_have_room(const struct search *search, uint32_t host)
{
	return search->with->capacity->from[host] <= search->begin;
}

/*
 * May only few hosts have room at that moment? Told only with `are_all`: else there are too many
 * attempts to count.
 */
bool hosts_are_few(const struct search *search);

/* An attempt has found so many slots on a host. */
void host_was_visited(struct search *search, uint32_t host, uint32_t slots);

/*
 * shortage.c: the first change behind the last moment of the search at which an object has too
 * little room for so many slots; INT64_MIN: it has enough all the time. Where rounding decides
 * whether that is too little, it is, or it is not.
 */
enum doubt { DOUBT_IS_SHORTAGE, DOUBT_IS_ENOUGH };
int64_t shortage_end(const struct search *search, enum level level, uint32_t object, uint32_t slots, enum doubt doubt);

#endif
