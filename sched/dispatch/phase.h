/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of dispatch. The first phase sets up the resources of the cluster. The second phase
 * assigns them to jobs. The third phase makes orders of the decisions. Other functions report why
 * jobs are pending.
 *
 * All functions are called on the thread that makes the run. Functions that return int return 0 or
 * -ENOMEM unless stated otherwise; after -ENOMEM the run is abandoned.
 */
#ifndef SCHED_DISPATCH_PHASE_H
#define SCHED_DISPATCH_PHASE_H

#include "sched/policy/policy.h"

struct dispatch;
struct orders;
struct schedule_lines;

/*
 * Create a dispatch object, switched on. Return 0 or -ENOMEM; call dispatch_free() in both cases.
 */
int dispatch_create(struct dispatch **dispatch, struct strings *strings);
void dispatch_free(struct dispatch *dispatch);	/* NULL is allowed */

/* Switch off: runs only count free slots, and no job starts. */
void dispatch_switch(struct dispatch *dispatch, bool on);
/*
 * Pause: runs decide as usual but send no orders. Jobs that would have started stay pending; an
 * array keeps the priority of its first task. Use it for runs that only show what has changed.
 */
void dispatch_pause(struct dispatch *dispatch, bool on);
/* Set where runs write their bookings from now on (schedule.h). NULL: nowhere. Borrowed. */
void dispatch_schedule(struct dispatch *dispatch, struct schedule_lines *lines);
/* Release everything that refers to the cell, before it is freed. */
void dispatch_forget(struct dispatch *dispatch);

/*
 * dispatch_remember() writes the state that a run starts from to `head` and returns the jobs whose
 * removal was ordered. dispatch_resume() restores it in a scheduler that continues after another
 * one. Return 0 or -ENOMEM. After -ENOMEM a part is restored.
 */
const struct pool *dispatch_remember(const struct dispatch *dispatch, struct state_head *head);
int dispatch_resume(struct dispatch *dispatch, const struct run *run, const struct scheduler_event *from);

/* phase.c: Set up hosts, instances, loads and the usage of running tasks. Sets run->free_slots. */
int dispatch_cluster(struct dispatch *dispatch, struct run *run);
/*
 * loop.c: Assign pending jobs in the run's order: job starts and reservations. `orders` limits what
 * can be ordered.
 */
int dispatch_jobs(struct dispatch *dispatch, struct run *run, const struct policy *policy, struct orders *orders);
/* places.c: Assign pending jobs as the policy negotiates. */
int dispatch_negotiate(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders);
/*
 * decisions.c: Add the decisions to the mirror as transferring tasks, and make orders for the
 * qmaster.
 */
int dispatch_orders(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders);

struct advance_wish {			/* request for an advance reservation */
	int64_t begin, end;		/* seconds since 1970 */
	/* like those of a job; NULL: none */
	const char *owner, *group, *project, *hard, *pe, *pe_range, *hard_queues, *master_queues, *ckpt;
	bool now;			/* use queues of type INTERACTIVE */
	/*
	 * Users and @usersets that will use it, separated by commas. Each queue must admit all of
	 * them. NULL: the owner.
	 */
	const char *access;
};

struct advance_place_found {
	/* owned by the caller; names belong to dispatch until the next run */
	struct granted *items;
	size_t n;
	const char *pe;			/* name in the cell; NULL: sequential */
};

/*
 * advance_find.c: Find a place for an advance reservation between two runs, as a run finds it for a
 * job. Return 0, -ENOENT with the reason in `why`, or -ENOMEM.
 */
int dispatch_find_advance(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish,
			  struct advance_place_found *found, struct error *why);

/*
 * verify.c: Find out whether a job with these requests could start if nothing were in use. Loads
 * and disabled queues are ignored. Use a separate dispatch object whose runs decide nothing. The
 * times of the wish are ignored. Return 0, -ENOENT with the reason in `why`, or -ENOMEM.
 */
int dispatch_verify(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish, struct error *why);

/* Return the publisher of the tables of pending reasons. */
struct publisher dispatch_publisher(struct dispatch *dispatch);
/* Return the publisher of the tables of the cluster. */
struct publisher dispatch_cluster_publisher(struct dispatch *dispatch);

#endif
