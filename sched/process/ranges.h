/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task ids as qsub -t writes them: "1-10:2,17". Sorted, disjoint, steps >= 1; at most 2^32-1 ids
 * without being expanded. Ranges do not interlace: items[i].max < items[i + 1].min.
 */
#ifndef SCHED_PROCESS_RANGES_H
#define SCHED_PROCESS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	/* min <= max, max is reached exactly, step >= 1 (1 if min == max) */
	uint32_t min, max, step;
};

/* owned by whoever filled it, with the functions below only; ranges_free() */
struct ranges {
	struct range *items;
	size_t n;
};

/*
 * "n[-m[:s]][,...]" in any order, ids 1..4294967295; at most 1,000,000 ranges, at most as many ids
 * in ranges that interlace with each other ("1-9:2,2-10:2"). 0, -EINVAL (also when an id comes
 * twice), -ENOMEM. Empty text: n == 0.
 */
int ranges_parse(struct ranges *ranges, const char *text);
/* The same with at most `most` ids in ranges that interlace: each takes time. */
int ranges_parse_most(struct ranges *ranges, const char *text, uint64_t most);
void ranges_free(struct ranges *ranges);
int ranges_copy(struct ranges *to, const struct ranges *from);

bool ranges_contain(const struct ranges *ranges, uint32_t id);
uint64_t ranges_count(const struct ranges *ranges);

/* -ENOENT if it is not in there; -ENOMEM changes nothing. */
int ranges_remove(struct ranges *ranges, uint32_t id);
/* -EEXIST if it is in there. */
int ranges_add(struct ranges *ranges, uint32_t id);
/* A range behind all others; -EINVAL if it is not. */
int ranges_append(struct ranges *ranges, const struct range *range);

/*
 * The first `limit` ids, ascending, that are in `r` and in none of the `nexcept` sets; returns how
 * many they are. `ids` NULL: only that. The cost is that of the ranges and of the ids that are
 * passed over, not of all ids.
 */
size_t ranges_first(const struct ranges *ranges, const struct ranges *except, size_t nexcept, uint32_t *ids,
		    size_t limit);

/* The greatest common divisor: of two steps, where both ranges go on alike. Not both are 0. */
uint64_t common_divisor(uint64_t a, uint64_t b);

/* Equal sets of ids, however they are written. */
bool ranges_equal(const struct ranges *a, const struct ranges *b);

/* As "1-10:2,17" into text; returns the length that was needed, like snprintf(3). */
size_t ranges_format(const struct ranges *ranges, char *text, size_t size);

#endif
