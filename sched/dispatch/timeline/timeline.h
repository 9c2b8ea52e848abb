/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a resource is booked, at which moment: Grid Engine's resource diagrams, as balanced
 * trees. A line is a step function of time, 0 where nothing was booked; all lines of a run share
 * one memory. Moments are epoch seconds.
 *
 *     struct timelines t;  timelines_create(&t);
 *     uint32_t line = TIMELINE_EMPTY;
 *     timeline_book(&t, &line, 100, 200, 3.0);
 *     timeline_max(&t, line, 150, 250)       -> 3.0
 *     timeline_below(&t, line, 2.0)          -> 200
 *
 * With n bookings on a line each call costs O(log n).
 *
 * Sums are exact: amounts are kept as multiples of 2^-60, to which they are rounded when they are
 * booked. All integers and all doubles of at least 2^-8 are such multiples. So it does not matter
 * in which order bookings came, and one that has ended leaves nothing behind: after three of 0.6
 * the line is at 0, not near it. What is returned is the double nearest to the sum.
 */
#ifndef SCHED_DISPATCH_TIMELINE_TIMELINE_H
#define SCHED_DISPATCH_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_EMPTY UINT32_MAX	/* a line on which nothing was booked */
#define TIMELINE_NEVER INT64_MAX	/* the end of a booking for ever; also: at no moment */

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
	uint64_t random;		/* of the trees' shape; nothing else depends on it */
	double total;			/* of all amounts, without their signs: bounds every sum */
	/* public, borrowed: notes where any line begins or ceases to change; NULL */
	struct changes *changes;
};

void timelines_create(struct timelines *timelines);
void timelines_destroy(struct timelines *timelines);

/* Forget all lines; their handles mean nothing any more. Memory is kept. */
void timelines_clear(struct timelines *timelines);

/*
 * From here on much is booked, and nothing asked: what answers need is worked out in the end, for
 * all lines at once.
 */
void timelines_gather(struct timelines *timelines);
void timelines_settle(struct timelines *timelines);

/*
 * `amount` more in [begin, end). Nothing when begin >= end. -ENOMEM, or -ERANGE when the amount is
 * not finite or all lines would have more than 2^66 (seven times 10^19) since they were cleared:
 * nothing is booked.
 */
int timeline_book(struct timelines *timelines, uint32_t *line, int64_t begin, int64_t end, double amount);

/* The most that is booked at any moment of [begin, end); at least 0. */
double timeline_max(const struct timelines *timelines, uint32_t line, int64_t begin, int64_t end);

/*
 * The earliest moment from which on there is never more than `limit` booked: INT64_MIN when that is
 * always so, TIMELINE_NEVER when more than that is booked for ever.
 */
int64_t timeline_below(const struct timelines *timelines, uint32_t line, double limit);

/*
 * The first change behind the last moment < `before` at which more than `limit` (at least 0) is
 * booked: INT64_MIN when there is no such moment, TIMELINE_NEVER when nothing changes behind it.
 */
int64_t timeline_above(const struct timelines *timelines, uint32_t line, double limit, int64_t before);

/*
 * The latest moment < `before` at which a booking begins or ends; INT64_MIN: there is none. The
 * earliest one >= `from`; TIMELINE_NEVER.
 */
int64_t timeline_change(const struct timelines *timelines, uint32_t line, int64_t before);
int64_t timeline_next(const struct timelines *timelines, uint32_t line, int64_t from);

/* All its moments to `changes`, in order, as if they had come just now. -ENOMEM: in part. */
int timeline_tell(const struct timelines *timelines, uint32_t line, struct changes *changes);

#endif
