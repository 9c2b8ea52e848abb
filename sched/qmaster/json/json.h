/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster that is another process and exchanges lines of JSON. See fairlead-events(5) and
 * fairlead-orders(5).
 *
 *     json.c           assembles the parts
 *     ├─ source.c      where lines come from, where answers and orders go
 *     │  ├─ listen.c   a Unix socket, one qmaster at a time
 *     │  ├─ lines.c    splits bytes into lines of at most 1 MiB
 *     │  └─ outbox.c   bounded queue of answers and orders to be read
 *     ├─ events.c      numbers, gaps, snapshots, answers; refusals.c logs errors
 *     │  ├─ ../members/  converts a line to an event
 *     │  └─ unknowns.c  detects unknown names in it
 *     └─ feed.c        sends orders as fast as they are read
 *        └─ order.c    writes an order as a line
 */
#ifndef SCHED_QMASTER_JSON_JSON_H
#define SCHED_QMASTER_JSON_JSON_H

#include "sched/qmaster/qmaster.h"

struct json_options {
	bool strict;		/* refuse events with unknown names: unknowns.h */
};

/*
 * Open a qmaster. `where` and the errors are described in source.h. `options` is a struct
 * json_options, NULL for the defaults.
 */
qmaster_open json_open;

/* Return a text that explains why events from `where` never end, NULL if they do end. */
const char *json_endless(const char *where);

#endif
