/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's qstat asks the qmaster, which knows a job as soon as qsub is answered. Here qstat
 * reads the scheduler's published run, which follows shortly after the answer. So qsub waits for
 * it. Otherwise a script that asks for its new job at once would get the answer that it does not
 * exist.
 */
#include "sched/compat/compat.h"

#include <errno.h>
#include <time.h>

/* reads, at most one per millisecond; then qsub ends without waiting any longer */
#define LOOKS 300
/* if so many further runs do not have the job, it has ended already */
#define LATER_RUNS 2u

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
