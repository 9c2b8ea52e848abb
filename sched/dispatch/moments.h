/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moments at which anything that is booked on a set of timelines changes, for those who look for the best of them. What has changed is noted
 * as it comes, which costs next to nothing; it is put in order when somebody asks.
 *
 *     moments_begin(&m, now);                    none yet; those before now are of no use to anybody
 *     moments_reserve(&m); moments_note(&m, at, 1);   one more line changes there, or (-1) one less
 *     moments_gather(&m);                        then moments_before() and moments_from() know of them
 */
#ifndef SCHED_DISPATCH_MOMENTS_H
#define SCHED_DISPATCH_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

struct moment {
	int64_t at, lines;		/* how many change there */
};

struct moments {			/* zero-initialise; private */
	int64_t begin;
	struct moment *items, *notes;	/* ascending; as they came */
	size_t n, capacity, nnotes, notes_capacity;
};

void moments_begin(struct moments *m, int64_t now);
void moments_free(struct moments *m);

#define MOMENTS_RESERVED 2
int moments_reserve(struct moments *m);	/* room for so many notes. -ENOMEM */
void moments_note(struct moments *m, int64_t at, int lines);
int moments_gather(struct moments *m);	/* -ENOMEM: all is kept for the next time */

/* The latest one < `at`, INT64_MIN; the earliest one >= `at`, INT64_MAX. */
int64_t moments_before(const struct moments *m, int64_t at);
int64_t moments_from(const struct moments *m, int64_t at);

#endif
