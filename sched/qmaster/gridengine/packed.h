/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders in the qmaster's format. A packet of orders is a packet of tasks, each with its own list
 * of orders. A refused order stops the following orders of its list, but no other list.
 *
 *     struct packed packed = { .credential = credential };
 *
 *     packed_start(&packed, &start);		a list of its own
 *     packed_tickets_begin(&packed);		all tickets of a run in one list
 *     packed_tickets(&packed, kind, &ticket);
 *     packed_tickets_end(&packed);
 *     if (packed.w.rc == 0)
 *             post_send(post, &packed.w);
 *     packed_free(&packed);
 *
 * Names of fields and flags are those of types.h. The order of the fields is part of the protocol:
 * the qmaster remembers the positions of the fields in the first tickets that it ever received.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_PACKED_H
#define SCHED_QMASTER_GRIDENGINE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/gdi/writer.h"

struct packed {				/* zero, except for the credential */
	struct gdi_writer w;
	const char *credential;		/* borrowed */
	uint32_t tasks;			/* number so far */
	size_t begin, list;		/* positions of the open task and of its list */
};

void packed_free(struct packed *packed);

enum packed_kind { /* OR_type */
		   PACKED_START = 1,
		   PACKED_TICKETS,
		   PACKED_PENDING_TICKETS,
		   PACKED_REMOVE,
		   PACKED_PROJECT,
		   PACKED_USER,
		   PACKED_TREE,
		   PACKED_REMOVE_IMMEDIATE,
		   PACKED_SUSPEND = 10,
		   PACKED_RESUME,
		   PACKED_INFO,
		   PACKED_CLEAR,
};

/* Write an order that only names a task: remove, suspend, resume. clear: task 0. */
void packed_plain(struct packed *packed, enum packed_kind kind, uint32_t job_number, uint32_t task);

struct packed_instance {		/* share of a task in a queue instance */
	const char *queue;		/* "q@host" */
	uint32_t slots, version;
	double tickets, otickets, ftickets, stickets;
};

struct packed_start {
	uint32_t job_number, task, version;	/* version of the job */
	const char *pe;			/* NULL: sequential */
	double tickets, ntix, prio;
	const struct packed_instance *instances;	/* master queue first */
	size_t n;
};
void packed_start(struct packed *packed, const struct packed_start *start);

struct packed_ticket {			/* values of a task that qstat -ext -urg -pri shows */
	uint32_t job_number, task;
	double npprior, nurg, urg, rrcontr, dlcontr, wtcontr;
	double tickets, otickets, ftickets, stickets, share, prio, ntix;
	/* Granted instances of a running task, if its hosts must receive the tickets. */
	const struct packed_instance *granted;
	size_t n;
	bool spread;			/* hosts receive only their own part of the tickets */
};
void packed_tickets_begin(struct packed *packed);
void packed_tickets(struct packed *packed, enum packed_kind kind, const struct packed_ticket *ticket);
void packed_tickets_end(struct packed *packed);

/*
 * Write the usage of a user or project. `debited` replaces the entries of the same jobs, and an
 * empty list removes a job. Other jobs are not changed.
 */
void packed_usage(struct packed *packed, enum packed_kind kind, const struct object_usage *usage, uint32_t version);

struct packed_node {			/* node of the share tree, in pre-order */
	const char *name;
	uint32_t depth;			/* root: 0 */
	uint32_t job_count;
	double m_share, actual_share, target_share;
};
void packed_tree(struct packed *packed, uint32_t version, const struct packed_node *nodes, size_t n);

struct packed_message {			/* reason why jobs are pending */
	uint32_t number;
	const char *text;
	const uint32_t *jobs;		/* NULL: not about single jobs */
	size_t n;
};
void packed_info(struct packed *packed, const struct packed_message *messages, size_t n);

/* packed_order.c: for the other files */
struct packed_order {			/* fields of an order other than queue list and joker */
	enum packed_kind kind;
	uint32_t job_number, task, version;
	double tickets, ntix, prio;
	const char *pe;
};
void packed_list_begin(struct packed *packed);
void packed_list_end(struct packed *packed);
/*
 * Write the first fields of an order. The queue list follows. Then come the ticket, the joker, and
 * the last fields.
 */
void packed_order_begin(struct packed *packed, const struct packed_order *order);
void packed_order_ticket(struct packed *packed, const struct packed_order *order);
void packed_order_end(struct packed *packed, const struct packed_order *order);
void packed_queues(struct packed *packed, const char *name, const struct packed_instance *instances, size_t n);

#endif
