/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of task ids of one job of the local cell, at most IDS_MAX. 0, -ENOMEM or -E2BIG: too
 * scattered; `result` may be one of the operands, and keeps its ids on error.
 */
#ifndef SCHED_QMASTER_LOCAL_IDS_H
#define SCHED_QMASTER_LOCAL_IDS_H

#include "sched/process/ranges.h"

/* tasks that an array job may have, even where max_aj_tasks sets no limit */
#define IDS_MAX 75000
#define IDS_RANGES_MAX 8192	/* into which they may fall */

int ids_unite(struct ranges *result, const struct ranges *a, const struct ranges *b);
int ids_subtract(struct ranges *result, const struct ranges *a, const struct ranges *b);
int ids_intersect(struct ranges *result, const struct ranges *a, const struct ranges *b);

/*
 * The number of ranges in the rows of an array's waiting tasks and of those of them that are held.
 * A hold on every third task of a thousand is one range, and leaves 334.
 */
uint64_t ids_scatter(const struct ranges *waiting, const struct ranges *held);

#endif
