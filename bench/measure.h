/* SPDX-License-Identifier: Apache-2.0 */
/* What all programs here measure with. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

/* A clock that only goes on. */
double now_ns(void);

struct figure {			/* of some repeats */
	double median, best;
};

/* Of n > 0 values, which come to be sorted, each divided by something. */
struct figure figure_of(double *values, int n, double divisor);

#define BENCH_PATH 200		/* bytes of a directory's name */
/*
 * An empty directory of its own, below $TMPDIR or /tmp, for the caller to remove. 0, or -errno after
 * a message.
 */
int bench_directory(char directory[BENCH_PATH]);

/* CPUs that this process may use; at least 1. */
unsigned cpus(void);

#endif
