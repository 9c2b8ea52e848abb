/* SPDX-License-Identifier: Apache-2.0 */
/* Search of jobs by name in a published run. */
#ifndef CLIENT_JOB_NAMES_H
#define CLIENT_JOB_NAMES_H

#include "sched/reader/fairlead.h"

/* ascending, without duplicates; zero-initialised by the caller */
struct named_jobs {
	uint32_t *items;
	size_t n;
};

/*
 * Find the running and pending jobs of the run with names that match the pattern. Return 0 or
 * -ENOMEM. Call named_jobs_free() in both cases.
 */
int jobs_named(struct named_jobs *found, const struct fl_view *view, const char *pattern);
void named_jobs_free(struct named_jobs *found);

#endif
