/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a job that waits will start, and when one that runs will end, as far as that can be known
 * from a published run: by the reservation that it has made, else by going on from there in virtual
 * time (sched/replay/), with the run times that were asked for and without anybody submitting
 * anything. Most jobs end sooner than they have asked for, and others come: it is an estimate, and
 * no bound on either side.
 */
#ifndef SCHED_EXPLAIN_STARTING_H
#define SCHED_EXPLAIN_STARTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"

#define STARTING_FEW 8			/* jobs that it waits for, by number; reasons */

struct starting_wishes {
	/*
	 * Run time of tasks without a limit. 0: they run for ever; a job that then never starts is
	 * searched for again with default_duration, sched_conf(5), or with an hour if that is INFINITY
	 */
	uint32_t run_s;
	int64_t horizon_s;		/* of virtual time */
	/* of real time, after which it gives up behind the run at hand */
	uint64_t budget_ns;
};

enum starting_answer {
	/* nothing was looked for: it runs, is held, or is in error; or nothing can be: `reasons` */
	STARTING_UNKNOWN,
	STARTING_RESERVED,		/* the run has made a reservation */
	STARTING_ESTIMATED,
	STARTING_ASSUMED,		/* unknown; it would be `at` if tasks without a limit ran for an hour */
	STARTING_NEVER,			/* nothing is to come any more that would start it */
	STARTING_LATER,			/* not within the horizon */
	STARTING_GIVEN_UP,		/* not within the budget */
};

struct starting {
	enum starting_answer answer;
	/* epoch seconds: reserved, estimated, assumed; else up to when it was looked */
	int64_t at;
	char *queue;			/* instance of the master task; "": unknown */
	uint32_t slots;
	uint64_t runs;			/* that were made */
	/* tasks of which nothing is known when they end: now, and those that started before it */
	uint64_t endless, endless_later;
	uint32_t run_s;			/* run time that was assumed of these; 0: for ever */
	bool is_default_duration;	/* `run_s` is the cell's */
	/* jobs that it waits for and that are there */
	uint32_t after[STARTING_FEW];
	size_t nafter;			/* all of them; the first STARTING_FEW are named */
	bool is_kept;			/* it is held, or in error */
	/* STARTING_NEVER: what the last run says of it, sentences; STARTING_UNKNOWN: why */
	char *reasons[STARTING_FEW];
	size_t nreasons;
	int64_t end;			/* of a task that runs; 0: nothing is known of it */
};

/*
 * Of this row of the view. 0, -ENOMEM, or an error of sched_detach(), replay_create(), sched_run(),
 * with the sentence. starting_free() in any case.
 */
int starting_find(struct starting *starting, const struct fl_view *view, const struct fl_job *job,
		  const struct starting_wishes *wishes, struct error *error);
void starting_free(struct starting *starting);

const char *starting_answer_name(enum starting_answer answer);	/* for programs */

#endif
