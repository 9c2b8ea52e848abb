/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the host list, as far as the numbers of hosts depend on it: host_order.c. */
#ifndef SCHED_DISPATCH_SEARCH_HOST_ORDER_H
#define SCHED_DISPATCH_SEARCH_HOST_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/dispatch/search/numbers.h"

struct dispatch;
struct search;
struct number_move;

/* what has happened to the host list since a job was looked at for which hosts were sorted */
enum host_order_state { HOSTS_SORTED, HOSTS_NUMBERED, HOSTS_VISITED };

struct host_order {			/* zero-initialise */
	enum host_order_state state;
	/* a host's number is not the one it had before, or nobody has looked: searches sort the queue list */
	bool changed;
	/* hosts have been numbered in this run */
	bool is_numbered;
	/* the numbers that hosts had last are those of an attempt: their places in the queue list */
	bool is_by_place;
	/* `hosts` is the present order; of the visit that was noted last: its PE, and whether it was for one slot */
	bool is_noted, noted_single;
	uint32_t noted_pe;
	uint32_t *hosts, *other;	/* `nhosts` is the global host; scratch */
	uint32_t *seen;			/* by host: the last visit that has met it */
	uint32_t visits;
	struct number_move *moves;	/* scratch, and so are these */
	double *gone, *come;
	struct numbers numbers;		/* of the values by which hosts were numbered last, `global` too */
	bool has_numbers;		/* they are kept */
	double global;			/* the value of `global` among them */
};

int host_order_begin(struct dispatch *dispatch);	/* -ENOMEM */
void host_order_free(struct host_order *order);
/* The number that a host had last; INFINITY: so many numbers there are not. */
uint32_t host_order_number(const struct dispatch *dispatch, uint32_t host);
double host_order_value(const struct dispatch *dispatch, uint32_t number);

/* A job is looked at: hosts are sorted if a start has changed a value. */
void ranking_job(struct dispatch *dispatch);
/*
 * A search for it, or for its reservation, begins: hosts are numbered, if they were sorted for it.
 * `exactly`: whether that changes a number makes a difference to more than the next sort.
 */
void ranking_number(struct dispatch *dispatch, bool exactly);
/*
 * A parallel attempt visits the hosts, in the order in which the queue list meets them. `noted`: the
 * order makes a difference to a reservation of the same job.
 */
void ranking_visit(struct search *search, uint32_t slots);

#endif
