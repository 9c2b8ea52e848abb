/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's priorities, explained. What the files of algorithm multifactor share.
 *
 *     multifactor.c          which job is meant; the sum
 *     multifactor_request.c  age, job size, partition, QOS, TRES
 *     multifactor_shares.c   association and fair-share: the way through the tree, of each variant
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
	uint32_t row;			/* in the run as made again */
	uint32_t request;
	const struct shape *shape;
	const struct slurm_job *slurm;
	struct job_numbers numbers;
	uint32_t association;		/* NONE */
};

/* A factor, its value before it was divided, and what it was divided by; DERIVED_NONE. */
struct factor_lines {
	uint32_t factor, raw, most;
};

/*
 * The derived line if it has come to this value, else what the run has, given: numbers of a pass
 * stay while what they came from moves on.
 */
uint32_t multifactor_settle_line(const struct priced_job *job, uint32_t derived, long double value);

struct factor_lines multifactor_derive_age(const struct priced_job *job);
struct factor_lines multifactor_derive_size(const struct priced_job *job);
struct factor_lines multifactor_derive_qos(const struct priced_job *job);
/* In one of its places; adds no section. `tres`: the weighted sum. */
struct factor_lines multifactor_derive_partition(const struct priced_job *job, uint32_t place);
uint32_t multifactor_derive_tres(const struct priced_job *job, uint32_t place);
struct factor_lines multifactor_derive_association(const struct priced_job *job);
/* Adds its section. */
struct factor_lines multifactor_derive_fairshare(const struct priced_job *job);

#endif
