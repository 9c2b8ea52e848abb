/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to the qmaster: fairlead-orders(5). Each has a number and is one line of JSON. It is kept
 * until the qmaster acknowledges or refuses it, and repeated to whoever connects before that; a
 * snapshot makes all of them void. No input or output here: the process sends them.
 *
 * A start that was ordered is booked in the mirror at once (mirror_order_start()), so the next run
 * does not order it again.
 *
 * What nobody takes does not pile up without bound: beyond ORDERS_KEPT orders or ORDERS_BYTES of
 * lines nothing more can be ordered until some are acknowledged.
 */
#ifndef SCHED_QMASTER_ORDERS_H
#define SCHED_QMASTER_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDERS_KEPT (1u << 20)
#define ORDERS_BYTES (512u << 20)
/* longest line, with its newline: a start on more than 6,000 queue instances can't be ordered */
#define ORDER_BYTES (1u << 20)
#define ORDER_TICKETS_BYTES (64u << 10)	/* the same of {"order":"tickets"}, which is split */

enum order_kind { ORDER_START, ORDER_TICKETS, ORDER_SUSPEND, ORDER_RESUME, ORDER_REMOVE };

struct order {
	/* from 1, ascending, never used twice in a scheduler's life */
	uint64_t number;
	/* with its newline; NULL: refused, until those before it are gone */
	char *line;
	uint32_t length;
	enum order_kind kind;
	uint32_t job_number, task;	/* 0: none */
};

struct order_ticket {			/* of a running task on a host */
	uint32_t job_number, task;
	double tickets;
	int64_t start_time;		/* of the task; not in the order */
	/* the task has tickets on other hosts, too; not in the order */
	bool spread;
};

/*
 * who hears of tickets as they are ordered, whether the qmaster takes orders or not; NULL: nobody
 */
struct orders_watch {
	void *context;
	/* all of this host */
	void (*tickets)(void *context, const char *host, const struct order_ticket *tickets, size_t n);
	void (*end)(void *context);	/* hosts that were not named since the last end have none */
};

struct orders {				/* zero-initialise */
	struct order *items;		/* not acknowledged, one number after the other */
	size_t begin, end, capacity;
	size_t bytes;			/* of their lines */
	uint64_t last;			/* number given out */
	/* since the beginning; `withheld` is counted by who withholds */
	uint64_t started, refused, withheld;
	struct orders_watch watch;	/* the caller sets it */
	char *text;			/* private: the line that is being written */
	size_t room;
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

/*
 * What a queue instance takes of the line of a start, at most. Those of all and ORDER_REST_BYTES
 * must not be more than ORDER_BYTES.
 */
#define ORDER_REST_BYTES 4096
size_t orders_instance_bytes(const char *queue);

/*
 * All return the order's number, or 0: nothing was ordered, for lack of memory or since too many
 * are kept. Doubles are finite; others are written as null.
 */
uint64_t orders_start(struct orders *o, const struct order_start *start);
/* As many orders as it takes; the number of the last one. */
uint64_t orders_tickets(struct orders *o, const char *host, const struct order_ticket *tickets, size_t n);
/* Each host that has running tasks has had its tickets. */
void orders_tickets_end(struct orders *o);
/* On a threshold; or resume. */
uint64_t orders_suspend(struct orders *o, bool suspend, uint32_t job_number, uint32_t task, const char *queue);
/* an immediate job that could not start */
uint64_t orders_remove(struct orders *o, uint32_t job_number);

/* So many are kept that the next one may not be given. */
bool orders_are_full(const struct orders *o);

/*
 * The qmaster has all orders up to this one: they are not repeated. -EINVAL: no such number was
 * given out.
 */
int orders_acknowledge(struct orders *o, uint64_t up_to);

/* The qmaster will not carry this one out: it is counted, and not repeated if it was still kept. */
void orders_refuse(struct orders *o, uint64_t number);

/* All that are kept are void. */
void orders_void(struct orders *o);

/* The one with this number; NULL: it is not kept. Valid until the next call that changes `o`. */
const struct order *orders_find(const struct orders *o, uint64_t number);

/* The first one kept whose number is greater than `number`; NULL: none. Valid as above. */
const struct order *orders_after(const struct orders *o, uint64_t number);

#endif
