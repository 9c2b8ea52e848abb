/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection to the qmaster, in a thread that only owns the socket. It reads and acknowledges
 * all the time, whatever the scheduler does, and answers status messages. The qmaster makes no
 * further delivery until the last one is acknowledged. Records go to the scheduler over a wait-free
 * queue (liburcu's wfcqueue); post_take() takes all of them in one splice. Requests go back over a
 * second queue. Both queues are bounded in bytes. Above the limit, the thread stops acknowledging,
 * and the qmaster keeps its events itself.
 *
 * The thread checks a report as a whole (element.h), so that the scheduler can read it without
 * checks. An invalid report ends the connection. If the events of a report cannot be used, the
 * scheduler calls post_again().
 *
 * After a loss the thread reads act_qmaster again and connects again, with a delay that grows to 10
 * s. An observer then registers again. A scheduler does not, because another scheduler may have the
 * role by now and would lose it without notice. A connection carries one registration. A new
 * registration begins with a new connection, so that no report of the old one can be taken for one
 * of the new.
 *
 * Only the thread that has opened the post may call post_take(), post_send(), post_role() and the
 * other functions.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_H
#define SCHED_QMASTER_GRIDENGINE_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/writer.h"

struct post;

/*
 * Roles. The scheduler is event client 1. An observer gets a number of its own; there may be many.
 */
enum post_role { POST_NONE, POST_OBSERVER, POST_SCHEDULER };

enum post_kind {
	POST_CONNECTED,		/* to the host in `text` */
	/*
	 * The connection, or an attempt to connect, has failed for the reason in `text`. The same
	 * reason is reported once. Requests without an answer are void, and the scheduler role is
	 * lost.
	 */
	POST_LOST,
	/* Registered as event client `number`. A total update follows, numbered from 1. */
	POST_REGISTERED,
	/* The role was refused for the reason in `text`; there is none now. */
	POST_REFUSED,
	/*
	 * A report: `bytes`, for gdi_delivery_events(). Events below `number` were delivered
	 * before. The report is acknowledged already, or will be as soon as fewer bytes are
	 * waiting.
	 */
	POST_DELIVERY,
	/* To request `number`: `bytes` (GDI packet) as received; NULL: lost. */
	POST_ANSWER,
	/*
	 * No delivery for 2 d_time + 5 s, or the qmaster does not know the client any more: see
	 * `text`. The client no longer acknowledges, releases or leaves until post_role() is called
	 * again, because its number may belong to another client.
	 */
	POST_SILENCE,
};

struct post_record {
	enum post_kind kind;
	uint64_t number;
	const unsigned char *bytes;	/* owned by the record; a NUL is after them */
	size_t n;
	uint64_t arrived_ns;		/* arrival of the last byte, CLOCK_MONOTONIC */
	char text[256];			/* printable */
};

struct post_subscription {
	uint32_t d_time;		/* seconds between deliveries, 1..595 */
	/*
	 * Seconds until the delivery of a submission or an end. 0: at once. UINT32_MAX: with the
	 * next one.
	 */
	uint32_t flush_submit, flush_finish;
};

#define POST_BYTES ((size_t)1 << 30)	/* default limit of records not taken */

struct post_options {
	const char *directory;		/* ROOT/CELL, as for gdi_cell_read() */
	enum post_role role;
	struct post_subscription subscription;
	size_t most_bytes;		/* 0: POST_BYTES */
};

/*
 * Start the thread. 0, errors of gdi_cell_read(), -ENOMEM, -EMFILE. A qmaster that does not answer
 * is not an error here, but is reported as POST_LOST.
 */
int post_open(struct post **post, const struct post_options *options, struct error *error);
/*
 * Send pending data, leave the role if there is one, and close regularly, within `timeout_ms`. NULL
 * is a no-op.
 */
void post_close(struct post *post, int timeout_ms);

/* Return ROOT/CELL, given or from the environment. */
const char *post_directory(const struct post *post);
/* Return a descriptor that is readable if there are records. */
int post_fd(const struct post *post);
/* Return the next record in order of arrival, to be freed. NULL: none now. */
struct post_record *post_take(struct post *post);
void post_record_free(struct post *post, struct post_record *record);

/*
 * Send a packet to the qmaster. Its bytes are taken over, and the writer is empty afterwards.
 * Returns the number of the request; a POST_ANSWER with it comes in each case. 0: no memory, or too
 * many bytes are waiting. The tasks of the packet carry a credential of post_credential().
 */
uint64_t post_send(struct post *post, struct gdi_writer *packet);
/*
 * Make a new credential for gdi_task_end(), one for each packet, from malloc(3). Returns errors of
 * gdi_credential() with the reason.
 */
int post_credential(const struct post *post, char **credential, struct error *error);

/*
 * Change the role and the subscription, which is ignored for POST_NONE. If only the subscription
 * changes, there is no total update. -ENOMEM.
 */
int post_role(struct post *post, enum post_role role, const struct post_subscription *subscription);
/*
 * Give up a number that now belongs to another client. The registration no longer acknowledges,
 * releases or leaves, and the role is NONE. -ENOMEM.
 */
int post_disown(struct post *post);
/* Connect again because a delivery cannot be used. A scheduler registers again. -ENOMEM. */
int post_again(struct post *post, const char *why);

/* State of the connection, for messages. */
struct post_state {
	enum post_role role;		/* current role */
	bool connected;
	uint32_t client;		/* number as an event client; 0: none */
	uint32_t connection;		/* id assigned by the qmaster */
	size_t waiting_bytes;		/* bytes of records that are not freed */
	char host[256];
};
void post_state(const struct post *post, struct post_state *state);
/* Return the cell, as it was when the post was opened. */
const struct gdi_cell *post_cell(const struct post *post);

#endif
