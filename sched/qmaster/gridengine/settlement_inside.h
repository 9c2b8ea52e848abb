/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files about orders. */
#ifndef SCHED_QMASTER_GRIDENGINE_SETTLEMENT_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_SETTLEMENT_INSIDE_H

#include "sched/qmaster/gridengine/packed.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/reader/fairlead.h"

#define STARTS_MOST 40u		/* in a packet */

/* A start that was decided, until it is confirmed or void; by job and task. */
struct ordered_start {
	uint64_t number;		/* number of the order */
	/* Checksum of the versions of its queue instances when it was decided. */
	uint64_t instances;
	/* Request, 0: not sent; deliveries when it was answered, + 1. */
	uint64_t request, answered;
	uint32_t version;		/* version of the job when it was decided */
	bool enrolled;			/* since it was sent, its task was only enrolled */
};

struct ordered_starts {
	struct pool names;		/* struct task_name */
	struct ordered_start *items;
	size_t capacity;
	/* Last order that was noted, and last order that was sent. */
	uint64_t noted, sent;
	uint64_t deliveries;
};

/* Checksum of the digits that the qmaster shows for a task. */
struct shown_digits {
	uint32_t job_number, task;
	uint64_t digits;		/* 0: only zeros */
};

struct shown_values {
	struct fl_cell *cell;		/* our own runs */
	bool reported;			/* logged that they cannot be read */
	struct shown_digits *pending;		/* indexed by row of the mirror's jobs */
	struct shown_digits *running;		/* indexed by number of the mirror's tasks */
	size_t npending, nrunning;
	/* Jobs to report, best first: indices in the list of pending jobs of this generation. */
	uint32_t *rows;
	size_t nrows, done, rows_capacity;
	uint64_t generation;
	uint64_t request;		/* a packet of these; one at a time */
	uint64_t running_request;
	/* Time of the qmaster that may be used; time of the last computation. */
	uint64_t allowance_ns, looked_ns;
	bool due, hosts_due;		/* a run has new values; hosts must receive theirs */
};

struct settlement {
	struct ordered_starts starts;
	struct usage_book usage;
	struct shown_values shown;
	uint64_t info;			/* checksum of the last information sent; 0: none */
	bool ran;			/* a run was made since the last order was sent */
	/*
	 * Time limit (CLOCK_MONOTONIC) for sending orders: one second after a delivery, or after a
	 * run that was preceded by a delivery. A displaced scheduler receives no deliveries and so
	 * sends no orders.
	 */
	uint64_t heard_ns;
	bool heard;			/* a delivery came since the last run */
	bool finishing;			/* no more starts */
	bool refused;			/* the last answer was a refusal, and this was logged */
};

/*
 * packet_begin() prepares a packet with a credential of its own. false: there is none now, which
 * was logged. packet_send() empties the packet and returns the number of the request, 0 if nothing
 * was sent.
 */
bool packet_begin(struct sge *sge, struct packed *packed);
uint64_t packet_send(struct sge *sge, struct packed *packed);

/* settlement_starts.c: starts and other orders for single tasks */
void starts_open(struct ordered_starts *starts);
void starts_close(struct ordered_starts *starts);
void starts_note(struct sge *sge);			/* a run was published */
void starts_send(struct sge *sge);
void starts_seen(struct sge *sge, uint32_t job_number, uint32_t task);
void starts_enrolled(struct sge *sge, uint32_t job_number, uint32_t task);
void starts_gone(struct sge *sge, uint32_t job_number, uint32_t task);
void starts_answered(struct sge *sge, uint64_t request);
void starts_delivered(struct sge *sge);
void starts_updated(struct sge *sge);
void starts_stop(struct sge *sge);
bool starts_are_settled(const struct sge *sge);

/* settlement_look.c: return why a start must not be sent as it was decided. NULL: no reason. */
const char *start_hindrance(struct sge *sge, const struct order *order, const struct ordered_start *start);
/* Return a checksum of the versions of its queue instances. */
uint64_t start_instances(const struct sge *sge, const struct order *order);

/* settlement_tickets.c */
void tickets_ran(struct sge *sge);
void tickets_send(struct sge *sge);
void tickets_answered(struct sge *sge, uint64_t request);
void tickets_forget(struct sge *sge);		/* the qmaster has none of them any more */
void tickets_stop(struct sge *sge);
void tickets_close(struct sge *sge);
/* Return our own last run; call fl_end() afterwards. NULL: it cannot be read. */
const struct fl_view *tickets_view(struct sge *sge);

/* settlement_tree.c, settlement_info.c */
void tree_send(struct sge *sge);
void info_send(struct sge *sge);

#endif
