/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supply of a run: what the cell has to give, and how much of it is booked. It has the
 * instances, the quotas, the parallel environments and the advance reservations. Searches read it.
 * Bookings of tasks change it: dispatch/book.c.
 */
#ifndef SCHED_DISPATCH_SEARCH_SUPPLY_H
#define SCHED_DISPATCH_SEARCH_SUPPLY_H

#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/quota/quota.h"
#include "sched/dispatch/search/advance.h"

struct pe_state {
	uint64_t used;			/* slots in use */
	uint64_t place;			/* rank of its last use */
	uint32_t line;
};

struct access {
	struct strlist user_lists, xuser_lists, projects, xprojects;
};

struct slot_totals {			/* slots at the beginning of the run */
	uint64_t all;			/* slots of the instances in service */
	uint64_t unused;		/* unused slots of these */
	uint64_t free;			/* unused slots of the open instances */
	bool bounded;			/* every instance has a known number of slots */
};

struct supply {				/* zero-initialise */
	const struct cell *cell;	/* borrowed; NULL: none yet */
	struct access access;		/* from sge_conf(5) */
	bool hosts_restrict;		/* some host has access lists */
	struct cluster cluster;
	struct quotas *quotas;
	uint32_t *hits;			/* scratch for quota_rules() */
	struct pe_state *pes;		/* indexed like cell->pes */
	uint32_t *pe_list;		/* indices into cell->pes, in Grid Engine's list order */
	struct advances advances;	/* advance reservations of this run */
	struct slot_totals slots;
	int64_t now;			/* time of the run */
	bool reserves;			/* max_reservation > 0 */
	/* Bookings are kept in time: `reserves` is set or there are advance reservations. */
	bool timed;
	/* A negative request has been booked, so free resources can also grow in this run. */
	bool gives;
};

/*
 * Build the part that depends on the cell, for a set of instances. Return 0 or -ENOMEM. Call
 * supply_forget() in both cases, before the cell is freed.
 */
int supply_create(struct supply *supply, const struct cell *cell, const struct reported_instance *reported, size_t n);
void supply_forget(struct supply *supply);

#endif
