/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a calendar says at which time: calendar_conf(5), in the time zone of the process (TZ,
 * localtime(3)).
 *
 * At a moment counts what the clock on the wall shows then. A time that the wall does not show,
 * since summer begins, does not come; one that it shows twice, since summer ends, comes twice. So
 * what holds now does not depend on when somebody has asked first.
 *
 * Where an entry of `year` is about a moment, `week` says nothing of it; where it is about other
 * hours of the day only, `week` does: so has Grid Engine it, otherwise than the manual.
 */
#ifndef CONF_CALENDAR_H
#define CONF_CALENDAR_H

#include "conf/cell.h"

#define CALENDAR_DAY 86400		/* seconds that a wall clock has */
#define CALENDAR_WEEK 0x7fu		/* all weekdays */
#define CALENDAR_FOREVER INT64_MAX

/* `state` holds until then, and what comes next from then on. Open, off or suspended. */
struct calendar_change {
	enum calendar_state state;	/* CALENDAR_UNSAID: open */
	int64_t until;			/* epoch seconds; CALENDAR_FOREVER */
};

struct calendar_changes {		/* in the order of time; behind the last nothing is known */
	const struct calendar_change *items;
	size_t n;
};

/* Open, off or suspended at a moment. */
enum calendar_state calendar_state_at(const struct calendar *calendar, int64_t at);

/*
 * The state at `from` and what it changes to, one after the other, at most n. Behind the last of
 * them nothing is known, unless it holds for ever; one that does not change for a very long time is
 * told as the only one, and until when it was looked at. At least 1 if n is.
 */
size_t calendar_changes(const struct calendar *calendar, int64_t from, struct calendar_change *changes, size_t n);

/*
 * Days since 1970-01-01. Of one that its month does not have: the first day behind that month, or
 * its last one.
 */
int32_t calendar_day(int year, int month, int day, bool behind);

#endif
