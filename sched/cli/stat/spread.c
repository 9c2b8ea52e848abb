/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -g t: a started task in each queue instance where it has slots, a line a slot. The master task
 * has a line of its own beside those of its instance, unless the parallel environment counts it as
 * the first of them (job_is_first_task, sge_pe(5)), as the cell says that was in force.
 */
#include "sched/cli/stat/stat.h"

#define LINES_MOST 100000u		/* of a task in an instance, whatever slots a qmaster reports */

void spread_slots(struct out *out, struct stat *st, const struct fl_job *row, uint32_t slots, bool is_master,
		  spread_print *print, void *context)
{
	uint64_t lines = (uint64_t)slots + (is_master && cluster_extra_slave(&st->cell_in_force, row->granted_pe));

	lines = lines < LINES_MOST ? lines : LINES_MOST;
	for (uint64_t i = 0; i < lines && !out->error; i++)
		print(out, st, row, &(struct spread_line){ .is_master = is_master && i == 0, .repeated = i > 0 },
		      context);
}

void spread_each(const struct fl_view *view, struct out *out, struct stat *st, const struct fl_job *job,
		 spread_print *print, void *context)
{
	struct fl_granted granted;
	struct fl_job row = *job;

	for (size_t k = 0; fl_granted(view, job->job_number, job->task, k, &granted) == 0; k++) {
		row.queue = granted.queue;
		spread_slots(out, st, &row, granted.slots, k == 0, print, context);
	}
}
