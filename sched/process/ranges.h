/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of task ids as qsub -t writes them: "1-10:2,17". Ranges are sorted and disjoint, with steps
 * >= 1. Up to 2^32-1 ids are stored without being expanded. Ranges do not interlace: items[i].max <
 * items[i + 1].min.
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

/*
 * Set of ids, owned by the code that has filled it. Changed only by the functions below; free it
 * with ranges_free().
 */
struct ranges {
	struct range *items;
	size_t n;
};

/*
 * Parse "n[-m[:s]][,...]" in any order, ids 1..4294967295. At most 1,000,000 ranges are allowed,
 * and at most as many ids in ranges that interlace with each other ("1-9:2,2-10:2"). Returns 0,
 * -EINVAL (also if an id occurs twice), -ENOMEM. Empty text: n == 0.
 */
int ranges_parse(struct ranges *ranges, const char *text);
/*
 * Parse as ranges_parse() does, with at most `most` ids in ranges that interlace, because each
 * takes time.
 */
int ranges_parse_most(struct ranges *ranges, const char *text, uint64_t most);
void ranges_free(struct ranges *ranges);

uint64_t range_count(const struct range *range);
bool range_contains(const struct range *range, uint32_t id);

int ranges_copy(struct ranges *to, const struct ranges *from);

bool ranges_contain(const struct ranges *ranges, uint32_t id);
uint64_t ranges_count(const struct ranges *ranges);

/* Remove an id. -ENOENT: it is not in the set. -ENOMEM: the set is unchanged. */
int ranges_remove(struct ranges *ranges, uint32_t id);
/* Add an id. -EEXIST: it is in the set. */
int ranges_add(struct ranges *ranges, uint32_t id);
/* Append a range after all others. -EINVAL: it is not after them. */
int ranges_append(struct ranges *ranges, const struct range *range);

/* Keep only the ids that are also in `with`. -ENOMEM: the set is unchanged. */
int ranges_intersect(struct ranges *ranges, const struct ranges *with);

/*
 * Return the number of ids in `ranges` that are in none of the `nexcept` sets, at most `limit`. The
 * ids are the smallest ones, in ascending order. They are written to `ids` unless that is NULL. The
 * cost depends on the ranges and the written ids, not on the number of all ids. Only where more
 * than 16 sets have ranges at the same ids, each id is looked at.
 */
size_t ranges_first(const struct ranges *ranges, const struct ranges *except, size_t nexcept, uint32_t *ids,
		    size_t limit);

/* Return the greatest common divisor of two numbers, such as steps. At least one is not 0. */
uint64_t common_divisor(uint64_t a, uint64_t b);

/* Compare two sets of ids, regardless of their ranges. */
bool ranges_equal(const struct ranges *a, const struct ranges *b);

/* Write as "1-10:2,17" into `text`. Returns the required length, as snprintf(3) does. */
size_t ranges_format(const struct ranges *ranges, char *text, size_t size);

#endif
