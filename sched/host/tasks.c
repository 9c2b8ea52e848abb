/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/host/state.h"

int array_grow(void **rows, size_t *room, size_t n, size_t row_bytes)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *larger;

	if (n < *room)
		return 0;
	larger = realloc(*rows, wanted * row_bytes);
	if (!larger)
		return -ENOMEM;
	*rows = larger;
	*room = wanted;
	return 0;
}

static uint64_t key_of(uint32_t job, uint32_t number)
{
	return (uint64_t)job << 32 | number;
}

struct host_task *task_find(const struct host *h, uint32_t job, uint32_t number)
{
	uint32_t row = ids_find(&h->task_rows, key_of(job, number));

	return row == IDS_NONE ? NULL : &h->tasks[row];
}

uint32_t task_of_session(const struct host *h, pid_t session)
{
	uint32_t row = ids_find(&h->session_rows, (uint64_t)session);

	return row == IDS_NONE ? NO_TASK : row;
}

uint32_t task_of_group(const struct host *h, gid_t group)
{
	uint32_t row = ids_find(&h->group_rows, group);

	return row == IDS_NONE ? NO_TASK : row;
}

/* Rows keep their numbers, which processes have: those of tasks that have gone are used again. */
static struct host_task *row_new(struct host *h)
{
	for (; h->first_free < h->ntasks; h->first_free++)
		if (!h->tasks[h->first_free].used)
			return &h->tasks[h->first_free];
	if (array_grow((void **)&h->tasks, &h->tasks_room, h->ntasks, sizeof(*h->tasks)))
		return NULL;
	h->tasks[h->ntasks] = (struct host_task){ .used = false };
	return &h->tasks[h->ntasks++];
}

static int keys_put(struct host *h, const struct host_task *task)
{
	uint32_t row = task_row(h, task);
	int rc = ids_put(&h->task_rows, key_of(task->job, task->number), row);

	if (!rc && task->session)
		rc = ids_put(&h->session_rows, (uint64_t)task->session, row);
	if (!rc && task->group)
		rc = ids_put(&h->group_rows, task->group, row);
	return rc ? rc : ptf_hold(&h->ptf, task->job);
}

static void keys_remove(struct host *h, const struct host_task *task)
{
	uint32_t row = task_row(h, task);

	ids_remove(&h->task_rows, key_of(task->job, task->number));
	if (task->session && task_of_session(h, task->session) == row)
		ids_remove(&h->session_rows, (uint64_t)task->session);
	if (task->group && task_of_group(h, task->group) == row)
		ids_remove(&h->group_rows, task->group);
}

int task_add(struct host *h, uint32_t job, uint32_t number, const struct host_where *where, struct host_task **result)
{
	struct host_task *task = row_new(h);
	int rc;

	if (!task)
		return -ENOMEM;
	*task = (struct host_task){ .job = job, .number = number, .session = where->session, .session_start = where->session_start,
			       .group = where->group, .setting = { .tickets = 1 } };
	task->cgroup = where->cgroup ? strdup(where->cgroup) : NULL;
	rc = where->cgroup && !task->cgroup ? -ENOMEM : keys_put(h, task);
	if (rc) {
		keys_remove(h, task);
		free(task->cgroup);
		return rc;
	}
	task->used = true;
	task->setting.lever = task->cgroup ? h->lever : h->second;
	h->with_group += task->group != 0;
	h->with_cgroup += task->cgroup != NULL;
	*result = task;
	return 0;
}

void task_remove(struct host *h, struct host_task *task)
{
	keys_remove(h, task);
	ptf_drop(&h->ptf, task->job);
	h->with_group -= task->group != 0;
	h->with_cgroup -= task->cgroup != NULL;
	free(task->cgroup);
	*task = (struct host_task){ .used = false };
	if (task_row(h, task) < h->first_free)
		h->first_free = task_row(h, task);
}

void task_session_over(struct host *h, struct host_task *task, const struct process *leader)
{
	uint32_t row = task_row(h, task);

	ids_remove(&h->session_rows, (uint64_t)task->session);
	task->session = 0;
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];

		if (process->task == row && process->session == leader->pid && process->start >= leader->start)
			process_disown(h, process);
	}
}

void tasks_free(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++)
		free(h->tasks[k].cgroup);
	free(h->tasks);
	ids_free(&h->task_rows);
	ids_free(&h->session_rows);
	ids_free(&h->group_rows);
}
