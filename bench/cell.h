/* SPDX-License-Identifier: Apache-2.0 */
/* A cell of any size to measure on: users in a three-level tree, projects, departments, all policies on. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <stddef.h>
#include <stdint.h>

#include "sched/mirror.h"

struct bench_shape {
	size_t jobs, users;
	uint32_t seed;
};

#define BENCH_PROJECTS 20
#define BENCH_DEPARTMENTS 8

/* Write the cell's files into an empty directory. 0 or -errno. */
int bench_cell_write(const char *directory, const struct bench_shape *shape);

/*
 * Tell a mirror of a snapshot's worth of jobs: a tenth of a percent running, all others pending; owners, projects, requests, -p and
 * submission times spread by a fixed random sequence. 0 or -errno.
 */
int bench_jobs_add(struct mirror *m, const struct bench_shape *shape, int64_t now);

/* Remove the cell's directory with all below it. */
void bench_cell_remove(const char *directory);

#endif
