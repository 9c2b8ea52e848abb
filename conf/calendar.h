/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of a calendar over time, as in calendar_conf(5), in the time zone of the process (TZ,
 * localtime(3)).
 *
 * The state at a time depends on the local clock at that time. A local time that is skipped when
 * summer time begins does not occur. A local time that is repeated when summer time ends occurs
 * twice. The present state therefore does not depend on earlier queries.
 *
 * If an entry of `year` applies to a time, `week` is ignored. If such an entry covers only other
 * hours of the day, `week` applies. Grid Engine does the same, contrary to its manual.
 */
#ifndef CONF_CALENDAR_H
#define CONF_CALENDAR_H

#include "conf/cell.h"

#define CALENDAR_DAY 86400		/* seconds of a day on a wall clock */
#define CALENDAR_WEEK 0x7fu		/* all weekdays */
#define CALENDAR_FOREVER INT64_MAX

/* State up to a time. The next element applies from that time on. */
struct calendar_change {
	enum calendar_state state;	/* CALENDAR_UNSAID: open */
	int64_t until;			/* epoch seconds, or CALENDAR_FOREVER */
};

/* in order of time; the state after the last one is unknown */
struct calendar_changes {
	const struct calendar_change *items;
	size_t n;
};

/* Return whether a queue is open, off or suspended at a time. */
enum calendar_state calendar_state_at(const struct calendar *calendar, int64_t at);

/*
 * Store the state at `from` and the following states, at most n, and return their number, which is
 * at least 1 if n is. The state after the last one is unknown, unless it lasts until
 * CALENDAR_FOREVER. If a state does not change for a very long time, it is the last one, and its
 * `until` is the time up to which it was computed.
 */
size_t calendar_changes(const struct calendar *calendar, int64_t from, struct calendar_change *changes, size_t n);

/*
 * Return the days since 1970-01-01. If the month is too short for `day`, the result is the first
 * day after the month, or its last day if `after` is false.
 */
int32_t calendar_day(int year, int month, int day, bool after);

#endif
