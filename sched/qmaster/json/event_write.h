/* SPDX-License-Identifier: Apache-2.0 */
/* An event as the line of fairlead-events(5) that reads as the same one. */
#ifndef SCHED_QMASTER_JSON_EVENT_WRITE_H
#define SCHED_QMASTER_JSON_EVENT_WRITE_H

#include "sched/mirror/event.h"
#include "sched/process/json.h"

/* With its newline. Members that have their defaults are left out. */
void event_write(struct out *out, uint64_t seq, const struct event *event);

#endif
