/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of orders to the qmaster. Each order has a number and is kept until the qmaster
 * acknowledges or refuses it. A snapshot makes all orders void. There is no input or output here: a
 * qmaster sends the orders or carries them out.
 *
 * A start that was ordered is booked in the mirror at once (mirror_order_start()), so that the next
 * run does not order it again.
 *
 * The queue is bounded. Once ORDERS_KEPT orders or ORDERS_BYTES of memory are in use, no further
 * order is accepted until some are acknowledged.
 */
#ifndef SCHED_QMASTER_ORDERS_H
#define SCHED_QMASTER_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/qmaster/order.h"

#define ORDERS_KEPT (1u << 20)
#define ORDERS_BYTES (512u << 20)
#define ORDER_BYTES (1u << 20)		/* memory of one order at most: this much must be free */

/*
 * Observer of tickets when they are ordered, whether the qmaster takes orders or not. NULL: none.
 */
struct orders_watch {
	void *context;
	/* Receive all tickets of this host. */
	void (*tickets)(void *context, const char *host, const struct order_ticket *tickets, size_t n);
	/* Hosts without a call of tickets() since the last end have no tickets. */
	void (*end)(void *context);
};

/* Limits of one order in the qmaster's own form. Zero: no limit. */
struct orders_limits {
	/*
	 * Bytes that the queue instances of a start may take together, and bytes that one of them
	 * takes.
	 */
	size_t instances_bytes;
	size_t (*instance_bytes)(const char *queue);
	/* Return how many of these tickets fit into an order with this number, at least 1. */
	size_t (*tickets)(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n);
};

struct orders {				/* zero-initialise */
	/* Orders not acknowledged, in the order of their numbers. NULL: carried out or refused. */
	struct order **items;
	size_t begin, end, capacity;
	size_t bytes;			/* memory that the orders take */
	uint64_t last;			/* last number used */
	/*
	 * Counts since the start of the scheduler. `withheld` is incremented by the code that
	 * withholds orders.
	 */
	uint64_t started, refused, withheld;
	/* Set by the caller. */
	struct orders_watch watch;
	struct orders_limits limits;
};

void orders_free(struct orders *orders);

/*
 * Functions that issue an order return its number. They return 0 and order nothing if memory is
 * exhausted, if too many orders are kept, or if the limits do not allow the order. They copy their
 * arguments. Doubles must be finite.
 */
/* Order a start. Reads job_number, task, is_array and start of `order`. */
uint64_t orders_start(struct orders *orders, const struct order *order);
/* Order tickets, split into as many orders as needed. Returns the number of the last one. */
uint64_t orders_tickets(struct orders *orders, const char *host, const struct order_ticket *tickets, size_t n);
/* Report that the tickets of each host with running tasks have been ordered. */
void orders_tickets_end(struct orders *orders);
/* Suspend a task because of a threshold, or resume it. */
uint64_t orders_suspend(struct orders *orders, bool suspend, uint32_t job_number, uint32_t task, const char *queue);
/* Remove an immediate job that could not start. */
uint64_t orders_remove(struct orders *orders, uint32_t job_number);
/*
 * Vacate a task because its slot goes to another submitter or the policy of its machine requires
 * it. job_number 0 and task 0: a reported claim.
 */
uint64_t orders_vacate(struct orders *orders, uint32_t job_number, uint32_t task, const struct order_vacate *vacate);

/*
 * orders_fit() returns whether a start may use queue instances that take `instances_bytes`, the sum
 * of orders_instance_bytes() of each.
 */
size_t orders_instance_bytes(const struct orders *orders, const char *queue);
bool orders_fit(const struct orders *orders, size_t instances_bytes);

/* Return whether so many orders are kept that the next one may be refused. */
bool orders_are_full(const struct orders *orders);

/*
 * Note that the qmaster has received all orders up to this one, so that they are not repeated.
 * -EINVAL: no such number was used.
 */
int orders_acknowledge(struct orders *orders, uint64_t up_to);

/*
 * Note that the qmaster will not carry out this order. It is counted, and no longer repeated if it
 * is still kept.
 */
void orders_refuse(struct orders *orders, uint64_t number);

/* Remove one order that was carried out, regardless of earlier ones. No-op if it is not kept. */
void orders_carried_out(struct orders *orders, uint64_t number);

/* Make all orders void. */
void orders_void(struct orders *orders);

/*
 * Continue the queue of another scheduler, before the first order is issued here. `last` is the
 * number of its last order, `kept` the orders that it keeps, sorted by number. Only number, kind,
 * job, task and bytes of each are read; the rest of an order is not known. -EINVAL: impossible
 * orders. -ENOMEM.
 */
int orders_restore(struct orders *orders, const struct order *kept, size_t n, uint64_t last);

/*
 * Return the order with this number, NULL if it is not kept. Valid until the next call that changes
 * `orders`.
 */
const struct order *orders_find(const struct orders *orders, uint64_t number);

/*
 * Return the first order with a number greater than `number`, NULL if there is none. Valid as
 * above.
 */
const struct order *orders_after(const struct orders *orders, uint64_t number);

#endif
