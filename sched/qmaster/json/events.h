/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event stream of fairlead-events(5): lines in, answers out. There are no descriptors and no
 * clock here. source.c reads the lines and sends the answers, and an intake takes the events.
 *
 * Numbers. `last` is the number up to which every event has been handled. If a snapshot breaks off,
 * its events are dropped, and `last` returns to its value before the snapshot. If the snapshot had
 * numbers of its own, the number of the next event is meaningless and counts as a gap.
 */
#ifndef SCHED_QMASTER_JSON_EVENTS_H
#define SCHED_QMASTER_JSON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/intake.h"
#include "sched/qmaster/json/unknowns.h"
#include "sched/qmaster/json/refusals.h"
#include "sched/qmaster/members/values.h"

#define LINE_BYTES (1u << 20)	/* longest line, without its newline */

struct events {			/* set the first three members and zero the others */
	struct intake *intake;	/* borrowed; takes the events */
	void *context;
	/* Send one line with its newline. */
	void (*answer)(void *context, const char *line, size_t length);
	struct values values;	/* values of the last line */
	uint64_t last;		/* number of the last event that was handled, 0 before the first */
	uint64_t before;	/* during a snapshot: `last` at its beginning */
	bool renumbered;	/* the numbers of the open snapshot do not continue from `before` */
	bool unnumbered;	/* a renumbered snapshot broke off */
	/* Last event to acknowledge if the intake keeps events. 0: none since the last snapshot. */
	uint64_t kept;
	uint64_t refused;	/* lines answered with an error */
	struct refusals refusals;	/* counts for the log */
	struct unknowns unknowns;	/* names that are not known */
	/* An acknowledgement is due; the caller checks this from time to time. */
	bool acknowledge;
};

/* Handle one line without its newline. Blank lines are ignored. */
void events_line(struct events *events, const char *line, size_t length);

/* Refuse a line longer than LINE_BYTES, of which only the beginning is available. */
void events_long_line(struct events *events, const char *beginning, size_t length);

/* Drop an open snapshot, because the stream broke. */
void events_break(struct events *events);

/* Note that the events taken so far are stored. */
void events_keep(struct events *events);

/*
 * Answer that every event up to `last` (or `kept`) has been handled. No answer is sent during a
 * snapshot, nor before the first event.
 */
void events_acknowledge(struct events *events);

/* Report an error that belongs to no event. */
void events_complain(struct events *events, const char *text);

/* Return the number of the last event that the current state contains. */
uint64_t events_settled(const struct events *events);

/* Free the values of the last line. */
void events_destroy(struct events *events);

#endif
