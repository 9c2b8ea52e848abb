/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Slurm site of any size to measure on: accounts in two levels with users below, four partitions,
 * all factors weighted, 600 kinds of jobs.
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
#define SLURM_SUBACCOUNTS 200		/* below these; users are in them */
#define SLURM_CALC_PERIOD 60		/* seconds: priorities are computed no more often */
#define SLURM_NOW 1700000000		/* the clock of the first run */

/* Associations of the cell, the root and its user among them. */
size_t slurm_associations(const struct slurm_shape *shape);

/* Write the cell's files into an empty directory. 0 or -errno. */
int slurm_cell_write(const char *directory, const struct slurm_shape *shape);

/* The queue's jobs one after the other, in the order of submission, always the same. */
struct slurm_jobs {
	const struct slurm_shape *shape;
	size_t n;			/* jobs so far */
	uint32_t random;
	char owner[16], account[16], name[24], tres[64];
};
void slurm_jobs_begin(struct slurm_jobs *jobs, const struct slurm_shape *shape);
/* Its strings are good until the next one. */
void slurm_jobs_next(struct slurm_jobs *jobs, struct job_spec *spec);

/* Tell a mirror of all jobs, none of which runs, and of what the users have used. 0 or -errno. */
int slurm_jobs_add(struct mirror *mirror, const struct slurm_shape *shape);

/* The same as events of fairlead-events(5). 0 or -EIO. */
int slurm_jobs_write(FILE *out, const struct slurm_shape *shape);

#endif
