/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a cell between two runs, as a qmaster would tell it: some of the jobs are altered
 * (qalter -p), or some end and others are submitted. Where the changed jobs lie in the list decides
 * what a run can keep of the one before, so there are three patterns.
 */
#ifndef BENCH_CHURN_H
#define BENCH_CHURN_H

#include "bench/cell.h"

enum change_pattern {
	CHANGE_SPREAD,		/* -p of every n-th job */
	CHANGE_CLUSTERED,	/* -p of jobs submitted one after the other */
	/*
	 * half of them: the oldest pending jobs start and finish; the other half: as many new ones
	 * are submitted
	 */
	CHANGE_ENDS,
	CHANGE_PATTERNS
};

struct churn {
	struct mirror *mirror;
	const struct bench_shape *shape;
	struct bench_jobs added;
	size_t per_round, round;
	size_t oldest;		/* number of the first job that has not been made to end */
};

const char *change_name(enum change_pattern pattern);

/* After bench_jobs_add(). `percent` of the jobs in each round, but at least one. */
void churn_begin(struct churn *churn, struct mirror *mirror, const struct bench_shape *shape, double percent,
		 int64_t now);

/*
 * One round. CHANGE_ENDS comes after all rounds of the others, whose jobs it takes away. 0, or the
 * mirror's error.
 */
int churn_make(struct churn *churn, enum change_pattern pattern, int64_t now, struct error *error);

#endif
