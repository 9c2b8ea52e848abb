/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection to the qmaster: a thread that owns the socket and nothing else. It reads and
 * acknowledges all the time, whatever the scheduler is doing, and answers status messages. To
 * acknowledge is to release: the qmaster delivers nothing more before. What comes goes to the
 * scheduler as records over a wait-free queue (liburcu's wfcqueue), of which post_take() takes all
 * in one splice; requests go back over a second one. Both are bounded in bytes: beyond, the thread
 * stops acknowledging, and the qmaster keeps its events itself.
 *
 * The thread checks a report as a whole (element.h), so that who takes it only reads; one that is
 * no report ends the connection. One whose events can't be used is answered with post_again().
 *
 * After a loss it reads act_qmaster again and connects again, with a delay that grows to 10 s. An
 * observer registers again then; a scheduler does not: another one may have the place now, and
 * would lose it without a word. A connection carries one registration: a new one begins with a new
 * connection, so that no report of the old one can be taken for one of the new.
 *
 *                       post_take, post_send, post_role, ...      X  one thread, which has opened it
 *     any of these      X
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_H
#define SCHED_QMASTER_GRIDENGINE_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/gdi/cell.h"
#include "sched/qmaster/gdi/writer.h"

struct post;

/* Event client 1 is the scheduler; an observer gets a number of its own, and may be one of many. */
enum post_role { POST_NONE, POST_OBSERVER, POST_SCHEDULER };

enum post_kind {
	POST_CONNECTED,		/* to the host in `text` */
	/*
	 * The connection, or an attempt to connect, for the reason in `text`; told once until there is
	 * another reason. Requests on their way are void, and nobody is to be the scheduler any more.
	 */
	POST_LOST,
	POST_REGISTERED,	/* as event client `number`: a total update follows, numbered from 1 */
	POST_REFUSED,		/* the role is not given, for the reason in `text`; it has none now */
	/*
	 * A report: `bytes`, for gdi_delivery_events(). The events below `number` were delivered
	 * before. It is acknowledged already, or as soon as less is waiting.
	 */
	POST_DELIVERY,
	POST_ANSWER,		/* to request `number`: `bytes` (GDI packet) as they came; NULL: it was lost */
	/*
	 * No delivery for 2 d_time + 5 s, or the qmaster does not know the client any more: see
	 * `text`. Nothing is acknowledged, released or left any more, until post_role() is called
	 * again: the number may be another's.
	 */
	POST_SILENCE,
};

struct post_record {
	enum post_kind kind;
	uint64_t number;
	const unsigned char *bytes;	/* the record's own; a NUL is behind them */
	size_t n;
	uint64_t arrived_ns;		/* the last byte, CLOCK_MONOTONIC */
	char text[256];			/* printable */
};

struct post_subscription {
	uint32_t d_time;		/* seconds between deliveries, 1..595 */
	/* seconds until a submission, an end is delivered; 0: at once; UINT32_MAX: with the next one */
	uint32_t flush_submit, flush_finish;
};

#define POST_BYTES ((size_t)1 << 30)	/* of records that nobody has taken, by default */

struct post_options {
	const char *directory;		/* ROOT/CELL, as gdi_cell_read() */
	enum post_role role;
	struct post_subscription subscription;
	size_t most_bytes;		/* 0: POST_BYTES */
};

/*
 * 0; the errors of gdi_cell_read(), -ENOMEM, -EMFILE. That nobody answers is no error, but a
 * POST_LOST.
 */
int post_open(struct post **post, const struct post_options *options, struct error *error);
/*
 * Sends what waits to be sent, leaves its role (if it has one) and closes in good order, for
 * `timeout_ms` at most. NULL is fine.
 */
void post_close(struct post *post, int timeout_ms);

/* ROOT/CELL: given, or of the environment. */
const char *post_directory(const struct post *post);
/* Readable when there are records. */
int post_fd(const struct post *post);
/* The next record, in the order in which things came; NULL: none now. To be freed. */
struct post_record *post_take(struct post *post);
void post_record_free(struct post *post, struct post_record *record);

/*
 * A packet to the qmaster: its bytes are the post's from now on, the writer is empty. The number by
 * which POST_ANSWER names it, which comes in each case; 0: no memory, or too much is waiting to be
 * sent. Its tasks carry a credential of post_credential().
 */
uint64_t post_send(struct post *post, struct gdi_writer *packet);
/* For gdi_task_end(): a credential, fresh for each packet. From malloc(3); NULL with the reason. */
char *post_credential(const struct post *post, struct error *error);

/*
 * From now on in this role and with this subscription (not looked at for POST_NONE). Where only the
 * subscription changes, in place: without a total update. -ENOMEM.
 */
int post_role(struct post *post, enum post_role role, const struct post_subscription *subscription);
/*
 * Our number is another's: nothing of the registration is acknowledged, released or left any more;
 * the role is NONE. -ENOMEM.
 */
int post_disown(struct post *post);
/* What was delivered can't be used: a new connection, and a scheduler registers again. -ENOMEM. */
int post_again(struct post *post, const char *why);

/* Where it is connected, and what is waiting; for messages. */
struct post_state {
	enum post_role role;		/* that it has now */
	bool connected;
	uint32_t client;		/* its number as an event client, 0: none */
	uint32_t connection;		/* the id that the qmaster gave the connection */
	size_t waiting_bytes;		/* of records that are not freed yet */
	char host[256];
};
void post_state(const struct post *post, struct post_state *state);
/* The cell, as it was when the post was opened. */
const struct gdi_cell *post_cell(const struct post *post);

#endif
