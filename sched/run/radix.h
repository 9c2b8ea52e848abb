/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of a radix sort. Each has 11 bits, so that its counts fit into a first-level cache. */
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
