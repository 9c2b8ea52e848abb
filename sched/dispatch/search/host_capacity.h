/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times from which hosts have room for the jobs of a category in a PE: the data that searches
 * for reservations keep for a run. host_room.h has the searches.
 */
#ifndef SCHED_DISPATCH_SEARCH_HOST_CAPACITY_H
#define SCHED_DISPATCH_SEARCH_HOST_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Create it for hosts 0..nhosts-1, each with room at all times. Return NULL if memory is exhausted.
 */
struct host_capacity *host_capacity_create(size_t nhosts);
void host_capacity_free(struct host_capacity *capacity);	/* NULL is allowed */
/* Forget the times: each host may have room at all times. */
void host_capacity_forget(struct host_capacity *capacity, size_t nhosts);

/*
 * Take the host with the earliest time out of the heap. host_capacity_put_back() undoes the last
 * take; the time of the host may have changed.
 */
uint32_t host_capacity_take(struct host_capacity *capacity);
void host_capacity_put_back(struct host_capacity *capacity);
/* Count the hosts that may have room at a time. Stop counting at `most`. */
size_t host_capacity_count(const struct host_capacity *capacity, int64_t at, size_t most);

#endif
