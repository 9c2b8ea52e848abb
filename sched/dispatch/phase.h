/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch as the rest of the scheduler knows it: two phases that find out what the cluster has and
 * who gets it, one that makes orders of that, and why others have to wait.
 *
 * All on the thread that makes the run. int functions return 0 or -ENOMEM; then the run is given
 * up.
 */
#ifndef SCHED_DISPATCH_PHASE_H
#define SCHED_DISPATCH_PHASE_H

#include "sched/policy/policy.h"

struct dispatch;
struct orders;
struct schedule_lines;

/* Switched on. -ENOMEM. dispatch_free() in any case. */
int dispatch_create(struct dispatch **dispatch, struct strings *strings);
void dispatch_free(struct dispatch *dispatch);	/* NULL is a no-op */

/* Off: runs find out how many slots are free, and nothing starts. */
void dispatch_switch(struct dispatch *dispatch, bool on);
/*
 * Paused: runs decide as ever and order nothing of it; what would have started still waits, an
 * array with the priority of its first task. For runs that only show what has changed.
 */
void dispatch_pause(struct dispatch *dispatch, bool on);
/* Where runs write what they book from now on (schedule.h); NULL: nowhere. Borrowed. */
void dispatch_schedule(struct dispatch *dispatch, struct schedule_lines *lines);
/* The cell is about to be freed: nothing of it is kept. */
void dispatch_forget(struct dispatch *dispatch);

/*
 * What of it a run goes on from: before a run into the head, and the jobs whose removal was
 * ordered; and in a scheduler that goes on where another one has left off. -ENOMEM: in part.
 */
const struct pool *dispatch_remember(const struct dispatch *dispatch, struct state_head *head);
int dispatch_resume(struct dispatch *dispatch, const struct run *run, const struct scheduler_event *from);

/* phase.c: hosts, instances, loads, what running tasks use; sets run->free_slots */
int dispatch_cluster(struct dispatch *dispatch, struct run *run);
/*
 * loop.c: pending jobs in the run's order: starts and reservations. `orders` says what can be
 * ordered.
 */
int dispatch_jobs(struct dispatch *dispatch, struct run *run, const struct policy *policy, struct orders *orders);
/* places.c: the same as the policy negotiates it. */
int dispatch_negotiate(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders);
/* decisions.c: the mirror has what was decided as transferring tasks, the qmaster gets orders. */
int dispatch_orders(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders);

struct advance_wish {			/* an advance reservation that somebody wants */
	int64_t begin, end;		/* epoch seconds */
	/* as of a job; NULL: none */
	const char *owner, *group, *project, *hard, *pe, *pe_range, *hard_queues, *master_queues, *ckpt;
	bool now;			/* in queues of type INTERACTIVE */
	/*
	 * who is to use it: users and @usersets between commas, of all of whom each queue must admit;
	 * NULL: the owner
	 */
	const char *access;
};

struct advance_place_found {
	struct granted *items;		/* the caller's to free; names are the dispatch's until the next run */
	size_t n;
	const char *pe;			/* the cell's; NULL: sequential */
};

/*
 * advance_find.c: between two runs, where it would lie, as a run would find it for a job. -ENOENT:
 * nowhere, with the reason; -ENOMEM.
 */
int dispatch_find_advance(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish,
			  struct advance_place_found *found, struct error *why);

/*
 * verify.c: whether a job with such requests could start if nothing else was in use, whatever the
 * load is and whichever queues are disabled now. For a dispatch of its own, whose runs decide
 * nothing; the times of the wish do not count. -ENOENT: it could not, with the reason; -ENOMEM.
 */
int dispatch_verify(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish, struct error *why);

/* publish_why.c: the tables that show why jobs did not start; `self`: the dispatch */
struct publisher dispatch_publisher(struct dispatch *dispatch);
/* picture.c: the tables that show the cluster */
struct publisher dispatch_cluster_publisher(struct dispatch *dispatch);

#endif
