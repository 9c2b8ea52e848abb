/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations for jobs that cannot start now: sched_conf(5), max_reservation.
 *
 *     reserve_sequential.c   one slot: the first time after which all it needs stays free
 *     reserve_parallel.c     several slots: the first of a contiguous series of times at which they
 *                            are free
 *     └─ relevant.c          the times to try, at which a booking that matters to the
 *                            job changes
 *
 * For each reservation, Grid Engine 8.1.9 checks every instance. For several slots it makes a full
 * attempt at each time at which a booking begins or ends. With 20,000 running tasks that is 20,000
 * attempts over 10,000 instances. The following list has the improvements made here, the reasons
 * why they do not change the results, and the cost of the dispatch phase without each of them. The
 * costs are instructions of bench/dispatch --jobs 30000 --running 2 --reservations 1000, which
 * needs 1,695 million with all improvements.
 *
 * In a run bookings are only added and instances only leave the list. Therefore a result "no room
 * before" for one reservation of a category is never too late for the next one. Only objects that
 * may have room by then are checked again. That is not true after a negative request, which
 * frees resources, and for adjusted loads, which may fit later: reserve_keeps().
 *
 * - One slot: the time is kept for each instance (at least 6 times the cost without it). The
 *   minimum of each 64 instances is kept as well, so that most instances are not even compared
 *   (+ 20 %).
 * - Several slots: the time is kept for each host and category (at least 9 times). It is found by
 *   going from the end of one shortage to the next, not from second to second (at least 8.5 times).
 * - If only capacity decides (no quota, no JOB request, no -masterq, no threshold on a consumable),
 *   an attempt succeeds exactly when the hosts together have enough. In this case only the latest
 *   time is tried in full, for its side effects. At earlier times the hosts that may have room are
 *   added up. They come from a heap with the earliest on top (+ 7 % with a walk over all hosts).
 *   The sum also shows since when they have been enough, so times in between are skipped (12
 *   times the cost with an attempt at each).
 * - Attempts skip hosts that have no room yet. If few hosts may have room, they are visited
 *   directly and not along the list (+ 24 %). If there are many, or something other than capacity
 *   decides, the others are skipped on the way (5 times the cost with neither).
 * - The highest level of a timeline, and the time when it is reached, are stored outside of its
 *   tree (+ 7 %).
 * - Categories for which the same bookings matter share the list of times. This saves memory: a
 *   list takes 32 bytes for each running task. The benchmark has no cluster with more than one
 *   list.
 */
#ifndef SCHED_DISPATCH_RESERVE_RESERVE_H
#define SCHED_DISPATCH_RESERVE_RESERVE_H

#include "sched/dispatch/search/search.h"
#include "sched/dispatch/timeline/changes.h"

struct reservations {			/* zero-initialise */
	struct changes changes;		/* times at which bookings of cluster.timelines change */
	struct changes_view **views;	/* views of `changes` in this run */
	size_t nviews;
};

/*
 * Find a place for a reservation and its begin (grant->begin), for a question with the purpose
 * SEARCH_RESERVE. Its time is the present. `after_now`: a search for now has just failed. Return 0,
 * -ENOENT or -ENOMEM.
 */
int search_later(struct reservations *reservations, struct search *search, bool after_now, struct grant *grant);
/* Find a reservation of several slots. Return 0, -ENOENT or -ENOMEM. */
int parallel_later(struct reservations *reservations, struct search *search, bool after_now, struct grant *grant);

/*
 * Update search->with->changes: the times at which a booking that matters to the job changes.
 * Return 0 or -ENOMEM.
 */
int relevant_changes(struct reservations *reservations, struct search *search);
/*
 * relevant_object() returns the number of an object in a view of changes, relevant_place() that of
 * a place of an advance reservation.
 */
uint32_t relevant_object(const struct cluster *cluster, enum level level, uint32_t object);
uint32_t relevant_place(const struct cluster *cluster, uint32_t place);
/* Forget the views of a run. */
void relevant_forget(struct reservations *reservations);

#endif
