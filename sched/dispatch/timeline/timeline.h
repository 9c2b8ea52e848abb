/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a resource is booked at which time: Grid Engine's resource diagrams, as balanced
 * trees. A line is a step function of time, 0 where nothing was booked. All lines of a run share
 * one memory pool. Times are seconds since 1970.
 *
 *     struct timelines t;  timelines_create(&t);
 *     uint32_t line = TIMELINE_EMPTY;
 *     timeline_book(&t, &line, 100, 200, 3.0);
 *     timeline_max(&t, line, 150, 250)       -> 3.0
 *     timeline_below(&t, line, 2.0)          -> 200
 *
 * With n bookings on a line each call costs O(log n).
 *
 * Sums are exact. Amounts are kept as multiples of 2^-60 and are rounded to these when they are
 * booked. All integers and all doubles of at least 2^-8 are such multiples. Therefore the order of
 * bookings does not matter, and a booking that has ended leaves no remainder. After three bookings
 * of 0.6 have ended, the line is at 0, not near it. Functions return the double nearest to the sum.
 */
#ifndef SCHED_DISPATCH_TIMELINE_TIMELINE_H
#define SCHED_DISPATCH_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_EMPTY UINT32_MAX	/* a line without bookings */
#define TIMELINE_NEVER INT64_MAX	/* end of a booking without end; also: at no time */

static inline int64_t timeline_after(int64_t begin, int64_t duration)
{
	return duration == TIMELINE_NEVER || begin > TIMELINE_NEVER - duration ? TIMELINE_NEVER : begin + duration;
}

struct changes;
struct timeline_node;
struct timeline_peak;

struct timelines {			/* private */
	struct timeline_node *nodes;
	struct timeline_peak *peaks;	/* by node */
	uint32_t *order;		/* scratch, by node */
	uint32_t n, capacity, free;
	bool gathers;
	uint64_t random;		/* shapes the trees; nothing else depends on it */
	/* sum of the absolute values of all amounts; limits every sum */
	double total;
	/*
	 * Public, borrowed: receives the times at which any line begins or ceases to change. Or
	 * NULL.
	 */
	struct changes *changes;
};

void timelines_create(struct timelines *timelines);
void timelines_destroy(struct timelines *timelines);

/* Forget all lines. Their handles become invalid. Memory is kept. */
void timelines_clear(struct timelines *timelines);

/*
 * Between timelines_gather() and timelines_settle() only bookings are allowed, no queries.
 * timelines_settle() works out what queries need, for all lines at once.
 */
void timelines_gather(struct timelines *timelines);
void timelines_settle(struct timelines *timelines);

/*
 * Book `amount` in [begin, end). Does nothing if begin >= end. Returns 0, -ENOMEM, or -ERANGE if
 * the amount is not finite or the total of all lines since they were cleared would exceed 2^66
 * (about 7 * 10^19). On an error nothing is booked.
 */
int timeline_book(struct timelines *timelines, uint32_t *line, int64_t begin, int64_t end, double amount);

/* Return the maximum that is booked at any time of [begin, end); at least 0. */
double timeline_max(const struct timelines *timelines, uint32_t line, int64_t begin, int64_t end);

/*
 * Return the earliest time after which never more than `limit` is booked. INT64_MIN: that is always
 * true. TIMELINE_NEVER: more is booked without end.
 */
int64_t timeline_below(const struct timelines *timelines, uint32_t line, double limit);

/*
 * Find the last time < `before` at which more than `limit` (at least 0) is booked, and return the
 * first change after it. INT64_MIN: there is no such time. TIMELINE_NEVER: nothing changes after
 * it.
 */
int64_t timeline_above(const struct timelines *timelines, uint32_t line, double limit, int64_t before);

/*
 * timeline_change() returns the latest time < `before` at which a booking begins or ends, or
 * INT64_MIN. timeline_next() returns the earliest such time >= `from`, or TIMELINE_NEVER.
 */
int64_t timeline_change(const struct timelines *timelines, uint32_t line, int64_t before);
int64_t timeline_next(const struct timelines *timelines, uint32_t line, int64_t from);

/*
 * Add all times of a line to `changes`, in order, as if they were booked now. Returns 0 or -ENOMEM;
 * then only part of them was added.
 */
int timeline_report(const struct timelines *timelines, uint32_t line, struct changes *changes);

#endif
