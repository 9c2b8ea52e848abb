/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double now_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return 1e9 * (double)timespec.tv_sec + (double)timespec.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct figure figure_of(double *values, int n, double divisor)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return (struct figure){ .median = values[n / 2] / divisor, .best = values[0] / divisor };
}

int bench_directory(char directory[BENCH_PATH])
{
	const char *parent = getenv("TMPDIR");
	int n = snprintf(directory, BENCH_PATH, "%s/fairlead-bench-XXXXXX", parent && *parent ? parent : "/tmp");
	int rc = n >= BENCH_PATH ? -ENAMETOOLONG : mkdtemp(directory) ? 0 : -errno;

	if (rc) {
		errno = -rc;
		perror(directory);
	}
	return rc;
}

unsigned cpus(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? (unsigned)CPU_COUNT(&allowed) : 1;
}
