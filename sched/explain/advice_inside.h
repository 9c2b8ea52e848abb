/* SPDX-License-Identifier: Apache-2.0 */
/* What advice.c and levers.c share: one kind of change, in steps from 0, none, to the most. */
#ifndef SCHED_EXPLAIN_ADVICE_INSIDE_H
#define SCHED_EXPLAIN_ADVICE_INSIDE_H

#include "sched/explain/advice.h"
#include "sched/whatif/whatif.h"

#define TRIALS_MOST 256

struct advice_trial {				/* a run with so many steps */
	int64_t steps;
	uint64_t place;			/* 0: it is not in the list */
	bool starts;
	double prio;
};

struct advice_lever {
	enum advice_kind kind;
	const struct fl_view *view;	/* borrowed, as these */
	const struct fl_job *job;
	struct error *error;
	/* lever_open() */
	/* with the algorithm in force; else nothing is to be said */
	bool exists;
	const char *never;		/* it is no use: a sentence */
	struct whatif *whatif;
	const struct fl_view *before;	/* what runs are compared with */
	bool runs_already;		/* other tasks of the job run */
	bool is_linear;			/* prio grows in proportion to steps */
	bool is_scanned;		/* more may do less */
	int64_t from, most;		/* the value at 0 steps; steps */
	/* trials[0] is that of 0 steps */
	struct advice_trial trials[TRIALS_MOST];
	size_t ntrials;
	unsigned runs;
};

/* levers.c */
int lever_open(struct advice_lever *lever);
void lever_close(struct advice_lever *lever);
int64_t lever_value(const struct advice_lever *lever, int64_t steps);
int lever_suppose(const struct advice_lever *lever, int64_t steps, struct suppositions *suppositions);
/* The priority of the job that has this place. */
double lever_prio_at(const struct advice_lever *lever, uint64_t place);

/* advice.c: what a run shows of the job. */
void lever_look(const struct advice_lever *lever, const struct fl_view *view, struct advice_trial *trial);

#endif
