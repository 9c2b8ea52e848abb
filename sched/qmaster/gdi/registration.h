/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event client: it registers, receives events, acknowledges them, changes its subscription in
 * place, and leaves. Its messages have the tags 2 (a packet of one task), 3, 4 and 17.
 *
 * The qmaster keeps events until they are acknowledged. After a delivery it sends no events until
 * the acknowledgement (GDI_BUSY_UNTIL_ACKNOWLEDGED). This takes one packet in each direction and no
 * credential. With GDI_BUSY_UNTIL_RELEASED, which the built-in scheduler uses, the qmaster waits
 * for a separate packet that says that the client is no longer busy: gdi_write_change() without
 * subscribed events.
 */
#ifndef SCHED_QMASTER_GDI_REGISTRATION_H
#define SCHED_QMASTER_GDI_REGISTRATION_H

#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/subscription.h"

#define GDI_CLIENT_ANY 0		/* the qmaster assigns a number */
#define GDI_CLIENT_SCHEDULER 1
#define GDI_D_TIME_MOST 595		/* seconds between deliveries */

enum gdi_busy { GDI_BUSY_UNTIL_ACKNOWLEDGED = 1, GDI_BUSY_UNTIL_RELEASED = 2 };

struct gdi_registration {
	uint32_t id;			/* number of the client; GDI_CLIENT_ANY only to register */
	const char *name;
	uint32_t d_time;		/* 1..GDI_D_TIME_MOST */
	enum gdi_busy busy;
	const struct gdi_subscribed *subscribed;
	size_t nsubscribed;
};

/* Write a packet. Before the call `writer` is empty except for its packet number. */
void gdi_write_register(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential);
/*
 * Change the registration in place and report that the client is not busy. Without subscribed
 * events the subscription is not changed.
 */
void gdi_write_change(struct gdi_writer *writer, const struct gdi_registration *registration, const char *credential);

/*
 * Write the data of messages with the tags 3 and 17. All events up to `event` have been received.
 */
void gdi_write_acknowledgement(struct gdi_writer *writer, uint32_t event, uint32_t client);
void gdi_write_leave(struct gdi_writer *writer, uint32_t client);

/*
 * Check a report as a whole and find its events. Events that were not acknowledged are sent again.
 * Numbers within a report are consecutive and do not wrap at 2^32 - 1. -EPROTO.
 */
struct gdi_delivery {
	uint32_t first, n;		/* events; n 0: a sign of life */
};
int gdi_delivery_check(const unsigned char *bytes, size_t n, struct gdi_delivery *delivery, struct error *error);
/* Return the events of a report that was checked, perhaps in another thread. */
struct gdi_list gdi_delivery_events(const unsigned char *bytes);

/*
 * Read the number of the client from the answer to a registration. -EPERM: refused, with the
 * qmaster's message. -EPROTO.
 */
int gdi_take_registered(const unsigned char *bytes, size_t n, uint32_t *client, struct error *error);

#endif
