/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a scheduler. sched.c creates them from top to bottom and frees them from bottom to top.
 * pass.c runs them. For these two files, for code that takes a scheduler apart, and for tests.
 */
#ifndef SCHED_PARTS_H
#define SCHED_PARTS_H

#include "sched/dispatch/phase.h"
#include "sched/policy/policies.h"
#include "sched/run/account.h"
#include "sched/sched.h"

struct sched {
	/* directory to read the cell from again; NULL: it is not read again */
	char *directory;
	struct cell *cell;		/* active configuration */
	struct segment segment;		/* segment for results that readers see */
	struct strings *strings;	/* names, by number */
	struct workers *workers;	/* threads */
	struct mirror mirror;		/* objects that the qmaster has reported */
	struct account account;		/* decay and weights of usage */
	struct policies policies;	/* policies, which compute the order of jobs */
	struct run run;			/* columns of a run, from list to publication */
	struct dispatch *dispatch;	/* assignment of tasks to queue instances */
	/* dispatch on an empty cell, for sched_verify(); NULL: not used yet */
	struct dispatch *verifier;
	struct orders orders;		/* orders for the qmaster */
	/* receiver of the task ends that runs book; all members NULL: none */
	struct ends_watch ends;
	struct sched_witness witness;	/* receiver of reloads and edits; all members NULL: none */
	struct durable durable;		/* references to everything that a store keeps */
	/* state that a run worked on, published so that the run can be computed again */
	struct state_publication state;
	uint64_t phase_ns[PHASES];	/* duration of the phases of the last run */
	bool unpublished;		/* runs are not published: sched_publishes() */
	struct process_facts process;	/* facts about the process that makes the runs */
};

/*
 * Create a scheduler from a complete cell and segment. The scheduler owns both from now on, even if
 * the call fails. -ENOMEM: *s is NULL.
 */
int sched_make(struct sched **sched, struct cell *cell, const struct segment *segment);

/* Repeat the last phase of a run (pass.c). -ENOMEM. */
int sched_publish(struct sched *sched);

#endif
