/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event client: how it registers and is told of events, acknowledges them, changes its
 * subscription in place, and leaves. Messages of tag 2 (a packet of one task), 3, 4 and 17.
 *
 * The qmaster keeps events until they are acknowledged. After a delivery it sends nothing until
 * then; or, as the built-in scheduler wants it, until it is told in a packet of its own that the
 * client is not busy any more: gdi_write_change() with nothing subscribed. The first costs one
 * packet each way, and no credential.
 */
#ifndef SCHED_QMASTER_GDI_REGISTRATION_H
#define SCHED_QMASTER_GDI_REGISTRATION_H

#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/subscription.h"

#define GDI_CLIENT_ANY 0		/* a number is given */
#define GDI_CLIENT_SCHEDULER 1
#define GDI_D_TIME_MOST 595		/* seconds between deliveries */

enum gdi_busy { GDI_BUSY_UNTIL_ACKNOWLEDGED = 1, GDI_BUSY_UNTIL_RELEASED = 2 };

struct gdi_registration {
	uint32_t id;			/* of the client; GDI_CLIENT_ANY only to register */
	const char *name;
	uint32_t d_time;		/* 1..GDI_D_TIME_MOST */
	enum gdi_busy busy;
	const struct gdi_subscribed *subscribed;
	size_t nsubscribed;
};

/* Packets; `w` is empty before, but for its number. */
void gdi_write_register(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential);
/* In place; and the client is not busy. Without subscribed events these stay as they are. */
void gdi_write_change(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential);

/* Data of tags 3 and 17. All events up to `event` have come. */
void gdi_write_acknowledgement(struct gdi_writer *writer, uint32_t event, uint32_t client);
void gdi_write_leave(struct gdi_writer *writer, uint32_t client);

/*
 * A report, checked as a whole, and which events are in it. Numbers of events that were not
 * acknowledged come again; they count up by one within a report, and over 2^32 - 1 they do not go.
 * -EPROTO.
 */
struct gdi_delivery {
	uint32_t first, n;		/* events; n 0: a life sign */
};
int gdi_delivery_check(const unsigned char *bytes, size_t n, struct gdi_delivery *delivery, struct error *error);
/* Its events, after that: in another thread, perhaps. */
struct gdi_list gdi_delivery_events(const unsigned char *bytes);

/*
 * The answer to a registration: the client's number. -EPERM: it is refused, with the qmaster's
 * words; -EPROTO.
 */
int gdi_take_registered(const unsigned char *bytes, size_t n, uint32_t *client, struct error *error);

#endif
