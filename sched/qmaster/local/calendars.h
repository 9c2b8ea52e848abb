/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that their calendars suspend: calendar_conf(5). What is off concerns the scheduler alone.
 */
#ifndef SCHED_QMASTER_LOCAL_CALENDARS_H
#define SCHED_QMASTER_LOCAL_CALENDARS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/qmaster/local/local.h"

/* Letter C of each instance, and when that changes; again as soon as it is due. */
void calendars_decide(struct local *local);
/* It has changed, or the date was set back. */
bool calendars_are_due(const struct local *local);
uint64_t calendars_due_ns(const struct local *local);	/* NEVER_NS */

#endif
