/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheduler is made of: sched.c makes it from top to bottom and unmakes it from bottom to
 * top, pass.c runs it. For these two, for what takes a scheduler apart, and for tests.
 */
#ifndef SCHED_PARTS_H
#define SCHED_PARTS_H

#include "sched/dispatch/phase.h"
#include "sched/policy/policies.h"
#include "sched/run/account.h"
#include "sched/sched.h"

struct sched {
	char *directory;		/* from which the cell is read again; NULL: it is not */
	struct cell *cell;		/* its configuration, in force */
	struct segment segment;		/* where readers see what runs have found */
	struct strings *strings;	/* names, by number */
	struct workers *workers;	/* threads */
	struct mirror mirror;		/* what the qmaster has reported */
	struct account account;		/* how usage decays, and what it is worth */
	struct policies policies;	/* who comes first */
	struct run run;			/* the columns of a run, from list to publication */
	struct dispatch *dispatch;	/* what starts where */
	struct dispatch *verifier;	/* an empty cell, for sched_verify(); NULL: nobody has asked yet */
	struct orders orders;		/* what the qmaster is to do */
	struct ends_watch ends;		/* who hears of the ends that runs book; all NULL: nobody */
	struct sched_witness witness;	/* who hears of reloads and edits; all NULL: nobody */
	struct durable durable;		/* what of all this a store keeps */
	struct state_publication state;	/* what a run worked on, for those who compute it again */
	uint64_t phase_ns[PHASES];	/* of the last run */
	bool unpublished;		/* runs are not shown to readers: sched_publishes() */
	struct process_facts process;	/* of the process that makes the runs */
};

/*
 * A scheduler of a cell and a segment that are ready; both are the scheduler's from now on, also
 * when it fails. -ENOMEM: *s is NULL.
 */
int sched_make(struct sched **sched, struct cell *cell, const struct segment *segment);

/* pass.c: the last phase of a run, once more. -ENOMEM. */
int sched_publish(struct sched *sched);

#endif
