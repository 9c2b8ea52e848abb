/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "sched/drmaa/inside.h"

#define PATIENCE_MS 300		/* a job that was just submitted is not published yet */

static bool has(const struct fl_range *ranges, size_t n, uint32_t id)
{
	for (size_t k = 0; k < n; k++)
		if (ranges[k].step && id >= ranges[k].min && id <= ranges[k].max &&
		    (id - ranges[k].min) % ranges[k].step == 0)
			return true;
	return false;
}

static int started_state(const char *letters)
{
	bool user = strchr(letters, 's') != NULL, system = strpbrk(letters, "ST") != NULL;

	if (user)
		return system ? DRMAA_PS_USER_SYSTEM_SUSPENDED : DRMAA_PS_USER_SUSPENDED;
	return system ? DRMAA_PS_SYSTEM_SUSPENDED : DRMAA_PS_RUNNING;
}

/*
 * Return the state of a pending job. A job in the error state counts as held by the system until an
 * operator clears the error.
 */
static int pending_state(const struct fl_job *job, uint32_t task)
{
	bool some = job->nheld || job->nin_error;

	if (strchr(job->state, 'E') || (some && has(job->in_error, job->nin_error, task)))
		return DRMAA_PS_SYSTEM_ON_HOLD;
	if (strchr(job->state, 'h') || (some && has(job->held, job->nheld, task)))
		return DRMAA_PS_USER_ON_HOLD;
	return DRMAA_PS_QUEUED_ACTIVE;
}

static int row_state(const struct fl_job *job, uint32_t task)
{
	if (job->is_started)
		return !task || job->task == task ? started_state(job->state) : DRMAA_PS_UNDETERMINED;
	if (!task || !job->nranges || has(job->tasks, job->nranges, task))
		return pending_state(job, task);
	return DRMAA_PS_UNDETERMINED;
}

int watch_state(uint32_t number, uint32_t task)
{
	struct fl_job job;
	int state;

	do {
		const struct fl_view *view = fl_begin(session.reader);

		state = DRMAA_PS_UNDETERMINED;
		for (size_t k = 0; state == DRMAA_PS_UNDETERMINED && fl_find(view, number, k, &job) == 0; k++)
			state = row_state(&job, task);
	} while (fl_end(session.reader) == -ESTALE);
	return state;
}

bool watch_is_missing(struct tracked_job *job)
{
	int64_t now = clock_ms();

	if (watch_state(job->number, job->task) != DRMAA_PS_UNDETERMINED) {
		job->missing_ms = 0;
		return false;
	}
	if (!job->missing_ms)
		job->missing_ms = now;
	if (now - job->missing_ms < PATIENCE_MS)
		return false;
	job->missing_ms = now;
	return true;
}
