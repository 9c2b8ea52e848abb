/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would bring a waiting job forward: past the one right before it, among the first ten, to the
 * first place. Each answer comes from runs of its own (sched/whatif/): the least change that does
 * it was tried, and so was the one that is less by one step and does not.
 *
 * Between those two nothing is known of changes that were not tried. More priority never moves a
 * job back; where time passes, others may come forward, too, so that what was good enough at one
 * time may not be so later.
 *
 * A run that is tried is the published one once more: tasks that it has started wait there, as they
 * did then. "It would start" means that this run would have started it.
 */
#ifndef SCHED_EXPLAIN_ADVICE_H
#define SCHED_EXPLAIN_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"

#define ADVICE_STEP_S 60		/* times are whole minutes */
#define ADVICE_WAIT_S 2592000		/* the longest that is tried: 30 days */
#define ADVICE_TEN 10u

enum advice_kind {
	ADVICE_PRIORITY,		/* -p, up to 1024 */
	ADVICE_NICE,			/* of a Slurm job, down */
	/* of an HTCondor job, up: its place is that among its submitter's jobs */
	ADVICE_JOB_PRIO,
	ADVICE_FACTOR,			/* of its submitter, whole numbers down to 1 */
	ADVICE_WAITING,			/* seconds from the run on, in which nothing happens */
	/* seconds for which its user's usage decays, and nobody else's */
	ADVICE_USAGE,
	ADVICE_KINDS
};
enum advice_goal { ADVICE_PAST_NEXT, ADVICE_FIRST_TEN, ADVICE_FIRST, ADVICE_GOALS };

struct advice_answer {
	bool asked;			/* false: it is there, or an earlier goal is the same */
	bool found;			/* false: not even with `most` */
	int64_t value;			/* the least change: what -p, nice, ... would be; seconds */
	uint64_t place;			/* that it has then; 0: it would start at once */
};

struct advice {
	enum advice_kind kind;
	const char *never;		/* why it was not tried: a sentence; NULL: it was */
	int64_t from, most;		/* what it is, and the most that was tried */
	/* that the job has, and would have with most; 0: it would start */
	uint64_t place;
	uint64_t most_place;
	struct advice_answer answers[ADVICE_GOALS];
};

struct advices {
	struct advice items[ADVICE_KINDS];
	size_t n;
	unsigned runs;			/* that were made for it */
	uint64_t own;			/* jobs of the same user that are ahead of it */
};

/*
 * Of a job that is in the list and can be started; else there is none. 0, or an error of
 * whatif_open() or whatif_run().
 */
int advices_find(struct advices *advices, const struct fl_view *view, const struct fl_job *job, struct error *error);

const char *advice_kind_name(enum advice_kind kind);	/* "priority" "nice" ...: for programs */
const char *advice_goal_name(enum advice_goal goal);	/* "next" "ten" "first" */
uint64_t advice_goal_place(const struct advice *advice, enum advice_goal goal);

#endif
