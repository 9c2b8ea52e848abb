/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of task ids of one job of the local cell, at most IDS_MAX. Functions return 0, -ENOMEM, or
 * -E2BIG if the result has too many ranges. `result` may be an operand and is unchanged after an
 * error.
 */
#ifndef SCHED_QMASTER_LOCAL_IDS_H
#define SCHED_QMASTER_LOCAL_IDS_H

#include "sched/process/ranges.h"

/* Most tasks of an array job, even if max_aj_tasks sets no limit. */
#define IDS_MAX 75000
#define IDS_RANGES_MAX 8192	/* most ranges of a set */

int ids_unite(struct ranges *result, const struct ranges *a, const struct ranges *b);
int ids_subtract(struct ranges *result, const struct ranges *a, const struct ranges *b);
int ids_intersect(struct ranges *result, const struct ranges *a, const struct ranges *b);

/*
 * Return the number of ranges in the rows of an array's pending tasks and of its held tasks.
 * Example: a hold on every third task of a thousand is one range, and leaves 334.
 */
uint64_t ids_scatter(const struct ranges *waiting, const struct ranges *held);

#endif
