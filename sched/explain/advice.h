/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice: changes that would move a waiting job forward: past the job before it, among the first
 * ten, or to the first position. Each answer comes from runs of its own (sched/whatif/). The least
 * change that reaches the goal was tried, and the change that is one step smaller was tried and
 * does not reach it.
 *
 * Changes between these two were not tried, so nothing is known about them. More priority never
 * moves a job back. While time passes, other jobs may also move forward, so a time that is long
 * enough at one moment may be too short later.
 *
 * A trial run is the published run once more: tasks that the published run has started are waiting
 * again, as they were then. "It would start" means that this run would have started it.
 */
#ifndef SCHED_EXPLAIN_ADVICE_H
#define SCHED_EXPLAIN_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"

#define ADVICE_STEP_S 60		/* times are in whole minutes */
#define ADVICE_WAIT_S 2592000		/* longest time that is tried: 30 days */
#define ADVICE_TEN 10u

enum advice_kind {
	ADVICE_PRIORITY,		/* -p, up to 1024 */
	ADVICE_NICE,			/* nice of a Slurm job, downwards */
	/* JobPrio of an HTCondor job, upwards. Its place is that among its submitter's jobs. */
	ADVICE_JOB_PRIO,
	/* priority factor of its submitter, whole numbers down to 1 */
	ADVICE_FACTOR,
	ADVICE_WAITING,			/* seconds after the run in which nothing happens */
	/* Seconds for which only the usage of its user decays. */
	ADVICE_USAGE,
	ADVICE_KINDS
};
enum advice_goal { ADVICE_PAST_NEXT, ADVICE_FIRST_TEN, ADVICE_FIRST, ADVICE_GOALS };

struct advice_answer {
	/* false: the goal is reached already, or is the same as an earlier one */
	bool asked;
	bool found;			/* false: not reached even with `most` */
	int64_t value;			/* least change: the value of -p, nice, ...; or seconds */
	uint64_t place;			/* place of the job then; 0: it would start at once */
};

struct advice {
	enum advice_kind kind;
	const char *never;		/* sentence: reason why it was not tried; NULL: it was */
	int64_t from, most;		/* value now, and the largest value tried */
	/* Places of the job now and with `most`; 0: it would start. */
	uint64_t place;
	uint64_t most_place;
	struct advice_answer answers[ADVICE_GOALS];
};

struct advices {
	struct advice items[ADVICE_KINDS];
	size_t n;
	unsigned runs;			/* number of runs that were made */
	uint64_t own;			/* jobs of the same user before it */
};

/*
 * Find the advice for a job that is in the list and can be started. For other jobs it is empty.
 * Returns 0, or an error of whatif_open() or whatif_run().
 */
int advices_find(struct advices *advices, const struct fl_view *view, const struct fl_job *job, struct error *error);

const char *advice_kind_name(enum advice_kind kind);	/* "priority" "nice" ...: for programs */
const char *advice_goal_name(enum advice_goal goal);	/* "next" "ten" "first" */
uint64_t advice_goal_place(const struct advice *advice, enum advice_goal goal);

#endif
