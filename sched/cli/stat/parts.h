/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a job with tasks that are not started: one, or of an array one for each state that
 * some of its tasks are in.
 *
 *     if (!stat_parts_find(&parts, job))
 *             print(job);
 *     else
 *             for (unsigned part = 0; part < STAT_PARTS; part++)
 *                     if (stat_part(&parts, job, part, &row))
 *                             print(&row);
 *     stat_parts_clear(&parts);
 */
#ifndef CLI_STAT_PARTS_H
#define CLI_STAT_PARTS_H

#include "sched/process/ranges.h"
#include "sched/reader/fairlead.h"

enum { PART_HELD = 1, PART_ERROR = 2, STAT_PARTS = 4 };

struct stat_parts {
	struct ranges ids[STAT_PARTS];		/* 0: neither held nor in error */
};

/* False: it has one row, as it is; also without memory, or if its tasks fall into millions of ranges. */
bool stat_parts_find(struct stat_parts *parts, const struct fl_job *job);
/* The row of a part, which lives as long as `p`; false: it has none. */
bool stat_part(const struct stat_parts *parts, const struct fl_job *job, unsigned part, struct fl_job *row);
/* What a row of these tasks shows: PART_HELD and PART_ERROR bits, not 0. */
void stat_part_dress(struct fl_job *row, unsigned part);
void stat_parts_clear(struct stat_parts *parts);

#endif
