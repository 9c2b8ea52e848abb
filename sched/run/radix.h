/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of a radix sort: 11 bits at a time, so that the counts of one fit a first level cache. */
#ifndef SCHED_RUN_RADIX_H
#define SCHED_RUN_RADIX_H

#include <stddef.h>
#include <stdint.h>

#define DIGIT_BITS 11
#define BUCKETS (1u << DIGIT_BITS)

static inline size_t bucket_of(uint64_t key, unsigned shift)
{
	return key >> shift & (BUCKETS - 1);
}

#endif
