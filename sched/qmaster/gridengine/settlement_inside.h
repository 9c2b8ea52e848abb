/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about orders share. */
#ifndef SCHED_QMASTER_GRIDENGINE_SETTLEMENT_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_SETTLEMENT_INSIDE_H

#include "sched/qmaster/gridengine/packed.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/reader/fairlead.h"

#define STARTS_MOST 40u		/* in a packet */

/* A start that was decided, until it is seen or void; by job and task. */
struct ordered_start {
	uint64_t number;		/* of the order */
	uint64_t instances;		/* a sum over the versions of its queue instances when it was decided */
	uint64_t request, answered;	/* 0: it was not sent; deliveries when it was answered, + 1 */
	uint32_t version;		/* of the job when it was decided */
	bool enrolled;			/* its task was, and no more, since it was sent */
};

struct ordered_starts {
	struct pool names;		/* struct task_name */
	struct ordered_start *items;
	size_t capacity;
	uint64_t noted, sent;		/* numbers of orders: up to these they were looked at, and sent */
	uint64_t deliveries;
};

struct shown_digits {				/* what the qmaster shows of a task: a sum over the digits */
	uint32_t job_number, task;
	uint64_t digits;		/* 0: nothing but zeros */
};

struct shown_values {
	struct fl_cell *cell;		/* our own runs */
	bool told;			/* that they can't be read */
	struct shown_digits *pending;		/* by row of the mirror's jobs */
	struct shown_digits *running;		/* by number of the mirror's tasks */
	size_t npending, nrunning;
	/* of which to tell, best first: places in the list of pending jobs, as this generation has it */
	uint32_t *rows;
	size_t nrows, done, rows_capacity;
	uint64_t generation;
	uint64_t request;		/* a packet of these; one at a time */
	uint64_t running_request;
	uint64_t allowance_ns, looked_ns;	/* of the qmaster's time */
	bool due, hosts_due;		/* a run has new values; hosts are to hear of theirs */
};

struct settlement {
	struct ordered_starts starts;
	struct usage_book usage;
	struct shown_values shown;
	uint64_t info;			/* a sum over what was sent last; 0: nothing */
	bool ran;			/* since something was sent */
	/*
	 * Until when (CLOCK_MONOTONIC) orders may be sent: a second after a delivery, or after a
	 * run that a delivery came before. Who has been displaced hears nothing, and so orders
	 * nothing.
	 */
	uint64_t heard_ns;
	bool heard;			/* there was a delivery since the last run */
	bool finishing;			/* no more starts */
	bool refused;			/* by the last answer: told */
};

/*
 * A packet to be filled: with a credential of its own. false: there is none now, which was told.
 * packet_send() empties it; the number of the request, 0: nothing was sent.
 */
bool packet_begin(struct sge *sge, struct packed *packed);
uint64_t packet_send(struct sge *sge, struct packed *packed);

/* settlement_starts.c: starts, and what else is ordered of single tasks */
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

/*
 * settlement_look.c: why it must not be sent as it was decided; NULL: nothing is known against it
 */
const char *start_hindrance(struct sge *sge, const struct order *order, const struct ordered_start *start);
/* A sum over the versions of its queue instances. */
uint64_t start_instances(const struct sge *sge, const struct order *order);

/* settlement_tickets.c */
void tickets_ran(struct sge *sge);
void tickets_send(struct sge *sge);
void tickets_answered(struct sge *sge, uint64_t request);
void tickets_forget(struct sge *sge);		/* the qmaster has none of them any more */
void tickets_stop(struct sge *sge);
void tickets_close(struct sge *sge);
/* Our own last run; NULL: it can't be read. fl_end() must follow. */
const struct fl_view *tickets_view(struct sge *sge);

/* settlement_tree.c, settlement_info.c */
void tree_send(struct sge *sge);
void info_send(struct sge *sge);

#endif
