/* SPDX-License-Identifier: Apache-2.0 */
/* Return the colour of a row. Errors are highlighted, jobs that cannot start yet are dimmed. */
#include <string.h>

#include "sched/cli/stat/stat.h"

const char *colour_of_row(const struct job_listing *listing, const struct fl_job *job)
{
	if (!listing->terminal.has_colour)
		return "";
	return strchr(job->state, 'E') ? "\033[31m" : strchr(job->state, 'h') ? "\033[2m" : "";
}

const char *colour_of_state(const struct job_listing *listing, const struct fl_job *job)
{
	if (!listing->terminal.has_colour || !job->is_started || *colour_of_row(listing, job))
		return "";
	return strpbrk(job->state, "sSTd") ? "\033[33m" : "\033[32m";
}
