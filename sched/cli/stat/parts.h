/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a job with tasks that have not started. An array has one row for each state that some of
 * its tasks are in. Any other job has one row.
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

enum { PART_HELD = 1, PART_ERROR = 2, PART_RESTARTED = 4, STAT_PARTS = 8 };

struct stat_parts {
	struct ranges ids[STAT_PARTS];		/* index 0: tasks neither held, in error nor restarted */
};

/*
 * Divide the tasks of a job into parts. Return false if the job has a single, unchanged row. This
 * is also the result if memory is exhausted or the tasks fall into millions of ranges.
 */
bool stat_parts_find(struct stat_parts *parts, const struct fl_job *job);
/* Store the row of a part, valid as long as `parts`. Return false if the part is empty. */
bool stat_part(const struct stat_parts *parts, const struct fl_job *job, unsigned part, struct fl_job *row);
/*
 * Set the state of a row of such tasks. `part` has PART_... bits and is not 0.
 */
void stat_part_dress(struct fl_job *row, unsigned part);
void stat_parts_clear(struct stat_parts *parts);

#endif
