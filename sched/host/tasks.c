/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/host/state.h"

static uint64_t key_of(uint32_t job, uint32_t number)
{
	return (uint64_t)job << 32 | number;
}

struct host_task *task_find(const struct host *host, uint32_t job, uint32_t number)
{
	uint32_t row = ids_find(&host->task_rows, key_of(job, number));

	return row == IDS_NONE ? NULL : &host->tasks[row];
}

uint32_t task_of_session(const struct host *host, pid_t session)
{
	uint32_t row = ids_find(&host->session_rows, (uint64_t)session);

	return row == IDS_NONE ? NO_TASK : row;
}

uint32_t task_of_group(const struct host *host, gid_t group)
{
	uint32_t row = ids_find(&host->group_rows, group);

	return row == IDS_NONE ? NO_TASK : row;
}

/*
 * Return a free row. Rows keep their numbers, which processes refer to, so rows of removed tasks
 * are used again.
 */
static struct host_task *row_new(struct host *host)
{
	for (; host->first_free < host->ntasks; host->first_free++)
		if (!host->tasks[host->first_free].used)
			return &host->tasks[host->first_free];
	if (array_reserve(&host->tasks_room, host->ntasks + 1, COLUMN(host->tasks)))
		return NULL;
	host->tasks[host->ntasks] = (struct host_task){ .used = false };
	return &host->tasks[host->ntasks++];
}

static int keys_put(struct host *host, const struct host_task *task)
{
	uint32_t row = task_row(host, task);
	int rc = ids_put(&host->task_rows, key_of(task->job, task->number), row);

	if (!rc && task->session)
		rc = ids_put(&host->session_rows, (uint64_t)task->session, row);
	if (!rc && task->group)
		rc = ids_put(&host->group_rows, task->group, row);
	return rc ? rc : ptf_hold(&host->ptf, task->job);
}

static void keys_remove(struct host *host, const struct host_task *task)
{
	uint32_t row = task_row(host, task);

	ids_remove(&host->task_rows, key_of(task->job, task->number));
	if (task->session && task_of_session(host, task->session) == row)
		ids_remove(&host->session_rows, (uint64_t)task->session);
	if (task->group && task_of_group(host, task->group) == row)
		ids_remove(&host->group_rows, task->group);
}

int task_add(struct host *host, uint32_t job, uint32_t number, const struct host_where *where,
	     struct host_task **result)
{
	struct host_task *task = row_new(host);
	int rc;

	if (!task)
		return -ENOMEM;
	*task = (struct host_task){ .job = job,
				    .number = number,
				    .session = where->session,
				    .session_start = where->session_start,
				    .group = where->group,
				    .setting = { .tickets = 1 } };
	task->cgroup = where->cgroup ? strdup(where->cgroup) : NULL;
	rc = where->cgroup && !task->cgroup ? -ENOMEM : keys_put(host, task);
	if (rc) {
		keys_remove(host, task);
		free(task->cgroup);
		return rc;
	}
	task->used = true;
	task->setting.lever = task->cgroup ? host->lever : host->second;
	host->with_group += task->group != 0;
	host->with_cgroup += task->cgroup != NULL;
	*result = task;
	return 0;
}

void task_remove(struct host *host, struct host_task *task)
{
	keys_remove(host, task);
	ptf_drop(&host->ptf, task->job);
	host->with_group -= task->group != 0;
	host->with_cgroup -= task->cgroup != NULL;
	free(task->cgroup);
	*task = (struct host_task){ .used = false };
	if (task_row(host, task) < host->first_free)
		host->first_free = task_row(host, task);
}

void task_session_over(struct host *host, struct host_task *task, const struct process *leader)
{
	uint32_t row = task_row(host, task);

	ids_remove(&host->session_rows, (uint64_t)task->session);
	task->session = 0;
	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];

		if (process->task == row && process->session == leader->pid && process->start >= leader->start)
			process_disown(host, process);
	}
}

void tasks_free(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++)
		free(host->tasks[k].cgroup);
	free(host->tasks);
	ids_free(&host->task_rows);
	ids_free(&host->session_rows);
	ids_free(&host->group_rows);
}
