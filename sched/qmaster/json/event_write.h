/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an event as a line of fairlead-events(5). */
#ifndef SCHED_QMASTER_JSON_EVENT_WRITE_H
#define SCHED_QMASTER_JSON_EVENT_WRITE_H

#include "sched/mirror/event.h"
#include "sched/process/json.h"

/*
 * Write the event with a newline. Reading the line yields the same event. Members with default
 * values are left out.
 */
void event_write(struct out *out, uint64_t seq, const struct event *event);

#endif
