/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of the post. post.c is the scheduler's side, post_thread.c the
 * thread with its connection, post_client.c its part as an event client.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_POST_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sched/qmaster/gdi/link.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/post.h"
#include "sched/qmaster/gridengine/post_queue.h"

#define POST_ITEM_BYTES 512		/* size of a record in addition to its bytes */
#define POST_SECOND_NS UINT64_C(1000000000)

struct post_item {			/* to the scheduler, which sees the record */
	struct cds_wfcq_node node;
	size_t counted;			/* bytes counted in waiting_bytes */
	struct post_record record;
};

enum post_order_kind { POST_ORDER_SEND, POST_ORDER_ROLE, POST_ORDER_DISOWN, POST_ORDER_AGAIN, POST_ORDER_CLOSE };

struct post_order {			/* to the thread */
	struct cds_wfcq_node node;
	enum post_order_kind kind;
	unsigned char *bytes;		/* SEND: owned, and allocated for the answer */
	size_t n;
	struct post_item *answer;
	enum post_role role;		/* ROLE */
	struct post_subscription subscription;
	uint64_t until_ns;		/* CLOSE: time limit */
	char why[200];			/* AGAIN */
};

struct post {
	struct gdi_cell cell;		/* constant after the opening */
	size_t most_bytes;		/* likewise */
	enum post_role first_role;
	struct post_subscription first_subscription;
	pthread_t thread;
	bool started;
	struct post_queue records, orders;
	/* Bytes of records: added by the thread, subtracted by the scheduler. */
	_Atomic size_t waiting_bytes;
	_Atomic size_t waiting;		/* number of records, likewise */
	/* Bytes of requests without an answer: added by the scheduler, subtracted by the thread. */
	_Atomic size_t sending_bytes;
	_Atomic bool held_up;		/* the thread waits until waiting_bytes is smaller */
	uint64_t requests;		/* number of the last request; used only by the scheduler */
	pthread_mutex_t lock;
	struct post_state state;	/* protected by the lock */
};

enum post_purpose { POST_FOR_SCHEDULER, POST_TO_REGISTER, POST_TO_SUBSCRIBE };

struct post_request {			/* request whose answer is awaited */
	enum post_purpose purpose;
	uint32_t id;			/* id of the message */
	uint64_t until_ns;
	struct post_item *answer;	/* FOR_SCHEDULER: to be filled in */
	size_t n;			/* size of the request */
};

/* State of the thread. */
struct post_thread {
	struct post *p;
	struct gdi_link link;
	bool reported_connected;
	/* Reason last reported; "": none since the last connection. */
	char reported_lost[sizeof(((struct post_record *)0)->text)];
	/* Attempts to connect since the last connection that lasted. */
	unsigned attempts;
	uint64_t connected_ns;		/* time of the connection; 0: none */
	uint64_t attempt_ns;		/* time of the next attempt if there is no connection */
	struct post_request *requests;	/* in the order in which they were sent */
	size_t nrequests, capacity;
	bool leaving, gone;		/* post_close() was called; the thread has finished */
	uint64_t leave_ns;		/* time limit */
	/* Time limit for closing this connection before a new one; 0: not closing. */
	uint64_t renew_ns;

	/* State as an event client: post_client.c. */
	enum post_role wanted;		/* wanted role; the current one if `client` is not 0 */
	struct post_subscription subscription;
	char name[32];
	bool used;			/* the connection has carried a registration */
	uint32_t client;
	bool subscribe_due;		/* the subscription has changed since it was sent */
	uint32_t expected;		/* number of the next event */
	bool silent;			/* POST_SILENCE was reported; reports are ignored */
	/* A delivery was received while too many bytes were waiting. */
	bool acknowledge_due;
	uint64_t heard_ns;		/* last sign of life of the registration */
	struct post_item *held;		/* report received before the answer to the registration */
	struct gdi_delivery held_head;
};

void *post_thread_main(void *post);

/* post_thread.c */
/* Create a record that takes over the bytes, even if it returns NULL (no memory). */
struct post_item *thread_item(enum post_kind kind, uint64_t number, unsigned char *bytes, size_t n, const char *text);
void thread_put(struct post_thread *thread, struct post_item *item);
void thread_report(struct post_thread *thread, enum post_kind kind, uint64_t number, const char *text);
/* Send a packet of our own, which is empty afterwards. -ENOMEM. */
int thread_ask(struct post_thread *thread, enum post_purpose purpose, struct gdi_writer *packet, uint64_t now_ns,
	       struct error *error);
bool thread_is_full(struct post_thread *thread);
/* Close the connection regularly and open a new one. This is not reported to the scheduler. */
void thread_renew(struct post_thread *thread, uint64_t now_ns);

/* post_client.c: -errno with the reason if the connection cannot be used any more. */
void client_role(struct post_thread *thread, const struct post_order *order, uint64_t now_ns);
int client_turn(struct post_thread *thread, uint64_t now_ns, struct error *error);
uint64_t client_due_ns(const struct post_thread *thread);
/* Handle a report or an answer. Both functions take over the data of the frame. */
int client_report(struct post_thread *thread, struct gdi_frame *frame, uint64_t now_ns, struct error *error);
int client_answer(struct post_thread *thread, enum post_purpose purpose, struct gdi_frame *frame, uint64_t now_ns,
		  struct error *error);
void client_leave(struct post_thread *thread);
void client_disown(struct post_thread *thread);
void client_lost(struct post_thread *thread);	/* the connection is lost */

#endif
