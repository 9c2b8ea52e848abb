/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cell of any size for measurements: users in a three-level tree, projects, departments, all
 * policies active.
 */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/mirror/mirror.h"

struct bench_shape {
	size_t jobs, users;
	uint32_t seed;
};

#define BENCH_PROJECTS 20
#define BENCH_DEPARTMENTS 8

/* Write the cell's files into an empty directory. Returns 0 or -errno. */
int bench_cell_write(const char *directory, const struct bench_shape *shape);

/*
 * Add the jobs of a snapshot to a mirror: a tenth of a percent running, all others pending. Owners,
 * projects, requests, -p and submission times follow a fixed random sequence. Returns 0 or -errno.
 */
int bench_jobs_add(struct mirror *mirror, const struct bench_shape *shape, int64_t now);

/*
 * Generator of the queue's jobs, in the order of submission, always the same. The sequence has no
 * end. Jobs beyond shape->jobs are submitted at `now`.
 */
struct bench_jobs {
	const struct bench_shape *shape;
	int64_t now;
	size_t n;			/* jobs so far */
	uint32_t random;
	char owner[16], project[16], department[16], name[24], hard[48];
};
void bench_jobs_begin(struct bench_jobs *jobs, const struct bench_shape *shape, int64_t now);
/* Make the next job. Its strings are valid until the next call. */
void bench_jobs_next(struct bench_jobs *jobs, struct job_spec *spec);
/* Return true if the job with this number runs from the beginning. All others are pending. */
bool bench_job_runs(const struct bench_shape *shape, size_t number);

/* Return the next number of a fixed sequence. *state is never 0. */
uint32_t next_random(uint32_t *state);

/* Write a file of a cell. Returns 0 or -errno. */
int write_file(const char *directory, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Remove the cell's directory and everything in it. */
void bench_cell_remove(const char *directory);

#endif
