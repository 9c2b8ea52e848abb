/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -g t: a line for each slot of a started task, by queue instance. The master task has an
 * additional line in its instance, unless the parallel environment counts it as the first slot
 * (job_is_first_task, sge_pe(5)). The configuration that the run used determines this.
 */
#include "sched/cli/stat/stat.h"

/* lines of a task in an instance, however many slots a qmaster reports */
#define LINES_MOST 100000u

void spread_slots(struct out *out, struct job_listing *listing, const struct fl_job *row, uint32_t slots,
		  bool is_master, spread_print *print, void *context)
{
	uint64_t lines = (uint64_t)slots + (is_master && cluster_extra_slave(&listing->cell_in_force, row->granted_pe));

	lines = lines < LINES_MOST ? lines : LINES_MOST;
	for (uint64_t i = 0; i < lines && !out->error; i++)
		print(out, listing, row, &(struct spread_line){ .is_master = is_master && i == 0, .repeated = i > 0 },
		      context);
}

void spread_each(const struct fl_view *view, struct out *out, struct job_listing *listing, const struct fl_job *job,
		 spread_print *print, void *context)
{
	struct fl_granted granted;
	struct fl_job row = *job;

	for (size_t k = 0; fl_granted(view, job->job_number, job->task, k, &granted) == 0; k++) {
		row.queue = granted.queue;
		spread_slots(out, listing, &row, granted.slots, k == 0, print, context);
	}
}
