/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell of any size to measure on: users in a three-level tree, projects, departments, all
 * policies on.
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

/* Write the cell's files into an empty directory. 0 or -errno. */
int bench_cell_write(const char *directory, const struct bench_shape *shape);

/*
 * Tell a mirror of a snapshot's worth of jobs: a tenth of a percent running, all others pending;
 * owners, projects, requests, -p and submission times spread by a fixed random sequence. 0 or
 * -errno.
 */
int bench_jobs_add(struct mirror *mirror, const struct bench_shape *shape, int64_t now);

/*
 * The queue's jobs one after the other, in the order of submission, always the same. It has no end:
 * those beyond shape->jobs are submitted at `now`.
 */
struct bench_jobs {
	const struct bench_shape *shape;
	int64_t now;
	size_t n;			/* jobs so far */
	uint32_t random;
	char owner[16], project[16], department[16], name[24], hard[48];
};
void bench_jobs_begin(struct bench_jobs *jobs, const struct bench_shape *shape, int64_t now);
/* Its strings are good until the next one. */
void bench_jobs_next(struct bench_jobs *jobs, struct job_spec *spec);
/* One of these jobs, by its number, runs from the beginning on; the others are pending. */
bool bench_job_runs(const struct bench_shape *shape, size_t number);

/* The next one of a fixed sequence; *state is never 0. */
uint32_t next_random(uint32_t *state);

/* A file of a cell. 0 or -errno. */
int write_file(const char *directory, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Remove the cell's directory with all below it. */
void bench_cell_remove(const char *directory);

#endif
