/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes in a cell between two runs, as a qmaster reports them: some jobs are altered (qalter -p),
 * or some end and others are submitted. A run can reuse results of the previous run. How many
 * depends on the positions of the changed jobs in the list, so there are three patterns.
 */
#ifndef BENCH_CHURN_H
#define BENCH_CHURN_H

#include "bench/cell.h"

enum change_pattern {
	CHANGE_SPREAD,		/* -p of every n-th job */
	CHANGE_CLUSTERED,	/* -p of adjacent jobs */
	/*
	 * half of the changes: the oldest pending jobs start and finish; the other half: as many
	 * new jobs are submitted
	 */
	CHANGE_ENDS,
	CHANGE_PATTERNS
};

struct churn {
	struct mirror *mirror;
	const struct bench_shape *shape;
	struct bench_jobs added;
	size_t per_round, round;
	size_t oldest;		/* number of the first job that has not ended yet */
};

const char *change_name(enum change_pattern pattern);

/*
 * Prepare rounds that change `percent` of the jobs, but at least one. Call after bench_jobs_add().
 */
void churn_begin(struct churn *churn, struct mirror *mirror, const struct bench_shape *shape, double percent,
		 int64_t now);

/*
 * Make one round of changes. CHANGE_ENDS must come after all rounds of the other patterns, because
 * it removes their jobs. Returns 0 or the mirror's error.
 */
int churn_make(struct churn *churn, enum change_pattern pattern, int64_t now, struct error *error);

#endif
