/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to the qmaster. Each has a number, and is kept until the qmaster acknowledges or refuses
 * it; a snapshot makes all of them void. No input or output here: a qmaster sends them or carries
 * them out.
 *
 * A start that was ordered is booked in the mirror at once (mirror_order_start()), so the next run
 * does not order it again.
 *
 * What nobody takes does not pile up without bound: beyond ORDERS_KEPT orders or ORDERS_BYTES of
 * memory nothing more can be ordered until some are acknowledged.
 */
#ifndef SCHED_QMASTER_ORDERS_H
#define SCHED_QMASTER_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/qmaster/order.h"

#define ORDERS_KEPT (1u << 20)
#define ORDERS_BYTES (512u << 20)
#define ORDER_BYTES (1u << 20)		/* of one order: that much must be free */

/*
 * Who hears of tickets as they are ordered, whether the qmaster takes orders or not; NULL: nobody
 */
struct orders_watch {
	void *context;
	/* all of this host */
	void (*tickets)(void *context, const char *host, const struct order_ticket *tickets, size_t n);
	void (*end)(void *context);	/* hosts that were not named since the last end have none */
};

/* How much the qmaster takes in one order, in its own form. Zero: any amount. */
struct orders_limits {
	/* what the queue instances of a start may take together, and what one of them takes */
	size_t instances_bytes;
	size_t (*instance_bytes)(const char *queue);
	/* how many of these an order with this number can hold: at least 1 */
	size_t (*tickets)(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n);
};

struct orders {				/* zero-initialise */
	/* not acknowledged, one number after the other; NULL: carried out, or refused */
	struct order **items;
	size_t begin, end, capacity;
	size_t bytes;			/* that they take */
	uint64_t last;			/* number given out */
	/* since the beginning; `withheld` is counted by who withholds */
	uint64_t started, refused, withheld;
	/* the caller sets these */
	struct orders_watch watch;
	struct orders_limits limits;
};

void orders_free(struct orders *orders);

/*
 * All return the order's number, or 0: nothing was ordered, for lack of memory, or since too many
 * are kept, or the limits don't allow it. What is given is copied. Doubles are finite.
 */
/* job_number, task, is_array and start of `order` count. */
uint64_t orders_start(struct orders *orders, const struct order *order);
/* As many orders as it takes; the number of the last one. */
uint64_t orders_tickets(struct orders *orders, const char *host, const struct order_ticket *tickets, size_t n);
/* Each host that has running tasks has had its tickets. */
void orders_tickets_end(struct orders *orders);
/* On a threshold; or resume. */
uint64_t orders_suspend(struct orders *orders, bool suspend, uint32_t job_number, uint32_t task, const char *queue);
/* an immediate job that could not start */
uint64_t orders_remove(struct orders *orders, uint32_t job_number);
/*
 * a task whose slot somebody else is to have, or whose machine's policy says so; 0, 0: a told claim
 */
uint64_t orders_vacate(struct orders *orders, uint32_t job_number, uint32_t task, const struct order_vacate *vacate);

/*
 * May a start be on queue instances that take so many bytes, the sum of orders_instance_bytes() of
 * each?
 */
size_t orders_instance_bytes(const struct orders *orders, const char *queue);
bool orders_fit(const struct orders *orders, size_t instances_bytes);

/* So many are kept that the next one may not be given. */
bool orders_are_full(const struct orders *orders);

/*
 * The qmaster has all orders up to this one: they are not repeated. -EINVAL: no such number was
 * given out.
 */
int orders_acknowledge(struct orders *orders, uint64_t up_to);

/* The qmaster will not carry this one out: it is counted, and not repeated if it was still kept. */
void orders_refuse(struct orders *orders, uint64_t number);

/* This one was carried out, whatever became of those before it. Nothing, if it is not kept. */
void orders_carried_out(struct orders *orders, uint64_t number);

/* All that are kept are void. */
void orders_void(struct orders *orders);

/*
 * As another scheduler has left it, of which nothing was ordered yet here: the number of its last
 * order, and those that it keeps, by their numbers: of each its number, kind, job, task and bytes
 * count, and what else it says is not known. -EINVAL: they can't be; -ENOMEM.
 */
int orders_restore(struct orders *orders, const struct order *kept, size_t n, uint64_t last);

/* The one with this number; NULL: it is not kept. Valid until the next call that changes `o`. */
const struct order *orders_find(const struct orders *orders, uint64_t number);

/* The first one kept whose number is greater than `number`; NULL: none. Valid as above. */
const struct order *orders_after(const struct orders *orders, uint64_t number);

#endif
