/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the host list, as far as the numbers of hosts depend on it: host_order.c. Only
 * ranking.c changes it.
 */
#ifndef SCHED_DISPATCH_SEARCH_HOST_ORDER_H
#define SCHED_DISPATCH_SEARCH_HOST_ORDER_H

#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/search/numbers.h"

struct number_move;

/* State of the host list since it was last sorted for a job. */
enum host_order_state { HOSTS_SORTED, HOSTS_NUMBERED, HOSTS_VISITED };

struct ranked_host {
	double value;			/* current value of load_formula */
	double ranked;			/* value at the last renumbering */
	bool is_moved;			/* the host is in `moved` */
};

struct host_order {			/* zero-initialise */
	const struct cluster *cluster;	/* borrowed for a run */
	bool keeps_numbers;		/* keep the numbers from the first renumbering on */
	struct ranked_host *ranks;	/* per host */
	/* A job start has changed a sort value since the last job was considered. */
	bool value_changed;
	/* Hosts whose sort value differs from the value that the queue list is sorted by. */
	uint32_t *moved;
	size_t nmoved;
	uint32_t renumberings;		/* number of renumberings in this run */
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
	/* `nhosts` stands for the global host; `other` is scratch with `nother` hosts */
	uint32_t *hosts, *other;
	size_t nother;
	uint32_t *seen;			/* per host: the last visit that has reached it */
	uint32_t visits;
	struct number_move *moves;	/* scratch, including the next line */
	double *gone, *come;
	/* values by which hosts were last numbered, including `global` */
	struct numbers numbers;
	bool has_numbers;		/* `numbers` is kept up to date */
	double global;			/* value of `global` in `numbers` */
};

/* Begin a run with the present loads of the cluster. Return 0 or -ENOMEM. */
int host_order_begin(struct host_order *order, const struct cluster *cluster, bool keeps_numbers);
void host_order_free(struct host_order *order);
/* Note that the load of a host has changed. */
void host_order_load(struct host_order *order, uint32_t host);
/*
 * host_order_number() returns the last number of a host. host_order_value() returns the value of a
 * number, or INFINITY if there are not so many numbers.
 */
uint32_t host_order_number(const struct host_order *order, uint32_t host);
double host_order_value(const struct host_order *order, uint32_t number);

/* Begin with a job: sort the hosts if a job start has changed a value. */
void host_order_job(struct host_order *order);
/*
 * Number the hosts if they were sorted, or visited by an attempt, since the last renumbering.
 * `exactly`: find out whether a number has changed; otherwise it may be assumed.
 */
void host_order_renumber(struct host_order *order, bool exactly);
/* Forget the moved hosts that the queue list is now sorted by. Call after the list was sorted. */
void host_order_settle(struct host_order *order);

/*
 * Begin an attempt in a PE, which visits the hosts in the order of the queue list. `is_noted`: the
 * job may get a reservation, which needs this order. Return whether the caller must note it: call
 * host_order_note() for the host of each suitable instance of the list, then host_order_end().
 */
bool host_order_visit(struct host_order *order, uint32_t pe, bool single, bool is_noted);
static inline bool host_order_has(const struct host_order *order, uint32_t host)
{
	return order->seen[host] == order->visits;
}
void host_order_note(struct host_order *order, uint32_t host);
void host_order_end(struct host_order *order);

#endif
