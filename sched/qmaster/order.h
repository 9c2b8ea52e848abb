/* SPDX-License-Identifier: Apache-2.0 */
/* Orders: what the scheduler tells a qmaster to do, as fairlead-orders(5) describes it. */
#ifndef SCHED_QMASTER_ORDER_H
#define SCHED_QMASTER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/grant.h"

enum order_kind { ORDER_START, ORDER_TICKETS, ORDER_SUSPEND, ORDER_RESUME, ORDER_REMOVE, ORDER_VACATE };

struct order_start {
	int64_t start_time;		/* the run's clock, epoch seconds */
	struct grants granted;		/* master queue first */
	const char *granted_pe;		/* NULL: sequential */
	double tickets;			/* of the task, on all its instances */
	double prio, ntckts;
	/*
	 * a job before it in the pending list has a reservation in this run; not told to a qmaster
	 */
	bool backfilled;
};

struct order_ticket {			/* of a running task on a host */
	uint32_t job_number, task;
	double tickets;
	int64_t start_time;		/* of the task; for fairlead-hostd(8) only */
	bool spread;			/* it has tickets on other hosts, too; the same */
};

struct order_tickets {
	const char *host;
	const struct order_ticket *items;
	size_t n;
};

enum vacate_reason { VACATE_PRIORITY, VACATE_RANK, VACATE_POLICY };

/*
 * A task is to give back the slots that it has there: it may go on for its retirement time, gets
 * the signal, and is killed after the vacate time. It waits again then; what is to take its place
 * is ordered when the slot is told free. Of a told claim nobody knows the job: the slot says which.
 */
struct order_vacate {
	const char *queue;		/* the slot */
	enum vacate_reason reason;
	const char *winner;		/* the submitter for whom; NULL: nobody */
	const char *signal;		/* "SIGTERM"; NULL: SIGKILL as soon as the retirement is over */
	uint32_t retirement_s;		/* UINT32_MAX: as long as it takes */
	uint32_t vacate_s;		/* from the signal to SIGKILL */
};

struct order {
	/* from 1, ascending, never used twice in a scheduler's life */
	uint64_t number;
	enum order_kind kind;
	uint32_t job_number;		/* 0: of no job, ORDER_TICKETS, ORDER_VACATE of a told claim */
	uint32_t task;			/* 0: of none, these and ORDER_REMOVE */
	bool is_array;			/* ORDER_START: the job has tasks with numbers */
	uint32_t bytes;			/* that the order takes in memory, while it is kept */
	union {
		struct order_start start;
		struct order_tickets tickets;
		const char *queue;	/* ORDER_SUSPEND, ORDER_RESUME: with the threshold */
		struct order_vacate vacate;
	};
};

#endif
