/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qstat asks the qmaster, which knows a job once qsub has been answered; ours reads what the
 * scheduler has published, which it does right behind the answer. So qsub waits for that: a script
 * that asks for its job at once must not be told that there is none.
 */
#include "sched/compat/compat.h"

#include <errno.h>
#include <time.h>

#define LOOKS 300		/* one a millisecond: a scheduler that is that busy is not waited for */
#define LATER_RUNS 2u		/* in which the job is not: it has ended already */

void published_await(const char *cell, long long job_number)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct fl_cell *reader;
	struct fl_run run;
	struct fl_job job;
	uint64_t first = 0;
	bool there;

	if (job_number <= 0 || job_number > UINT32_MAX || fl_attach(&reader, cell))
		return;
	for (int look = 0; look < LOOKS; look++) {
		const struct fl_view *view = fl_begin(reader);

		fl_run(view, &run);
		there = fl_find(view, (uint32_t)job_number, 0, &job) == 0;
		if (fl_end(reader) == -ESTALE)
			continue;
		first = first ? first : run.generation;
		if (there || run.generation >= first + LATER_RUNS)
			break;
		nanosleep(&pause, NULL);
	}
	fl_detach(reader);
}
