/* SPDX-License-Identifier: Apache-2.0 */
/* Orders are the scheduler's commands to a qmaster. See fairlead-orders(5). */
#ifndef SCHED_QMASTER_ORDER_H
#define SCHED_QMASTER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/grant.h"

enum order_kind { ORDER_START, ORDER_TICKETS, ORDER_SUSPEND, ORDER_RESUME, ORDER_REMOVE, ORDER_VACATE };

struct order_start {
	int64_t start_time;		/* clock of the run, epoch seconds */
	struct grants granted;		/* master queue first */
	const char *granted_pe;		/* NULL: sequential */
	double tickets;			/* tickets of the task on all its instances */
	double prio, ntckts;
	/*
	 * A job ahead of it in the pending list has a reservation in this run. Not sent to a
	 * qmaster.
	 */
	bool backfilled;
};

struct order_ticket {			/* tickets of a running task on a host */
	uint32_t job_number, task;
	double tickets;
	int64_t start_time;		/* start of the task; for fairlead-hostd(8) only */
	/* The task also has tickets on other hosts; also for fairlead-hostd(8) only. */
	bool spread;
};

struct order_tickets {
	const char *host;
	const struct order_ticket *items;
	size_t n;
};

enum vacate_reason { VACATE_PRIORITY, VACATE_RANK, VACATE_POLICY };

/*
 * Order that a task gives back the slots of one queue instance. The task may run on for its
 * retirement time. Then it gets the signal, and after the vacate time it is killed and becomes
 * pending again. The job that replaces it is started when the slot is reported as free. If the slot
 * belongs to a reported claim, its job is not known, and the slot identifies it.
 */
struct order_vacate {
	const char *queue;		/* the slot */
	enum vacate_reason reason;
	const char *winner;		/* submitter that gets the slot; NULL: none */
	/* "SIGTERM"; NULL: SIGKILL as soon as the retirement time is over. */
	const char *signal;
	uint32_t retirement_s;		/* UINT32_MAX: no limit */
	uint32_t vacate_s;		/* time from the signal to SIGKILL */
};

struct order {
	/* From 1, ascending, never used twice in the lifetime of a scheduler. */
	uint64_t number;
	enum order_kind kind;
	/* 0: no job (ORDER_TICKETS, ORDER_VACATE of a reported claim) */
	uint32_t job_number;
	uint32_t task;			/* 0: no task (as above, and ORDER_REMOVE) */
	bool is_array;			/* ORDER_START: the job has tasks with numbers */
	uint32_t bytes;			/* memory that the order takes while it is kept */
	union {
		struct order_start start;
		struct order_tickets tickets;
		/* ORDER_SUSPEND, ORDER_RESUME: queue instance of the threshold. */
		const char *queue;
		struct order_vacate vacate;
	};
};

#endif
