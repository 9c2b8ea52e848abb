/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection to the qmaster: a thread that owns the socket and nothing else. It reads, checks,
 * acknowledges and releases all the time, whatever the scheduler is doing, and answers status
 * messages. What comes goes to the scheduler as records over a wait-free queue (liburcu's wfcqueue),
 * of which post_take() takes all in one splice; requests go back over a second one. Both are bounded
 * in bytes: beyond, the thread stops releasing, and the qmaster keeps its events itself.
 *
 * After a loss it reads act_qmaster again and connects again, with a delay that grows to 10 s, and
 * registers in the role that it had.
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
	POST_LOST,		/* the connection, for the reason in `text`; requests on their way are void */
	POST_REGISTERED,	/* as event client `number`: a total update follows, numbered from 1 */
	POST_REFUSED,		/* the role is not given, for the reason in `text` */
	POST_DELIVERY,		/* a report with events: `bytes` (REP in a list), checked; the events below
				   `number` were delivered before */
	POST_GAP,		/* events are missing: it registers anew by itself */
	POST_ANSWER,		/* to request `number`: `bytes` (GDI packet), checked; NULL: it was lost */
	POST_SILENCE,		/* no delivery for 2 d_time + 5 s: nothing is acknowledged any more, until
				   post_role() is called again */
};

struct post_record {
	enum post_kind kind;
	uint64_t number;
	const unsigned char *bytes;
	size_t n;
	uint64_t arrived_ns;		/* CLOCK_MONOTONIC */
	char text[256];
};

/* What it subscribes to; the same bytes as the list EV_subscribed would have. */
struct post_subscription {
	uint32_t d_time;		/* seconds between deliveries, 1..595 */
	uint32_t flush_submit, flush_finish;	/* seconds; UINT32_MAX: no flush */
	bool shadow;			/* what `audit` needs in addition */
};

#define POST_BYTES ((size_t)1 << 30)	/* of records that nobody has taken, by default */

struct post_options {
	const char *directory;		/* ROOT/CELL, as gdi_cell_read() */
	enum post_role role;
	struct post_subscription subscription;
	size_t most_bytes;		/* 0: POST_BYTES */
};

/* 0; the errors of gdi_cell_read(), -ENOMEM, -EMFILE. That nobody answers is no error, but a POST_LOST. */
int post_open(struct post **p, const struct post_options *options, struct error *error);
/* Leaves its role (if it has one), closes in good order, for `timeout_ms` at most. */
void post_close(struct post *p, int timeout_ms);

/* Readable when there are records. */
int post_fd(const struct post *p);
/* The next record, in the order in which things came; NULL: none now. To be freed. */
struct post_record *post_take(struct post *p);
void post_record_free(struct post *p, struct post_record *record);

/*
 * A packet to the qmaster: its bytes are the post's from now on, the writer is empty. The number by
 * which POST_ANSWER names it; 0: no memory. A packet without an authentication string is never sent:
 * see post_credential().
 */
uint64_t post_send(struct post *p, struct gdi_writer *packet);
/* For gdi_task_end(): a credential, fresh for each packet. From malloc(3); NULL with the reason. */
char *post_credential(const struct post *p, struct error *error);

/* From now on in this role and with this subscription; where only that changes, in place. */
int post_role(struct post *p, enum post_role role, const struct post_subscription *subscription);

/* Where it is connected, and what is waiting; for messages. */
struct post_state {
	enum post_role role;		/* that it has now */
	bool connected;
	uint32_t client;		/* its number as an event client, 0: none */
	uint32_t connection;		/* the id that the qmaster gave the connection */
	size_t waiting_bytes;
	char host[256];
};
void post_state(const struct post *p, struct post_state *state);

#endif
