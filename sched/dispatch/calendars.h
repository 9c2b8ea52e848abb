/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of calendars on queue instances: calendar_conf(5). If the qmaster reports a state,
 * this state counts. Otherwise the calendar of the queue counts, if the cell has it. A calendar
 * closes an instance by disabling or suspending it. An instance that is closed now is set aside:
 * only reservations consider it. All of its slots are booked for the times at which it is or will
 * be closed. So no job whose run time overlaps one of these times starts there.
 */
#ifndef SCHED_DISPATCH_CALENDARS_H
#define SCHED_DISPATCH_CALENDARS_H

#include "sched/dispatch/search/supply.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/run/run.h"

/*
 * Grid Engine 8.1.9 knows the current state of a calendar and the next one. It assumes that the
 * calendar is open after that.
 */
#define CALENDAR_AHEAD 2

struct calendar_ahead {			/* computed once; valid until the first change */
	int64_t from;
	struct calendar_change changes[CALENDAR_AHEAD];
	size_t n;			/* 0: not computed yet */
};

struct calendars {			/* zero-initialise */
	struct calendar_ahead *ahead;	/* indexed like cell->calendars */
};

/* Create the calendars of a cell. Return 0 or -ENOMEM. */
int calendars_create(struct calendars *calendars, const struct cell *cell);
/* Free the memory of a cell. */
void calendars_forget(struct calendars *calendars);
/*
 * Close instances whose calendars are closed now, and book the times at which calendars will close
 * instances. `times` notes these times. Return 0 or -ENOMEM.
 */
int calendars_put(struct calendars *calendars, struct supply *supply, struct changes *times, struct run *run);

#endif
