/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times at which bookings on a set of timelines change. The search for a start time uses them.
 * A view contains only the changes of the lines that matter for it. Noting a change costs next to
 * nothing; notes are sorted when a view is read.
 *
 *     changes_begin(&c, now);                         no changes yet
 *     changes_source(&c, column, object);             set the line whose changes follow
 *     changes_reserve(&c); changes_note(&c, at, 1);   one more line changes then; -1: one less
 *     changes_gather(&v, &c);                         bring the view up to date:
 *     changes_before(&v, at), changes_from(&v, at)
 *
 * Changes before now only serve to know whether there are any.
 */
#ifndef SCHED_DISPATCH_TIMELINE_CHANGES_H
#define SCHED_DISPATCH_TIMELINE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANGES_IGNORED UINT32_MAX	/* a column that is in no view */

struct change {
	int64_t at, lines;		/* number of lines that change at this time */
};

struct change_note {
	int64_t at;
	uint32_t object;
	uint32_t column : 31, added : 1;
};

struct changes {			/* zero-initialise; private */
	int64_t begin;
	uint32_t column, object;	/* source of the following changes */
	struct change_note *notes;	/* in the order of arrival */
	size_t n, capacity;
};

struct changes_view {			/* zero-initialise */
	bool *columns, *objects;	/* public, owned: a line is in the view if both are true */
	int64_t past;			/* private from here: changes before now */
	struct change *items;		/* ascending */
	size_t n, capacity, seen;	/* seen: number of notes that were read */
};

void changes_begin(struct changes *changes, int64_t now);
void changes_free(struct changes *changes);
void changes_source(struct changes *changes, uint32_t column, uint32_t object);

#define CHANGES_RESERVED 2
/* Make room for CHANGES_RESERVED notes. Return 0 or -ENOMEM. */
int changes_reserve(struct changes *changes);
void changes_note(struct changes *changes, int64_t at, int lines);

/* Return 0 or -ENOMEM. After -ENOMEM the next call reads the same notes again. */
int changes_gather(struct changes_view *view, const struct changes *changes);
void changes_view_free(struct changes_view *view);

/*
 * changes_before() returns the latest change < `at`, or INT64_MIN. changes_from() returns the
 * earliest change >= `at`, or INT64_MAX.
 */
int64_t changes_before(const struct changes_view *view, int64_t at);
int64_t changes_from(const struct changes_view *view, int64_t at);
/* return whether there are any before now */
bool changes_are_past(const struct changes_view *view);
/* Return whether the view is empty, also before now. */
bool changes_are_none(const struct changes_view *view);

#endif
