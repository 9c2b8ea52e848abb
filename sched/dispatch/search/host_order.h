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

/* State of the host list since it was last sorted for a job. */
enum host_order_state { HOSTS_SORTED, HOSTS_NUMBERED, HOSTS_VISITED };

struct host_order {			/* zero-initialise */
	enum host_order_state state;
	/* A host's number has changed, or that is not known: searches sort the queue list. */
	bool changed;
	/* Hosts have been numbered in this run. */
	bool is_numbered;
	/* The last numbers of hosts are from an attempt: their places in the queue list. */
	bool is_by_place;
	/*
	 * `hosts` is the present order. noted_pe, noted_single: PE of the last noted visit, and
	 * whether it was for one slot.
	 */
	bool is_noted, noted_single;
	uint32_t noted_pe;
	/* `nhosts` stands for the global host; `other` is scratch */
	uint32_t *hosts, *other;
	uint32_t *seen;			/* per host: the last visit that has reached it */
	uint32_t visits;
	struct number_move *moves;	/* scratch, including the next line */
	double *gone, *come;
	/* values by which hosts were last numbered, including `global` */
	struct numbers numbers;
	bool has_numbers;		/* `numbers` is kept up to date */
	double global;			/* value of `global` in `numbers` */
};

int host_order_begin(struct dispatch *dispatch);	/* return 0 or -ENOMEM */
void host_order_free(struct host_order *order);
/*
 * host_order_number() returns the last number of a host. host_order_value() returns the value of a
 * number, or INFINITY if there are not so many numbers.
 */
uint32_t host_order_number(const struct dispatch *dispatch, uint32_t host);
double host_order_value(const struct dispatch *dispatch, uint32_t number);

/* Begin with a job: sort the hosts if a job start has changed a value. */
void ranking_job(struct dispatch *dispatch);
/*
 * Begin a search for the job, or for its reservation: number the hosts if they were sorted for it.
 * `exactly`: a changed number matters for more than the next sort.
 */
void ranking_number(struct dispatch *dispatch, bool exactly);
/*
 * Note that a parallel attempt visits the hosts in the order of the queue list. The order is only
 * kept if the job may get a reservation.
 */
void ranking_visit(struct search *search, uint32_t slots);

#endif
