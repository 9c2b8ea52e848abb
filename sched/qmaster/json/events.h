/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of fairlead-events(5): lines in, answers out. No descriptors and no clock: source.c
 * brings the lines and sends the answers, an intake takes the events.
 *
 * Numbers: `last` is the number up to which everything was dealt with. A snapshot that breaks off
 * takes `last` back to where it was before its beginning, because the events in it are gone with
 * it; if it had numbers of its own, the next event's number means nothing and counts as a gap.
 */
#ifndef SCHED_QMASTER_JSON_EVENTS_H
#define SCHED_QMASTER_JSON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/intake.h"
#include "sched/qmaster/json/unknowns.h"
#include "sched/qmaster/json/refusals.h"
#include "sched/qmaster/members/values.h"

#define LINE_BYTES (1u << 20)	/* longest line, without its newline */

struct events {			/* zero but for the first three at first */
	struct intake *intake;	/* borrowed: where events go */
	void *context;
	/* one line with its newline */
	void (*answer)(void *context, const char *line, size_t length);
	struct values values;	/* of the last line */
	uint64_t last;		/* number of the last event dealt with, 0 before the first */
	uint64_t before;	/* during a snapshot: `last` at its beginning */
	bool renumbered;	/* the open snapshot does not go on from `before` */
	bool unnumbered;	/* a renumbered snapshot broke off */
	/*
	 * where the intake keeps, only events up to this one are acknowledged; 0: none since the
	 * last snapshot
	 */
	uint64_t kept;
	uint64_t refused;	/* lines answered with an error */
	struct refusals refusals;	/* of which the log tells */
	struct unknowns unknowns;	/* names that nobody knows */
	bool acknowledge;	/* is due: the caller looks at it now and then */
};

/* One line, without its newline. Blank lines are ignored. */
void events_line(struct events *events, const char *line, size_t length);

/* A line longer than LINE_BYTES: how it began. */
void events_long_line(struct events *events, const char *beginning, size_t length);

/* The stream broke: an open snapshot is dropped. */
void events_break(struct events *events);

/* What was taken so far is stored. */
void events_keep(struct events *events);

/*
 * Answer that everything up to `last` (`kept`) has been dealt with. Nothing is said during a
 * snapshot, nor before the first event.
 */
void events_acknowledge(struct events *events);

/* An error that belongs to no event. */
void events_complain(struct events *events, const char *text);

/* The last event contained in the state in force. */
uint64_t events_settled(const struct events *events);

/* Free what lines have been read into. */
void events_destroy(struct events *events);

#endif
