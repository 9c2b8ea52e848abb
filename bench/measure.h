/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of all measurement programs. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

/* Return the time of a monotonic clock. */
double now_ns(void);

struct figure {			/* median and best of some repeats */
	double median, best;
};

/* Return the figure of n > 0 values, each divided by `divisor`. The values are sorted. */
struct figure figure_of(double *values, int n, double divisor);

#define BENCH_PATH 200		/* size of a directory's name in bytes */
/*
 * Make an empty directory in $TMPDIR or /tmp. The caller removes it. Returns 0, or -errno after a
 * message.
 */
int bench_directory(char directory[BENCH_PATH]);

/* Return the number of CPUs that this process may use, at least 1. */
unsigned cpus(void);

#endif
