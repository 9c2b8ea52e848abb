/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations: not now, but when? sched_conf(5), max_reservation.
 *
 *     reserve_sequential.c   one slot: the first moment from which on all it needs stays free
 *     reserve_parallel.c     several: the first of an unbroken row of moments at which they are
 *                            there
 *     ├─ relevant.c          which moments: those at which a booking changes that matters to the
 *     │                      job
 *     ├─ host_capacity.c     since when each host has room for the job
 *     └─ shortage.c          until when an object has too little
 *
 * 8.1.9 looks at every instance for each reservation, and for several slots makes a full attempt at
 * each moment at which a booking begins or ends. With 20,000 tasks that run that is 20,000 attempts
 * over 10,000 instances. What makes it cheaper, why that changes no result, and what the phase of
 * dispatch costs without it, in instructions: bench/dispatch --jobs 30000 --running 2
 * --reservations 1000, where all of it costs 1,695 million.
 *
 * In a run bookings are only added and instances only leave the list. So what was found out for one
 * reservation of a category, "no room before", is never too late for the next one, and only those
 * that may have room by then are looked at again. Not so after a negative request, which gives
 * back, and for what loads adjust, which may fit later: reserve_keeps().
 *
 *   - One slot: the moment is kept for each instance (at least 6 times as much without), and the
 *     least of 64 instances each, so that most of them are not even compared (+ 20 %).
 *   - Several slots: the moment is kept for each host and category (at least 9 times), found by
 *     going from the end of one shortage to the next instead of from second to second (at least
 *     8.5 times).
 *   - Where only capacity decides (no quota, no request for a whole job, no -masterq, no threshold
 *     on a consumable) an attempt succeeds exactly when the hosts together have enough. So only the
 *     latest moment is tried in full, for what it leaves behind. At earlier ones the hosts that may
 *     have room, from a heap that has the earliest on top (+ 7 % with a walk over all hosts), are
 *     added up, which also says since when they have been enough: moments between are passed over
 *     (12 times as much with an attempt at each).
 *   - Attempts pass by hosts that have no room yet. If those that may are few, they are visited
 *     directly instead of along the list (+ 24 %); if they are many, or something else than
 *     capacity decides, they are skipped on the way (5 times as much with neither).
 *   - The highest level of a timeline and when it is reached stand beside its tree (+ 7 %).
 *   - Categories to which the same bookings matter share the list of moments. That is for memory:
 *     a list takes 32 bytes for each task that runs, and bench has no farm with more than one.
 */
#ifndef SCHED_DISPATCH_RESERVE_RESERVE_H
#define SCHED_DISPATCH_RESERVE_RESERVE_H

#include "sched/dispatch/search/search.h"

/* The place and, in grant->begin, the moment of a reservation. 0, -ENOENT, -ENOMEM. */
int search_later(struct search *search, struct grant *grant);
/* of several slots */
int parallel_later(struct search *search, struct grant *grant);

/* Is what was found out for one reservation true for the next one, too? */
bool reserve_keeps(const struct search *search);

/*
 * The moments at which a booking changes that matters to the job, in s->with->changes, up to date.
 * -ENOMEM.
 */
int relevant_changes(struct search *search);
/* the number of an object in a view of changes; of a place of an advance reservation */
uint32_t relevant_object(const struct cluster *cluster, enum level level, uint32_t object);
uint32_t relevant_place(const struct cluster *cluster, uint32_t place);
void relevant_forget(struct dispatch *dispatch);

#endif
