/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs by name, where a command reads a published run. */
#ifndef CLI_JOBS_JOB_NAMES_H
#define CLI_JOBS_JOB_NAMES_H

#include "sched/reader/fairlead.h"

struct named_jobs {			/* ascending, each once; zero-initialise */
	uint32_t *items;
	size_t n;
};

/*
 * Find the jobs of the run, running and pending, whose names match the pattern. 0 or -ENOMEM;
 * named_jobs_free() in any case.
 */
int jobs_named(struct named_jobs *found, const struct fl_view *view, const char *pattern);
void named_jobs_free(struct named_jobs *found);

#endif
