/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/tasks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/search.h"

/*
 * Bit in the task number that sched/host uses for a part found by its group. The other bits are the
 * group.
 */
#define PART_OF_GROUP 0x80000000u

struct task_part {
	uint32_t id;			/* task number that sched/host uses for the part */
	uint64_t identity;		/* identity in the spool */
	bool spooled, seen;
};

struct task_here {
	uint32_t job_number, task;
	int64_t start_time;		/* reported by the scheduler; 0: not reported */
	double tickets;
	bool sent, seen;
	struct task_part *parts;
	size_t nparts;
	struct wire_usage past;		/* usage of parts that have ended */
};

struct ended {
	struct wire_usage usage;
	/* number of the message that reported it; 0: not reported */
	uint64_t number;
};

struct tasks_here {
	struct host *host;
	struct task_here *items;	/* ascending by job and task */
	size_t n, capacity;
	struct ended *ended;		/* in order of their end */
	size_t nended, ended_capacity;
	size_t failed;
};

int tasks_create(struct tasks_here **tasks, struct host *host)
{
	*tasks = calloc(1, sizeof(**tasks));
	if (!*tasks)
		return -ENOMEM;
	(*tasks)->host = host;
	return 0;
}

void tasks_destroy(struct tasks_here *tasks)
{
	for (size_t i = 0; tasks && i < tasks->n; i++)
		free(tasks->items[i].parts);
	if (tasks) {
		free(tasks->items);
		free(tasks->ended);
	}
	free(tasks);
}

/* Table */

/* Return the index of a task, or the index at which to insert it. */
static size_t task_place(const struct tasks_here *tasks, uint32_t job_number, uint32_t task)
{
	const uint64_t key = (uint64_t)job_number << 32 | task;
	size_t place;

	lower_bound(place, tasks->n, ((uint64_t)tasks->items[place].job_number << 32 | tasks->items[place].task) < key);
	return place;
}

/*
 * Return the task, which is created if necessary. NULL if memory is exhausted. Valid until the next
 * call.
 */
static struct task_here *task_get(struct tasks_here *tasks, uint32_t job_number, uint32_t task)
{
	size_t place = task_place(tasks, job_number, task), capacity = tasks->capacity ? 2 * tasks->capacity : 64;
	struct task_here *task_here = &tasks->items[place];

	if (place < tasks->n && task_here->job_number == job_number && task_here->task == task)
		return task_here;
	if (tasks->n == tasks->capacity) {
		struct task_here *items = realloc(tasks->items, capacity * sizeof(*items));

		if (!items)
			return NULL;
		tasks->items = items;
		tasks->capacity = capacity;
	}
	task_here = &tasks->items[place];
	memmove(task_here + 1, task_here, (tasks->n - place) * sizeof(*task_here));
	tasks->n++;
	*task_here = (struct task_here){ .job_number = job_number, .task = task };
	return task_here;
}

/* Remove tasks that have no part and that the scheduler does not send. */
static void tasks_sweep(struct tasks_here *tasks)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		if (tasks->items[i].nparts || tasks->items[i].sent)
			tasks->items[kept++] = tasks->items[i];
		else
			free(tasks->items[i].parts);
	}
	tasks->n = kept;
}

/* Usage */

static void usage_add(struct wire_usage *sum, const struct host_usage *usage)
{
	sum->cpu += usage->cpu_s;
	sum->mem += usage->mem_gbs;
	sum->io += usage->io_gb;
	sum->vmem += (double)usage->vmem_bytes;
	sum->maxvmem += (double)usage->maxvmem_bytes;
}

static struct wire_usage task_usage(const struct tasks_here *tasks, const struct task_here *task)
{
	struct wire_usage sum = task->past;

	for (size_t i = 0; i < task->nparts; i++) {
		struct host_usage usage;

		if (host_task_usage(tasks->host, task->job_number, task->parts[i].id, &usage) == 0)
			usage_add(&sum, &usage);
	}
	sum.job_number = task->job_number;
	sum.task = task->task;
	sum.start_time = task->start_time;
	return sum;
}

/* Make room for one more ended task, if necessary by dropping the oldest ones. */
static bool ended_room(struct tasks_here *tasks)
{
	size_t room = tasks->ended_capacity ? 2 * tasks->ended_capacity : 64, oldest = tasks->nended / 16;

	if (tasks->nended < tasks->ended_capacity)
		return true;
	if (room <= TASKS_ENDED && array_grow(&tasks->ended, room, sizeof(*tasks->ended)) == 0) {
		tasks->ended_capacity = room;
		return true;
	}
	tasks->nended -= oldest;
	memmove(tasks->ended, tasks->ended + oldest, tasks->nended * sizeof(*tasks->ended));
	return oldest > 0;
}

static void ended_add(struct tasks_here *tasks, const struct wire_usage *usage)
{
	if (ended_room(tasks))
		tasks->ended[tasks->nended++] = (struct ended){ .usage = *usage };
}

/* Parts */

static void part_end(struct tasks_here *tasks, struct task_here *task, size_t k)
{
	struct host_usage usage = { 0 };

	if (host_task_remove(tasks->host, task->job_number, task->parts[k].id, &usage) == 0) {
		usage.vmem_bytes = 0;
		usage_add(&task->past, &usage);
	}
	task->parts[k] = task->parts[--task->nparts];
	if (task->nparts)
		return;
	task->past.job_number = task->job_number;
	task->past.task = task->task;
	task->past.start_time = task->start_time;
	if (task->start_time)
		ended_add(tasks, &task->past);
	task->past = (struct wire_usage){ 0 };
	task->start_time = 0;		/* the next task with this number is a different one */
}

static struct task_part *part_find(const struct task_here *task, uint32_t id)
{
	for (size_t i = 0; i < task->nparts; i++)
		if (task->parts[i].id == id)
			return &task->parts[i];
	return NULL;
}

static void part_add(struct tasks_here *tasks, struct task_here *task, const struct task_part *part,
		     const struct host_where *where)
{
	struct task_part *parts = realloc(task->parts, (task->nparts + 1) * sizeof(*parts));

	if (parts)
		task->parts = parts;
	if (!parts || host_task_add(tasks->host, task->job_number, part->id, where)) {
		tasks->failed++;
		return;
	}
	parts[task->nparts++] = *part;
	if (task->sent)
		host_tickets(tasks->host, task->job_number, part->id, task->tickets);
}

/* Tasks from the scheduler */

/* End the parts of an earlier run of a task that was started again. */
static void task_restarted(struct tasks_here *tasks, struct task_here *task)
{
	for (size_t i = task->nparts; i-- > 0;)
		if (!task->parts[i].spooled)
			part_end(tasks, task, i);
}

static void task_receive(struct tasks_here *tasks, const struct wire_task *received)
{
	const struct host_where where = { .cgroup = *received->cgroup ? received->cgroup : NULL,
					  .session = received->session,
					  .group = received->group };
	struct task_here *task = task_get(tasks, received->job_number, received->task);

	if (!task) {
		tasks->failed++;
		return;
	}
	if (task->start_time && task->start_time != received->start_time)
		task_restarted(tasks, task);
	task->sent = task->seen = true;
	task->start_time = received->start_time;
	task->tickets = received->tickets;
	for (size_t i = 0; i < task->nparts; i++)
		host_tickets(tasks->host, task->job_number, task->parts[i].id, task->tickets);
	if ((where.cgroup || where.session || where.group) && task->nparts == 0)
		part_add(tasks, task, &(struct task_part){ .id = received->task & ~PART_OF_GROUP }, &where);
}

void tasks_receive(struct tasks_here *tasks, const struct wire_task *received, size_t n)
{
	for (size_t i = 0; i < tasks->n; i++)
		tasks->items[i].seen = false;
	for (size_t i = 0; i < n; i++)
		task_receive(tasks, &received[i]);
	for (size_t i = 0; i < tasks->n; i++) {
		struct task_here *task = &tasks->items[i];

		if (task->seen)
			continue;
		task->sent = false;
		for (size_t k = task->nparts; k-- > 0;)
			if (!task->parts[k].spooled)
				part_end(tasks, task, k);
	}
	tasks_sweep(tasks);
}

/* Tasks from the spool */

static void entry_found(struct tasks_here *tasks, const struct spool_entry *entry)
{
	const struct task_part part = {
		.id = PART_OF_GROUP | entry->group, .identity = entry->identity, .spooled = true, .seen = true
	};
	struct task_here *task = task_get(tasks, entry->job_number, entry->task);
	struct task_part *known;

	if (!task) {
		tasks->failed++;
		return;
	}
	known = part_find(task, part.id);
	if (known && known->identity != entry->identity) {
		part_end(tasks, task, (size_t)(known - task->parts));
		known = NULL;
	}
	if (known)
		known->seen = true;
	else
		part_add(tasks, task, &part, &(struct host_where){ .group = entry->group });
}

void tasks_found(struct tasks_here *tasks, const struct spool_scan *scan)
{
	for (size_t i = 0; i < tasks->n; i++)
		for (size_t k = 0; k < tasks->items[i].nparts; k++)
			tasks->items[i].parts[k].seen = !tasks->items[i].parts[k].spooled;
	for (size_t i = 0; i < scan->n; i++)
		entry_found(tasks, &scan->entries[i]);
	for (size_t i = 0; i < tasks->n; i++) {
		struct task_here *task = &tasks->items[i];

		for (size_t k = task->nparts; k-- > 0;)
			if (!task->parts[k].seen)
				part_end(tasks, task, k);
	}
	tasks_sweep(tasks);
}

/* Reports */

struct wire_usage *tasks_usage(const struct tasks_here *tasks, size_t *n)
{
	struct wire_usage *all = calloc(tasks->n + tasks->nended + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; all && i < tasks->nended; i++)
		all[(*n)++] = tasks->ended[i].usage;
	for (size_t i = 0; all && i < tasks->n; i++)
		if (tasks->items[i].nparts && tasks->items[i].start_time)
			all[(*n)++] = task_usage(tasks, &tasks->items[i]);
	return all;
}

void tasks_said(struct tasks_here *tasks, size_t first, size_t n, uint64_t number)
{
	for (size_t i = first; i < first + n && i < tasks->nended; i++)
		if (!tasks->ended[i].number)
			tasks->ended[i].number = number;
}

/*
 * Return whether the scheduler still sends the task. Usage that it has taken is lost if it dies
 * before it books the end of the task.
 */
static bool is_sent(const struct tasks_here *tasks, const struct wire_usage *ended)
{
	size_t place = task_place(tasks, ended->job_number, ended->task);
	const struct task_here *task = &tasks->items[place];

	return place < tasks->n && task->job_number == ended->job_number && task->task == ended->task && task->sent &&
	       (task->start_time == 0 || task->start_time == ended->start_time);
}

void tasks_taken(struct tasks_here *tasks, uint64_t taken)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->nended; i++)
		if (!tasks->ended[i].number || tasks->ended[i].number > taken || is_sent(tasks, &tasks->ended[i].usage))
			tasks->ended[kept++] = tasks->ended[i];
	tasks->nended = kept;
}

void tasks_unsaid(struct tasks_here *tasks)
{
	for (size_t i = 0; i < tasks->nended; i++)
		tasks->ended[i].number = 0;
}

size_t tasks_count(const struct tasks_here *tasks)
{
	size_t n = 0;

	for (size_t i = 0; i < tasks->n; i++)
		n += tasks->items[i].nparts > 0;
	return n;
}

size_t tasks_refused(const struct tasks_here *tasks, int *error)
{
	struct host_setting setting;
	size_t n = 0;

	for (size_t i = 0; i < tasks->n; i++)
		for (size_t k = 0; k < tasks->items[i].nparts; k++) {
			const struct task_here *task = &tasks->items[i];

			if (host_task_setting(tasks->host, task->job_number, task->parts[k].id, &setting) == 0 &&
			    setting.error) {
				*error = setting.error;
				n++;
			}
		}
	return n;
}

size_t tasks_failed(struct tasks_here *tasks)
{
	size_t failed = tasks->failed;

	tasks->failed = 0;
	return failed;
}
