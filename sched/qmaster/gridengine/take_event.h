/* SPDX-License-Identifier: Apache-2.0 */
/* An event as it is delivered, an element of ET, and its subject. */
#ifndef SCHED_QMASTER_GRIDENGINE_TAKE_EVENT_H
#define SCHED_QMASTER_GRIDENGINE_TAKE_EVENT_H

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"

struct reported_event {
	struct gdi_element element;	/* ET */
	uint32_t number, intkey, intkey2;
	enum gdi_event type;
	const char *strkey, *strkey2;
	struct gdi_list elements;	/* ET_new_version; elements point to it */
};

enum reported_about {			/* bits */
	REPORTED_LIST = 1,			/* complete list of a kind: a total update */
	REPORTED_CONFIGURATION = 2, REPORTED_JOB = 4, REPORTED_CLUSTER = 8, REPORTED_SHARER = 16,
	REPORTED_PROCESS = 32,		/* about the scheduler role, or a request to its holder */
};

/* Read the next event. `event` must not be moved, because elements of its list point into it. */
bool reported_event_next(struct gdi_list *events, struct reported_event *event);
bool reported_event_is(const struct reported_event *event, enum reported_about about);
const char *reported_event_name(enum gdi_event type);	/* "JOB_ADD" */

/* Return the position of a list in a total update, from 1. 0: not part of one. */
unsigned reported_event_place(enum gdi_event type);

#endif
