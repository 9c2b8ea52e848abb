/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimated start of a waiting job, and end of a running one, as far as a published run allows. If
 * the run has made a reservation, it is used. Otherwise the run is continued in virtual time
 * (sched/replay/) with the requested run times and without further submissions. Most jobs end
 * earlier than they request, and others are submitted. The result is an estimate and no bound in
 * either direction.
 */
#ifndef SCHED_EXPLAIN_STARTING_H
#define SCHED_EXPLAIN_STARTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"

#define STARTING_FEW 8			/* most predecessors and reasons that are listed */

struct starting_wishes {
	/*
	 * Run time of tasks without a limit. 0: they run for ever. If the job then never starts,
	 * the search is repeated with default_duration of sched_conf(5), or with an hour if that is
	 * INFINITY.
	 */
	uint32_t run_s;
	int64_t horizon_s;		/* virtual time to search */
	/* Real time after which the search stops, at the end of a run. */
	uint64_t budget_ns;
};

enum starting_answer {
	/*
	 * No search: the job is running, held, or in error. Or a search is not possible: `reasons`.
	 */
	STARTING_UNKNOWN,
	STARTING_RESERVED,		/* the run has made a reservation */
	STARTING_ESTIMATED,
	/* unknown; `at` is the start if tasks without a limit run for an hour */
	STARTING_ASSUMED,
	STARTING_NEVER,			/* no further event would start it */
	STARTING_LATER,			/* not within the horizon */
	STARTING_GIVEN_UP,		/* not within the budget */
};

struct starting {
	enum starting_answer answer;
	/*
	 * Epoch seconds: time of the start if reserved, estimated or assumed; else end of the
	 * search.
	 */
	int64_t at;
	char *queue;			/* queue instance of the master task; "": unknown */
	uint32_t slots;
	uint64_t runs;			/* number of runs that were made */
	/* Tasks without a known end: running now, and started later but before the job. */
	uint64_t endless, endless_later;
	uint32_t run_s;			/* run time assumed for these; 0: for ever */
	bool is_default_duration;	/* `run_s` is default_duration of the cell */
	/* Predecessors that still exist. */
	uint32_t after[STARTING_FEW];
	/* number of all predecessors; the first STARTING_FEW are listed */
	size_t nafter;
	bool is_kept;			/* the job is held or in error */
	/*
	 * Sentences. STARTING_NEVER: reasons of the last run. STARTING_UNKNOWN: reason why there is
	 * no answer.
	 */
	char *reasons[STARTING_FEW];
	size_t nreasons;
	int64_t end;			/* end of a running task; 0: not known */
};

/*
 * Find the start of this row of the view. Returns 0, -ENOMEM, or an error of sched_detach(),
 * replay_create() or sched_run(), with the sentence. Call starting_free() in any case.
 */
int starting_find(struct starting *starting, const struct fl_view *view, const struct fl_job *job,
		  const struct starting_wishes *wishes, struct error *error);
void starting_free(struct starting *starting);

const char *starting_answer_name(enum starting_answer answer);	/* for programs */

#endif
