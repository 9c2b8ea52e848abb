/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events about pending tasks that have a record of their own at the qmaster. The start of such a
 * task was refused, or the task was requeued, or it is in error.
 */
#include <errno.h>

#include "sched/mirror/inside.h"

/*
 * Collect the ids of pending tasks, and of tasks with an ordered start, which the qmaster still has
 * as pending.
 */
static int waiting_or_ordered(const struct state *state, uint32_t row, struct ranges *ids)
{
	const struct ranges waiting = job_waiting(jobs_find_extra(&state->jobs, row));
	int rc = state->jobs.kind[row] & JOB_PENDING ? ranges_copy(ids, &waiting) : 0;

	for (uint32_t t = state->jobs.first_task[row]; rc == 0 && t != NONE; t = state->tasks.items[t].next)
		if (state->tasks.items[t].order)
			rc = ranges_add(ids, state->tasks.items[t].id);
	return rc;
}

static int check_within(const struct ranges *ids, const struct ranges *all, const char *what, const char *of,
			struct error *error)
{
	uint32_t id;

	if (ranges_first(ids, all, 1, &id, 1) == 0)
		return 0;
	return error_set(error, -EINVAL, "\"%s\" has %u: allowed are %s", what, id, of);
}

static int enrolled_check(const struct state *state, uint32_t row, const struct enrolled_event *event,
			  struct error *error)
{
	struct ranges ids = { 0 };
	int rc = waiting_or_ordered(state, row, &ids);

	if (rc)
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0)
		rc = check_within(&event->tasks, &ids, "tasks", "tasks that are not started", error);
	if (rc == 0)
		rc = check_within(&event->error, &event->tasks, "error", "ids in \"tasks\"", error);
	ranges_free(&ids);
	return rc;
}

/* Remove the tasks with an ordered start from the sets. Their state is kept with the task. */
static int enrolled_split(const struct state *state, uint32_t row, struct ranges *tasks, struct ranges *in_error)
{
	int rc = 0;

	for (uint32_t t = state->jobs.first_task[row]; rc == 0 && t != NONE; t = state->tasks.items[t].next) {
		struct task *task = &state->tasks.items[t];

		if (!task->order)
			continue;
		rc = ranges_remove(tasks, task->id);
		task->enrolled = rc == 0;
		rc = rc == -ENOMEM || ranges_remove(in_error, task->id) == -ENOMEM ? -ENOMEM : 0;
	}
	return rc;
}

int mirror_tasks_enrolled(struct mirror *mirror, const struct enrolled_event *event, struct error *error)
{
	struct ranges tasks = { 0 }, in_error = { 0 }, restarted = { 0 };
	struct state *state = mirror_target(mirror);
	struct job_extra *extra;
	uint32_t row, reason;
	int rc;

	row = jobs_find(&state->jobs, event->job_number);
	if (row == INDEX_NONE)
		return error_set(error, -ENOENT, "there is no job %u", event->job_number);
	rc = enrolled_check(state, row, event, error);
	if (rc)
		return rc;
	reason = strings_hold(mirror->strings, event->error_reason);
	if ((event->error_reason && reason == NONE) || ranges_copy(&tasks, &event->tasks) ||
	    ranges_copy(&in_error, &event->error) || enrolled_split(state, row, &tasks, &in_error) ||
	    ranges_copy(&restarted, &event->restarted) || jobs_reserve_row(&state->jobs, row) ||
	    !(extra = jobs_extra(&state->jobs, row))) {
		ranges_free(&tasks);
		ranges_free(&in_error);
		ranges_free(&restarted);
		strings_drop(mirror->strings, reason);
		return error_set(error, -ENOMEM, "out of memory for job %u", event->job_number);
	}
	ranges_free(&extra->sets[TASK_ENROLLED]);
	ranges_free(&extra->sets[TASK_ERROR]);
	ranges_free(&extra->sets[TASK_RESTARTED]);
	extra->sets[TASK_ENROLLED] = tasks;
	extra->sets[TASK_ERROR] = in_error;
	extra->sets[TASK_RESTARTED] = restarted;
	if (reason == NONE && extra->error)	/* the whole job is in error, for its own reason */
		return 0;
	strings_drop(mirror->strings, extra->error_reason);
	extra->error_reason = reason;
	return 0;
}
