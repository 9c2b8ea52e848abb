/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that are suspended by their calendars: calendar_conf(5). Only the scheduler handles queues
 * that a calendar disables.
 */
#ifndef SCHED_QMASTER_LOCAL_CALENDARS_H
#define SCHED_QMASTER_LOCAL_CALENDARS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/qmaster/local/local.h"

/* Set letter C of each instance and the time of the next change. Call again when it is due. */
void calendars_decide(struct local *local);
/* Return whether a calendar has changed or the date was set back. */
bool calendars_are_due(const struct local *local);
uint64_t calendars_due_ns(const struct local *local);	/* NEVER_NS: no change */

#endif
