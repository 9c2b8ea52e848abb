/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm site of any size for measurements: accounts in two levels with users below, four
 * partitions, all factors weighted, 600 kinds of jobs.
 */
#ifndef BENCH_SLURM_CELL_H
#define BENCH_SLURM_CELL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sched/mirror/mirror.h"

struct slurm_shape {
	size_t jobs, users;
	uint32_t seed;
};

#define SLURM_ACCOUNTS 20		/* below the root */
#define SLURM_SUBACCOUNTS 200		/* below the former; users are in them */
/* seconds between two computations of priorities, at least */
#define SLURM_CALC_PERIOD 60
#define SLURM_NOW 1700000000		/* clock of the first run */

/* Return the number of associations of the cell, including the root and its user. */
size_t slurm_associations(const struct slurm_shape *shape);

/* Write the cell's files into an empty directory. Returns 0 or -errno. */
int slurm_cell_write(const char *directory, const struct slurm_shape *shape);

/* Generator of the queue's jobs, in the order of submission, always the same. */
struct slurm_jobs {
	const struct slurm_shape *shape;
	size_t n;			/* jobs so far */
	uint32_t random;
	char owner[16], account[16], name[24], tres[64];
};
void slurm_jobs_begin(struct slurm_jobs *jobs, const struct slurm_shape *shape);
/* Make the next job. Its strings are valid until the next call. */
void slurm_jobs_next(struct slurm_jobs *jobs, struct job_spec *spec);

/*
 * Add all jobs, all of them pending, and the usage of the users to a mirror. Returns 0 or -errno.
 */
int slurm_jobs_add(struct mirror *mirror, const struct slurm_shape *shape);

/* Write all jobs as events of fairlead-events(5). Returns 0 or -EIO. */
int slurm_jobs_write(FILE *out, const struct slurm_shape *shape);

#endif
