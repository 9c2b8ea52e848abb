/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by advice.c and changes.c: one kind of change, in steps from 0 (no change) to
 * the most.
 */
#ifndef SCHED_EXPLAIN_ADVICE_INSIDE_H
#define SCHED_EXPLAIN_ADVICE_INSIDE_H

#include "sched/explain/advice.h"
#include "sched/whatif/whatif.h"

#define TRIALS_MOST 256

struct advice_trial {				/* a run with this number of steps */
	int64_t steps;
	uint64_t place;			/* 0: the job is not in the list */
	bool starts;
	double prio;
};

struct advice_change {
	enum advice_kind kind;
	const struct fl_view *view;	/* borrowed, as the next two */
	const struct fl_job *job;
	struct error *error;
	/* set by change_open(): */
	/* False if the active algorithm does not use it. Then no advice is given. */
	bool exists;
	const char *never;		/* sentence: reason why it has no effect; or NULL */
	struct whatif *whatif;
	const struct fl_view *before;	/* run to which the trials are compared */
	bool runs_already;		/* true if other tasks of the job are running */
	bool is_linear;			/* prio grows in proportion to steps */
	bool is_scanned;		/* a larger change may have less effect */
	int64_t from, most;		/* value at 0 steps; number of steps */
	/* trials[0] is the run with 0 steps. */
	struct advice_trial trials[TRIALS_MOST];
	size_t ntrials;
	unsigned runs;
};

/* changes.c */
int change_open(struct advice_change *change);
void change_close(struct advice_change *change);
int64_t change_value(const struct advice_change *change, int64_t steps);
int change_suppose(const struct advice_change *change, int64_t steps, struct suppositions *suppositions);
/* Return the priority of the job in this place. */
double change_prio_at(const struct advice_change *change, uint64_t place);

/* Read the result of the job from a run. In advice.c. */
void change_read(const struct advice_change *change, const struct fl_view *view, struct advice_trial *trial);

#endif
