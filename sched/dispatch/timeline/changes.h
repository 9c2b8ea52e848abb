/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moments at which what is booked on a set of timelines changes, for those who look for the
 * best of them; for each only those of lines that concern him. What has changed is noted as it
 * comes, which costs next to nothing; it is put in order when somebody asks.
 *
 *     moments_begin(&m, now);                    none yet
 *     moments_source(&m, column, object);        whose line changes from here on
 *     moments_reserve(&m); moments_note(&m, at, 1);   one more line changes there, or (-1) one less
 *     moments_gather(&v, &m);                    then moments_before() and moments_from() know of what concerns the view
 *
 * Those before now are of no use to anybody but for the question whether there is any.
 */
#ifndef SCHED_DISPATCH_TIMELINE_CHANGES_H
#define SCHED_DISPATCH_TIMELINE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOMENTS_NOBODY UINT32_MAX	/* a column that concerns no view */

struct moment {
	int64_t at, lines;		/* how many change there */
};

struct moment_note {
	int64_t at;
	uint32_t object;
	uint32_t column : 31, added : 1;
};

struct moments {			/* zero-initialise; private */
	int64_t begin;
	uint32_t column, object;	/* the source */
	struct moment_note *notes;	/* as they came */
	size_t n, capacity;
};

struct moments_view {			/* zero-initialise */
	bool *columns, *objects;	/* public, owned: a line concerns it if both are true */
	int64_t past;			/* private from here: changes before now */
	struct moment *items;		/* ascending */
	size_t n, capacity, seen;	/* seen: of the notes */
};

void moments_begin(struct moments *m, int64_t now);
void moments_free(struct moments *m);
void moments_source(struct moments *m, uint32_t column, uint32_t object);

#define MOMENTS_RESERVED 2
int moments_reserve(struct moments *m);	/* room for so many notes. -ENOMEM */
void moments_note(struct moments *m, int64_t at, int lines);

/* -ENOMEM: nothing is lost for the next time */
int moments_gather(struct moments_view *v, const struct moments *m);
void moments_view_free(struct moments_view *v);

/* The latest one < `at`, INT64_MIN; the earliest one >= `at`, INT64_MAX. */
int64_t moments_before(const struct moments_view *v, int64_t at);
int64_t moments_from(const struct moments_view *v, int64_t at);
/* Not one, not even before now? */
bool moments_are_none(const struct moments_view *v);

#endif
