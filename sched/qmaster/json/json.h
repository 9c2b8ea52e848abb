/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster that is another process, and talks in lines of JSON: fairlead-events(5),
 * fairlead-orders(5).
 *
 *     json.c           its parts
 *     ├─ source.c      where lines come from, where answers and orders go
 *     │  ├─ listen.c   a Unix socket, one qmaster at a time
 *     │  ├─ lines.c    bytes into lines, at most 1 MiB each
 *     │  └─ outbox.c   answers and orders that wait to be read, bounded
 *     ├─ events.c      numbers, gaps, snapshots, answers; refusals.c: errors, for the log
 *     │  ├─ ../members/  a line into an event
 *     │  └─ unknowns.c  names in it that nobody knows
 *     └─ feed.c        orders, as it takes them
 *        └─ order.c    an order as a line
 */
#ifndef SCHED_QMASTER_JSON_JSON_H
#define SCHED_QMASTER_JSON_JSON_H

#include "sched/qmaster/qmaster.h"

struct json_options {
	bool strict;		/* events that name what nobody knows are refused: unknowns.h */
};

/*
 * `where`: see source.h, with its errors; `options` is a struct json_options, NULL: the defaults.
 */
qmaster_open json_open;

/* Why events from there never end, for people; NULL: they do. */
const char *json_endless(const char *where);

#endif
