/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events with the state from which a scheduler continues after another one. The scheduler computed
 * this state itself, so a qmaster does not know it. fairlead-dump(1) writes these events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

static int find_task(struct mirror *mirror, const struct task_event *event, struct task **task, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, event->job_number),
		 t = row == INDEX_NONE ? NONE : tasks_find(state, row, event->task);

	if (t == NONE)
		return error_set(error, -ENOENT, "task %u of job %u is not started", event->task, event->job_number);
	*task = &state->tasks.items[t];
	return 0;
}

/* Set the allocation of a job. It replaces parts of the job's request. */
int mirror_job_allocated(struct mirror *mirror, const struct job_spec *spec, struct error *error)
{
	const struct request_allocated *allocated = &spec->slurm.allocated;
	const struct job_spec changes = { .complete = true,
					  .slurm = { .given = SLURM_PARTITION | SLURM_TRES | SLURM_CPUS,
						     .partition = allocated->partition,
						     .tres = allocated->tres,
						     .cpus = allocated->cpus } };
	struct state *state = mirror_target(mirror);
	uint32_t row = jobs_find(&state->jobs, spec->job_number), id;
	int rc = 0;

	if (jobs_reserve_row(&state->jobs, row) || !jobs_extra(&state->jobs, row))
		return error_set(error, -ENOMEM, "out of memory");
	if (allocated->none)
		id = NONE;
	else
		rc = request_changed(mirror, &changes, job_fact(&state->jobs, row, class_id),
				     job_fact(&state->jobs, row, category), &id, error);
	if (rc)
		return rc;
	id = slurm_set_allocation(&state->jobs, row, id);
	if (id != NONE)
		requests_drop(&mirror->requests, id);
	return 0;
}

int mirror_task_limited(struct mirror *mirror, const struct task_event *event, struct error *error)
{
	struct task *task;
	int rc = find_task(mirror, event, &task, error);

	if (rc == 0)
		task->wallclock_limit = event->wallclock_limit;
	return rc;
}

int mirror_task_charged(struct mirror *mirror, const struct task_event *event, struct error *error)
{
	struct task *task;
	int rc = find_task(mirror, event, &task, error);

	if (rc)
		return rc;
	task->charged = (struct charged){ event->charged_from, event->charged_until };
	task->asked = task->settled = event->booked;
	return 0;
}

int mirror_task_values(struct mirror *mirror, const struct task_event *event, struct error *error)
{
	const struct task_values *values = event->values;
	struct task *task;
	int rc = find_task(mirror, event, &task, error);

	if (rc)
		return rc;
	task->kept = values->kept;
	task->otickets = values->otickets;
	task->ftickets = values->ftickets;
	task->stickets = values->stickets;
	return 0;
}

int mirror_automatic_user(struct mirror *mirror, const struct object_usage *user, struct error *error)
{
	uint32_t id = objects_add(&mirror->objects[SHARER_USER], mirror->strings, user->name);

	if (id == UINT32_MAX)
		return error_set(error, -ENOMEM, "out of memory");
	if (!mirror->objects[SHARER_USER].items[id].exists)	/* otherwise the cell has it */
		classes_make_user(&mirror->classes, id, user->oticket, user->fshare);
	return 0;
}

void mirror_instance_place(struct mirror *mirror, const struct instance_event *event)
{
	struct state *state = mirror_target(mirror);
	uint32_t i =
		index_find(&state->instance_index, state->instance_names, strings_find(mirror->strings, event->queue));

	if (event->place != UINT64_MAX)
		state->instances[i].place = event->place;
	if (event->place != UINT64_MAX && event->place > state->places)
		state->places = event->place;
	if (event->suspend_checked)
		state->instances[i].suspend_checked = event->suspend_checked;
}

int mirror_pe_place(struct mirror *mirror, const struct pe_event *event, struct error *error)
{
	return used_pe_set(mirror_target(mirror), mirror->strings, event->pe, event->place)
		       ? error_set(error, -ENOMEM, "out of memory")
		       : 0;
}

void mirror_association_values(struct mirror *mirror, const struct association_event *event)
{
	struct state *state = mirror_target(mirror);
	struct reported_usage *reported = &state->reported_usage[state->ntold_usage - 1];

	reported->has_values = true;
	reported->values = *event->values;
}

static int check_debited(const struct debited_event *event, struct error *error)
{
	int rc = mirror_check_usage(&event->usage, error);

	for (size_t i = 0; rc == 0 && i < event->ntasks; i++)
		rc = mirror_check_usage(&event->tasks[i].usage, error);
	return rc;
}

static int debited_fill(struct mirror *mirror, struct debited *debited, const struct debited_event *event)
{
	if (usage_from(&debited->usage, &mirror->usage_names, mirror->strings, &event->usage))
		return -ENOMEM;
	for (size_t i = 0; i < event->ntasks; i++) {
		struct debited_task *task = debited_get_task(debited, event->tasks[i].task, event->tasks[i].start_time);

		if (!task || usage_from(&task->usage, &mirror->usage_names, mirror->strings, &event->tasks[i].usage))
			return -ENOMEM;
	}
	return 0;
}

int mirror_debited_usage(struct mirror *mirror, const struct debited_event *event, struct error *error)
{
	struct debited new = { .reported = mirror->report_count, .known = true, .submission_time = event->submission_time };
	int rc = check_debited(event, error);
	struct debited *debited;

	if (rc)
		return rc;
	debited = debited_fill(mirror, &new, event) ? NULL : debited_add(mirror_target(mirror), event->job_number);
	if (!debited) {
		debited_free(&new);
		return error_set(error, -ENOMEM, "out of memory");
	}
	debited_free(debited);
	*debited = new;
	mirror->accounts++;
	return 0;
}

int mirror_scheduler_state(struct mirror *mirror, const struct scheduler_event *event, struct error *error)
{
	uint32_t *removed = malloc((event->nremoved + 1) * sizeof(*removed));

	if (!removed)
		return error_set(error, -ENOMEM, "out of memory");
	if (event->nremoved > 0)
		memcpy(removed, event->removed, event->nremoved * sizeof(*removed));
	mirror_resumed(mirror);
	mirror->resume = (struct resume){ .given = true, .from = *event };
	mirror->resume.from.removed = mirror->resume.removed = removed;
	return 0;
}

void mirror_resumed(struct mirror *mirror)
{
	reported_accounts_free(mirror);
	free(mirror->resume.removed);
	mirror->resume = (struct resume){ 0 };
}
