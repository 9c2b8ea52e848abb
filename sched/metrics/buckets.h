/* SPDX-License-Identifier: Apache-2.0 */
/* Upper limits of the buckets of histograms of times. */
#ifndef SCHED_METRICS_BUCKETS_H
#define SCHED_METRICS_BUCKETS_H

#include <stddef.h>

#define BUCKETS_MOST 32u

struct buckets {
	double seconds[BUCKETS_MOST]; /* ascending */
	size_t n;
};

/* 1 s to 7 days. */
extern const struct buckets buckets_usual;

/* Parse "60,300,3600". Returns 0 or -EINVAL. */
int buckets_parse(struct buckets *limits, const char *text);

/* Return the bucket of a value: the first whose limit is not smaller, or `n`. */
static inline size_t buckets_find(const struct buckets *limits, double seconds)
{
	size_t bucket = 0;

	for (size_t i = 0; i < limits->n; i++)
		bucket += seconds > limits->seconds[i];
	return bucket;
}

#endif
