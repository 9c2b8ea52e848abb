/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/queries.h"

#include "sched/mirror/inside.h"

const struct cell *mirror_cell(const struct mirror *mirror)
{
	return mirror->cell;
}

const char *mirror_text(const struct mirror *mirror, uint32_t id)
{
	return id == NONE ? "" : strings_text(mirror->strings, id);
}

/* Jobs */

uint32_t mirror_active_row(const struct mirror *mirror, uint32_t job_number)
{
	return jobs_find(&mirror->state->jobs, job_number);
}

bool mirror_job_is_present(const struct mirror *mirror, uint32_t job_number)
{
	return mirror_active_row(mirror, job_number) != INDEX_NONE;
}

size_t mirror_job_count(const struct mirror *mirror)
{
	return mirror->state->jobs.used;
}

const char *mirror_job_owner(const struct mirror *mirror, uint32_t job_number)
{
	uint32_t row = mirror_active_row(mirror, job_number);

	return row == INDEX_NONE ? NULL : mirror_class_owner(mirror, mirror_row_class(mirror, row));
}

uint32_t mirror_next_job(const struct mirror *mirror, size_t *place)
{
	const struct jobs *jobs = &mirror->state->jobs;

	while (*place < jobs->list_end) {
		uint32_t row = jobs->list[(*place)++];

		if (row != NONE)
			return row;
	}
	return INDEX_NONE;
}

size_t mirror_walk_steps(const struct mirror *mirror)
{
	return mirror->state->jobs.list_end;
}

uint32_t mirror_row_number(const struct mirror *mirror, uint32_t row)
{
	return job_fact(&mirror->state->jobs, row, number);
}

const char *mirror_row_name(const struct mirror *mirror, uint32_t row)
{
	return mirror_text(mirror, job_fact(&mirror->state->jobs, row, name));
}

int64_t mirror_row_submission(const struct mirror *mirror, uint32_t row)
{
	return job_fact(&mirror->state->jobs, row, submission);
}

bool mirror_row_is_pending(const struct mirror *mirror, uint32_t row)
{
	return mirror->state->jobs.kind[row] & JOB_PENDING;
}

const struct request_key *mirror_row_request(const struct mirror *mirror, uint32_t row)
{
	return requests_key(&mirror->requests, job_fact(&mirror->state->jobs, row, category));
}

const struct job_extra *mirror_row_extra(const struct mirror *mirror, uint32_t row)
{
	return jobs_find_extra(&mirror->state->jobs, row);
}

uint32_t mirror_row_class(const struct mirror *mirror, uint32_t row)
{
	return job_fact(&mirror->state->jobs, row, class_id);
}

uint32_t mirror_classes_end(const struct mirror *mirror)
{
	return (uint32_t)mirror->classes.pool.n;
}

const char *mirror_class_owner(const struct mirror *mirror, uint32_t class_id)
{
	if (!pool_alive(&mirror->classes.pool, class_id))
		return NULL;
	return mirror_text(mirror, classes_key(&mirror->classes, class_id)->owner);
}

/* Started tasks */

const struct task *mirror_find_task(const struct mirror *mirror, uint32_t job_number, uint32_t id)
{
	uint32_t row = mirror_active_row(mirror, job_number);
	uint32_t task = row == INDEX_NONE ? NONE : tasks_find(mirror->state, row, id);

	return task == NONE ? NULL : &mirror->state->tasks.items[task];
}

const struct task *mirror_first_task(const struct mirror *mirror, uint32_t row)
{
	uint32_t task = mirror->state->jobs.first_task[row];

	return task == NONE ? NULL : &mirror->state->tasks.items[task];
}

const struct task *mirror_next_task(const struct mirror *mirror, const struct task *task)
{
	return task->next == NONE ? NULL : &mirror->state->tasks.items[task->next];
}

uint32_t mirror_task_number(const struct mirror *mirror, const struct task *task)
{
	return (uint32_t)(task - mirror->state->tasks.items);
}

struct pool *mirror_task_pool(const struct mirror *mirror)
{
	return &mirror->state->tasks.pool;
}

/* Instances, hosts, advance reservations */

size_t mirror_instance_count(const struct mirror *mirror)
{
	return mirror->state->ninstances;
}

const struct instance *mirror_instance(const struct mirror *mirror, size_t i)
{
	return &mirror->state->instances[i];
}

const char *mirror_instance_name(const struct mirror *mirror, size_t i)
{
	return mirror_text(mirror, mirror->state->instance_names[i]);
}

const struct instance *mirror_find_instance(const struct mirror *mirror, const char *name)
{
	uint32_t i = instance_find(mirror, mirror->state, name);

	return i == INDEX_NONE ? NULL : &mirror->state->instances[i];
}

bool mirror_reports_hosts(const struct mirror *mirror)
{
	return mirror->state->nhosts > 0;
}

const struct reported_host *mirror_find_host(const struct mirror *mirror, const char *name)
{
	uint32_t string = strings_find(mirror->strings, name);

	return string == NONE ? NULL : reported_host_find(mirror->state, string);
}

const struct advance_reservation *mirror_advances(const struct mirror *mirror, size_t *n)
{
	*n = mirror->state->nadvances;
	return mirror->state->advances;
}
