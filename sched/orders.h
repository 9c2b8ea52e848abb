/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to the qmaster: fairlead-orders(5). Each has a number and is one line of JSON. It is kept until the qmaster acknowledges it,
 * and repeated to whoever connects before that; a snapshot makes all of them void. No input or output here: the process sends them.
 *
 * A start that was ordered is booked in the mirror at once (mirror_order_start()), so the next run does not order it again.
 */
#ifndef SCHED_ORDERS_H
#define SCHED_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order {
	uint64_t number;		/* from 1, ascending, never used twice in a scheduler's life */
	char *line;			/* with its newline */
	size_t length;
};

struct orders {				/* zero-initialise */
	struct order *items;		/* not acknowledged, ascending */
	size_t begin, end, capacity;
	uint64_t last;			/* number given out */
	uint64_t started, refused, withheld;	/* since the beginning */
};

void orders_free(struct orders *o);

struct order_granted {
	const char *queue;		/* queue instance */
	uint32_t slots;
	double tickets, otickets, ftickets, stickets;
};

struct order_start {
	uint32_t job_number, task;
	bool is_array;
	int64_t start_time;		/* the run's clock */
	const struct order_granted *granted;	/* master queue first */
	size_t ngranted;
	const char *granted_pe;		/* NULL: sequential */
	double prio, ntckts;
};

struct order_ticket {			/* of a running task on a host */
	uint32_t job_number, task;
	double tickets;
};

/* All return the order's number, or 0: no memory, nothing was ordered. Doubles are finite. */
uint64_t orders_start(struct orders *o, const struct order_start *start);
uint64_t orders_tickets(struct orders *o, const char *host, const struct order_ticket *tickets, size_t n);	/* {"order":"tickets"} */
uint64_t orders_suspend(struct orders *o, bool suspend, uint32_t job_number, uint32_t task, const char *queue);	/* on threshold; or resume */
uint64_t orders_remove(struct orders *o, uint32_t job_number);	/* an immediate job that could not start */

/* The qmaster has all orders up to this one: they are not repeated. -EINVAL: no such number was given out. */
int orders_acknowledge(struct orders *o, uint64_t up_to);

/* All that are kept are void. */
void orders_void(struct orders *o);

/* The first one kept whose number is greater than `number`; NULL: none. Valid until the next call that changes `o`. */
const struct order *orders_after(const struct orders *o, uint64_t number);

#endif
