/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subscription of an event client: the events, the delay of their delivery, the fields of the
 * objects in them, and a selection of objects. It is the list EV_subscribed of a registration.
 */
#ifndef SCHED_QMASTER_GDI_SUBSCRIPTION_H
#define SCHED_QMASTER_GDI_SUBSCRIPTION_H

#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/writer.h"

#define GDI_NO_FLUSH UINT32_MAX

/* Objects to leave out: the templates of the qmaster, which a scheduler does not need. */
enum gdi_where { GDI_ALL_OBJECTS, GDI_NOT_TEMPLATE_HOST, GDI_NOT_TEMPLATE_QUEUE };

struct gdi_subscribed {
	enum gdi_event event;
	/* Seconds until delivery; GDI_NO_FLUSH: with the next delivery. */
	uint32_t flush;
	const struct gdi_wanted *what;	/* NULL: complete objects */
	size_t nwhat;
	enum gdi_where where;
};

/* Write a list of n events, as a value of EV_subscribed. */
void gdi_write_subscribed(struct gdi_writer *writer, const struct gdi_subscribed *events, size_t n);

/*
 * The subscription of a scheduler: the events of the built-in one, and the fields needed for the
 * texts of qconf. The delays for submissions and for finished tasks are in seconds, 0 for at once,
 * or GDI_NO_FLUSH.
 */
struct gdi_flush {
	uint32_t submit, finish;
};
#define GDI_SUBSCRIBED_MOST GDI_EVENTS
size_t gdi_scheduler_subscribed(struct gdi_subscribed events[GDI_SUBSCRIBED_MOST], const struct gdi_flush *flush);

#endif
