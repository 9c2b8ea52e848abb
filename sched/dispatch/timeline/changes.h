/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moments at which what is booked on a set of timelines changes, for the search of a moment to
 * begin at; in each view only those of the lines that matter there. A change is noted as it comes,
 * which costs next to nothing; notes are put in order when a view is read.
 *
 *     changes_begin(&c, now);                         none yet
 *     changes_source(&c, column, object);             whose line changes from here on
 *     changes_reserve(&c); changes_note(&c, at, 1);   one more line changes there, or (-1) one less
 *     changes_gather(&v, &c);                         the view is up to date:
 *     changes_before(&v, at), changes_from(&v, at)
 *
 * Those before now are used only to know whether there are any.
 */
#ifndef SCHED_DISPATCH_TIMELINE_CHANGES_H
#define SCHED_DISPATCH_TIMELINE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANGES_OF_NOBODY UINT32_MAX	/* a column that is in no view */

struct change {
	int64_t at, lines;		/* how many change there */
};

struct change_note {
	int64_t at;
	uint32_t object;
	uint32_t column : 31, added : 1;
};

struct changes {			/* zero-initialise; private */
	int64_t begin;
	uint32_t column, object;	/* the source */
	struct change_note *notes;	/* as they came */
	size_t n, capacity;
};

struct changes_view {			/* zero-initialise */
	bool *columns, *objects;	/* public, owned: a line is in it if both are true */
	int64_t past;			/* private from here: changes before now */
	struct change *items;		/* ascending */
	size_t n, capacity, seen;	/* seen: of the notes */
};

void changes_begin(struct changes *changes, int64_t now);
void changes_free(struct changes *changes);
void changes_source(struct changes *changes, uint32_t column, uint32_t object);

#define CHANGES_RESERVED 2
int changes_reserve(struct changes *changes);	/* room for so many notes. -ENOMEM */
void changes_note(struct changes *changes, int64_t at, int lines);

/* -ENOMEM: nothing is lost for the next time */
int changes_gather(struct changes_view *view, const struct changes *changes);
void changes_view_free(struct changes_view *view);

/* The latest one < `at`, INT64_MIN; the earliest one >= `at`, INT64_MAX. */
int64_t changes_before(const struct changes_view *view, int64_t at);
int64_t changes_from(const struct changes_view *view, int64_t at);
bool changes_are_past(const struct changes_view *view);	/* Are there any before now? */
/* Not one, not even before now? */
bool changes_are_none(const struct changes_view *view);

#endif
