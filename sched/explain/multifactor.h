/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanation of Slurm's priorities. Declarations shared by the files of algorithm multifactor.
 *
 *     multifactor.c          the job that is explained; the sum
 *     multifactor_request.c  age, job size, partition, QOS, TRES
 *     multifactor_shares.c   association and fair-share: the path through the tree, of each variant
 */
#ifndef SCHED_EXPLAIN_MULTIFACTOR_H
#define SCHED_EXPLAIN_MULTIFACTOR_H

#include "sched/explain/inside.h"
#include "sched/policy/multifactor/multifactor.h"

struct priced_job {
	struct explainer *e;
	struct explanation *x;
	struct derivation *d;
	const struct multifactor *m;
	const struct run *run;
	uint32_t row;			/* in the run that was computed again */
	uint32_t request;
	const struct shape *shape;
	const struct slurm_job *slurm;
	struct job_numbers numbers;
	uint32_t association;		/* NONE */
};

/* Lines of a factor, of its value before the division, and of the divisor; or DERIVED_NONE. */
struct factor_lines {
	uint32_t factor, raw, most;
};

/*
 * Return the derived line if it has this value, else a given line with the value of the run.
 * Numbers of a pass stay unchanged while their inputs change.
 */
uint32_t multifactor_settle_line(const struct priced_job *job, uint32_t derived, long double value);

struct factor_lines multifactor_derive_age(const struct priced_job *job);
struct factor_lines multifactor_derive_size(const struct priced_job *job);
struct factor_lines multifactor_derive_qos(const struct priced_job *job);
/* Derive the factor for one of its partitions, or the weighted sum of TRES. Adds no section. */
struct factor_lines multifactor_derive_partition(const struct priced_job *job, uint32_t place);
uint32_t multifactor_derive_tres(const struct priced_job *job, uint32_t place);
struct factor_lines multifactor_derive_association(const struct priced_job *job);
/* Derive the fair-share factor and add its section. */
struct factor_lines multifactor_derive_fairshare(const struct priced_job *job);

#endif
