/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the post share: post.c is the scheduler's side, post_thread.c the thread with
 * its connection, post_client.c what it does there as an event client.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_POST_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sched/qmaster/gdi/link.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/post.h"
#include "sched/qmaster/gridengine/post_queue.h"

#define POST_ITEM_BYTES 512		/* what a record costs in addition to its bytes */
#define POST_SECOND_NS UINT64_C(1000000000)

struct post_item {			/* to the scheduler; the record is what it sees */
	struct cds_wfcq_node node;
	size_t counted;			/* in waiting_bytes */
	struct post_record record;
};

enum post_order_kind { POST_ORDER_SEND, POST_ORDER_ROLE, POST_ORDER_DISOWN, POST_ORDER_AGAIN, POST_ORDER_CLOSE };

struct post_order {			/* to the thread */
	struct cds_wfcq_node node;
	enum post_order_kind kind;
	unsigned char *bytes;		/* SEND: owned, as the answer to come */
	size_t n;
	struct post_item *answer;
	enum post_role role;		/* ROLE */
	struct post_subscription subscription;
	uint64_t until_ns;		/* CLOSE: at the latest */
	char why[200];			/* AGAIN */
};

struct post {
	struct gdi_cell cell;		/* does not change any more, */
	size_t most_bytes;		/* neither do these */
	enum post_role first_role;
	struct post_subscription first_subscription;
	pthread_t thread;
	bool started;
	struct post_queue records, orders;
	_Atomic size_t waiting_bytes;	/* of records: added by the thread, taken off by the scheduler */
	_Atomic size_t waiting;		/* records, likewise */
	_Atomic size_t sending_bytes;	/* of requests without an answer: the other way round */
	_Atomic bool held_up;		/* the thread waits until waiting_bytes are fewer */
	uint64_t requests;		/* the scheduler's: number of the last one */
	pthread_mutex_t lock;
	struct post_state state;	/* under the lock */
};

enum post_purpose { POST_FOR_SCHEDULER, POST_TO_REGISTER, POST_TO_SUBSCRIBE };

struct post_request {			/* whose answer is waited for */
	enum post_purpose purpose;
	uint32_t id;			/* of the message */
	uint64_t until_ns;
	struct post_item *answer;	/* FOR_SCHEDULER: to be filled */
	size_t n;			/* bytes that it had */
};

/* The thread's own. */
struct post_thread {
	struct post *p;
	struct gdi_link link;
	bool told_connected;
	char told_lost[sizeof(((struct post_record *)0)->text)];	/* "": nothing since the last connection */
	unsigned attempts;		/* to connect, since the last connection that lasted */
	uint64_t connected_ns;		/* since when there is a connection; 0: there is none */
	uint64_t attempt_ns;		/* when to try next, where there is none */
	struct post_request *requests;	/* in the order in which they were sent */
	size_t nrequests, capacity;
	bool leaving, gone;		/* post_close() was called; nothing is left to do */
	uint64_t leave_ns;		/* at the latest */
	uint64_t renew_ns;		/* not 0: the connection closes, until then at the latest, for a new one */

	/* as an event client: post_client.c */
	enum post_role wanted;		/* and what it is, when `client` is not 0 */
	struct post_subscription subscription;
	char name[32];
	bool used;			/* this connection has carried a registration */
	uint32_t client;
	bool subscribe_due;		/* the subscription has changed since it was sent */
	uint32_t expected;		/* number of the next event */
	bool silent;			/* told so; nothing counts any more */
	bool acknowledge_due;		/* something was delivered, and too much is waiting to be taken */
	uint64_t heard_ns;		/* the last sign of life as an event client */
	struct post_item *held;		/* a report that came before the registration's answer */
	struct gdi_delivery held_head;
};

void *post_thread_main(void *post);

/* post_thread.c */
/* The record takes the bytes, also where there is no memory: NULL. */
struct post_item *thread_item(enum post_kind kind, uint64_t number, unsigned char *bytes, size_t n, const char *text);
void thread_put(struct post_thread *thread, struct post_item *item);
void thread_tell(struct post_thread *thread, enum post_kind kind, uint64_t number, const char *text);
/* A packet of our own, which is empty then; -ENOMEM. */
int thread_ask(struct post_thread *thread, enum post_purpose purpose, struct gdi_writer *packet, uint64_t now_ns,
	       struct error *error);
bool thread_is_full(struct post_thread *thread);
void thread_show(struct post_thread *thread);	/* post_state() tells what is now */
/* Closes the connection in good order; then there is a new one, without a word to the scheduler. */
void thread_renew(struct post_thread *thread, uint64_t now_ns);

/* post_client.c: -errno with the reason why the connection is of no use any more. */
void client_role(struct post_thread *thread, const struct post_order *order, uint64_t now_ns);
int client_turn(struct post_thread *thread, uint64_t now_ns, struct error *error);
uint64_t client_due_ns(const struct post_thread *thread);
/* Take the frame's data. */
int client_report(struct post_thread *thread, struct gdi_frame *frame, uint64_t now_ns, struct error *error);
int client_answer(struct post_thread *thread, enum post_purpose purpose, struct gdi_frame *frame, uint64_t now_ns,
		  struct error *error);
void client_leave(struct post_thread *thread);
void client_disown(struct post_thread *thread);
void client_lost(struct post_thread *thread);	/* with the connection */

#endif
