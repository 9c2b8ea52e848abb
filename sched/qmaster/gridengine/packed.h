/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders as the qmaster reads them. A packet of orders is a packet of tasks, each with a list of
 * orders of its own: one that is refused stops those behind it in its list, but no other list.
 *
 *     struct packed p = { .credential = credential };
 *
 *     packed_start(&p, &start);		a list of its own
 *     packed_tickets_begin(&p);		all of a run in one list
 *     packed_tickets(&p, &tickets);
 *     packed_tickets_end(&p);
 *     if (p.w.rc == 0)
 *             post_send(post, &p.w);
 *     packed_free(&p);
 *
 * Names of fields and flags are those of types.h. The order of fields is part of the protocol: the
 * qmaster remembers where it found those of the first tickets that it was ever sent.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_PACKED_H
#define SCHED_QMASTER_GRIDENGINE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/gdi/writer.h"

struct packed {				/* zero but for the credential */
	struct gdi_writer w;
	const char *credential;		/* borrowed */
	uint32_t tasks;			/* so far */
	size_t begin, list;		/* the task that is open, and its list */
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

/* What is about a task, and says nothing but its name: remove, suspend, resume; clear: task 0. */
void packed_plain(struct packed *packed, enum packed_kind kind, uint32_t job_number, uint32_t task);

struct packed_instance {		/* what a task has of a queue instance */
	const char *queue;		/* "q@host" */
	uint32_t slots, version;
	double tickets, otickets, ftickets, stickets;
};

struct packed_start {
	uint32_t job_number, task, version;	/* of the job */
	const char *pe;			/* NULL: sequential */
	double tickets, ntix, prio;
	const struct packed_instance *instances;	/* master queue first */
	size_t n;
};
void packed_start(struct packed *packed, const struct packed_start *start);

struct packed_ticket {			/* what qstat -ext -urg -pri shows of a task */
	uint32_t job_number, task;
	double npprior, nurg, urg, rrcontr, dlcontr, wtcontr;
	double tickets, otickets, ftickets, stickets, share, prio, ntix;
	/* of a running one, if hosts are to hear of it: what it was granted */
	const struct packed_instance *granted;
	size_t n;
	bool spread;			/* each of its hosts hears of what it has there */
};
void packed_tickets_begin(struct packed *packed);
void packed_tickets(struct packed *packed, enum packed_kind kind, const struct packed_ticket *ticket);
void packed_tickets_end(struct packed *packed);

/*
 * Usage of a user or a project. What is debited replaces what is there of the same jobs, and an
 * empty list takes a job off. Of other jobs nothing changes.
 */
void packed_usage(struct packed *packed, enum packed_kind kind, const struct object_usage *usage, uint32_t version);

struct packed_node {			/* of the share tree, in pre-order */
	const char *name;
	uint32_t depth;			/* root: 0 */
	uint32_t job_count;
	double m_share, actual_share, target_share;
};
void packed_tree(struct packed *packed, uint32_t version, const struct packed_node *nodes, size_t n);

struct packed_message {			/* why jobs don't start */
	uint32_t number;
	const char *text;
	const uint32_t *jobs;		/* none: whatever the job */
	size_t n;
};
void packed_info(struct packed *packed, const struct packed_message *messages, size_t n);

/* packed_order.c: for the others */
struct packed_order {			/* what an order has beside queue list and joker */
	enum packed_kind kind;
	uint32_t job_number, task, version;
	double tickets, ntix, prio;
	const char *pe;
};
void packed_list_begin(struct packed *packed);
void packed_list_end(struct packed *packed);
/* The first fields; the queue list follows. Then the ticket, the joker, and the last fields. */
void packed_order_begin(struct packed *packed, const struct packed_order *order);
void packed_order_ticket(struct packed *packed, const struct packed_order *order);
void packed_order_end(struct packed *packed, const struct packed_order *order);
void packed_queues(struct packed *packed, const char *name, const struct packed_instance *instances, size_t n);

#endif
