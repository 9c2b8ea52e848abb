/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client wants to be told of: events, how soon, which fields of the objects in them, and of
 * which objects. The list EV_subscribed of a registration.
 */
#ifndef SCHED_QMASTER_GDI_SUBSCRIPTION_H
#define SCHED_QMASTER_GDI_SUBSCRIPTION_H

#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/writer.h"

#define GDI_NO_FLUSH UINT32_MAX

/* The qmaster's own pattern objects, which no scheduler has a use for, are left out. */
enum gdi_where { GDI_ALL_OBJECTS, GDI_NOT_TEMPLATE_HOST, GDI_NOT_TEMPLATE_QUEUE };

struct gdi_subscribed {
	enum gdi_event event;
	uint32_t flush;			/* delivered after so many seconds; GDI_NO_FLUSH: with the next delivery */
	const struct gdi_wanted *what;	/* NULL: complete objects */
	size_t nwhat;
	enum gdi_where where;
};

/* A list of n of them, as a value of EV_subscribed. */
void gdi_write_subscribed(struct gdi_writer *writer, const struct gdi_subscribed *events, size_t n);

/*
 * What a scheduler subscribes to: what the built-in one does, and what the texts of qconf need in
 * addition. In seconds, or GDI_NO_FLUSH: how soon it is told of submissions and of what ended; 0 is
 * at once.
 */
struct gdi_flush {
	uint32_t submit, finish;
};
#define GDI_SUBSCRIBED_MOST GDI_EVENTS
size_t gdi_scheduler_subscribed(struct gdi_subscribed events[GDI_SUBSCRIBED_MOST], const struct gdi_flush *flush);

#endif
