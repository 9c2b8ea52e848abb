/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/tasks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/search.h"

/* to sched/host a part that is found by its group is the task with this bit and the group */
#define PART_OF_GROUP 0x80000000u

struct task_part {
	uint32_t id;			/* its task number to sched/host */
	uint64_t identity;		/* of the spool */
	bool spooled, seen;
};

struct task_here {
	uint32_t job_number, task;
	int64_t start_time;		/* as told; 0: not told */
	double tickets;
	bool told, seen;
	struct task_part *parts;
	size_t nparts;
	struct wire_usage past;		/* of parts that have ended */
};

struct ended {
	struct wire_usage usage;
	uint64_t number;		/* of the message that has said it; 0: not said */
};

struct tasks_here {
	struct host *host;
	struct task_here *items;	/* ascending by job and task */
	size_t n, capacity;
	struct ended *ended;		/* the oldest first */
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

/* The table */

/* Where it is, or would be. */
static size_t task_place(const struct tasks_here *tasks, uint32_t job_number, uint32_t task)
{
	const uint64_t key = (uint64_t)job_number << 32 | task;
	size_t place;

	lower_bound(place, tasks->n, ((uint64_t)tasks->items[place].job_number << 32 | tasks->items[place].task) < key);
	return place;
}

/* If need be a new one; NULL: no memory. Valid until the next call. */
static struct task_here *task_get(struct tasks_here *tasks, uint32_t job_number, uint32_t task)
{
	size_t place = task_place(tasks, job_number, task), capacity = tasks->capacity ? 2 * tasks->capacity : 64;
	struct task_here *t = &tasks->items[place];

	if (place < tasks->n && t->job_number == job_number && t->task == task)
		return t;
	if (tasks->n == tasks->capacity) {
		struct task_here *items = realloc(tasks->items, capacity * sizeof(*items));

		if (!items)
			return NULL;
		tasks->items = items;
		tasks->capacity = capacity;
	}
	t = &tasks->items[place];
	memmove(t + 1, t, (tasks->n - place) * sizeof(*t));
	tasks->n++;
	*t = (struct task_here){ .job_number = job_number, .task = task };
	return t;
}

/* Those that are neither here nor told of are forgotten. */
static void tasks_sweep(struct tasks_here *tasks)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		if (tasks->items[i].nparts || tasks->items[i].told)
			tasks->items[kept++] = tasks->items[i];
		else
			free(tasks->items[i].parts);
	}
	tasks->n = kept;
}

/* Usage */

static void usage_add(struct wire_usage *sum, const struct host_usage *u)
{
	sum->cpu += u->cpu_s;
	sum->mem += u->mem_gbs;
	sum->io += u->io_gb;
	sum->vmem += (double)u->vmem_bytes;
	sum->maxvmem += (double)u->maxvmem_bytes;
}

static struct wire_usage task_usage(const struct tasks_here *tasks, const struct task_here *t)
{
	struct wire_usage sum = t->past;

	for (size_t i = 0; i < t->nparts; i++) {
		struct host_usage u;

		if (host_task_usage(tasks->host, t->job_number, t->parts[i].id, &u) == 0)
			usage_add(&sum, &u);
	}
	sum.job_number = t->job_number;
	sum.task = t->task;
	sum.start_time = t->start_time;
	return sum;
}

/* One more fits, if need be instead of the oldest ones. */
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

static void part_end(struct tasks_here *tasks, struct task_here *t, size_t k)
{
	struct host_usage u = { 0 };

	if (host_task_remove(tasks->host, t->job_number, t->parts[k].id, &u) == 0) {
		u.vmem_bytes = 0;
		usage_add(&t->past, &u);
	}
	t->parts[k] = t->parts[--t->nparts];
	if (t->nparts)
		return;
	t->past.job_number = t->job_number;
	t->past.task = t->task;
	t->past.start_time = t->start_time;
	if (t->start_time)
		ended_add(tasks, &t->past);
	t->past = (struct wire_usage){ 0 };
	t->start_time = 0;		/* the next of this number is another one */
}

static struct task_part *part_find(const struct task_here *t, uint32_t id)
{
	for (size_t i = 0; i < t->nparts; i++)
		if (t->parts[i].id == id)
			return &t->parts[i];
	return NULL;
}

static void part_add(struct tasks_here *tasks, struct task_here *t, const struct task_part *part, const struct host_where *where)
{
	struct task_part *parts = realloc(t->parts, (t->nparts + 1) * sizeof(*parts));

	if (parts)
		t->parts = parts;
	if (!parts || host_task_add(tasks->host, t->job_number, part->id, where)) {
		tasks->failed++;
		return;
	}
	parts[t->nparts++] = *part;
	if (t->told)
		host_tickets(tasks->host, t->job_number, part->id, t->tickets);
}

/* What the scheduler tells */

/* Started again since it was last told: what is here belongs to the one before. */
static void task_restarted(struct tasks_here *tasks, struct task_here *t)
{
	for (size_t i = t->nparts; i-- > 0;)
		if (!t->parts[i].spooled)
			part_end(tasks, t, i);
}

static void task_told(struct tasks_here *tasks, const struct wire_task *told)
{
	const struct host_where where = { .cgroup = *told->cgroup ? told->cgroup : NULL, .session = told->session, .group = told->group };
	struct task_here *t = task_get(tasks, told->job_number, told->task);

	if (!t) {
		tasks->failed++;
		return;
	}
	if (t->start_time && t->start_time != told->start_time)
		task_restarted(tasks, t);
	t->told = t->seen = true;
	t->start_time = told->start_time;
	t->tickets = told->tickets;
	for (size_t i = 0; i < t->nparts; i++)
		host_tickets(tasks->host, t->job_number, t->parts[i].id, t->tickets);
	if ((where.cgroup || where.session || where.group) && t->nparts == 0)
		part_add(tasks, t, &(struct task_part){ .id = told->task & ~PART_OF_GROUP }, &where);
}

void tasks_told(struct tasks_here *tasks, const struct wire_task *told, size_t n)
{
	for (size_t i = 0; i < tasks->n; i++)
		tasks->items[i].seen = false;
	for (size_t i = 0; i < n; i++)
		task_told(tasks, &told[i]);
	for (size_t i = 0; i < tasks->n; i++) {
		struct task_here *t = &tasks->items[i];

		if (t->seen)
			continue;
		t->told = false;
		for (size_t k = t->nparts; k-- > 0;)
			if (!t->parts[k].spooled)
				part_end(tasks, t, k);
	}
	tasks_sweep(tasks);
}

/* What the spool shows */

static void entry_found(struct tasks_here *tasks, const struct spool_entry *e)
{
	const struct task_part part = { .id = PART_OF_GROUP | e->group, .identity = e->identity, .spooled = true, .seen = true };
	struct task_here *t = task_get(tasks, e->job_number, e->task);
	struct task_part *known;

	if (!t) {
		tasks->failed++;
		return;
	}
	known = part_find(t, part.id);
	if (known && known->identity != e->identity) {
		part_end(tasks, t, (size_t)(known - t->parts));
		known = NULL;
	}
	if (known)
		known->seen = true;
	else
		part_add(tasks, t, &part, &(struct host_where){ .group = e->group });
}

void tasks_found(struct tasks_here *tasks, const struct spool_scan *scan)
{
	for (size_t i = 0; i < tasks->n; i++)
		for (size_t k = 0; k < tasks->items[i].nparts; k++)
			tasks->items[i].parts[k].seen = !tasks->items[i].parts[k].spooled;
	for (size_t i = 0; i < scan->n; i++)
		entry_found(tasks, &scan->entries[i]);
	for (size_t i = 0; i < tasks->n; i++) {
		struct task_here *t = &tasks->items[i];

		for (size_t k = t->nparts; k-- > 0;)
			if (!t->parts[k].seen)
				part_end(tasks, t, k);
	}
	tasks_sweep(tasks);
}

/* What there is to report */

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

/* For the scheduler it still runs: what it has taken may be lost with it, before it is booked. */
static bool is_told(const struct tasks_here *tasks, const struct wire_usage *ended)
{
	size_t place = task_place(tasks, ended->job_number, ended->task);
	const struct task_here *t = &tasks->items[place];

	return place < tasks->n && t->job_number == ended->job_number && t->task == ended->task && t->told &&
	       (t->start_time == 0 || t->start_time == ended->start_time);
}

void tasks_taken(struct tasks_here *tasks, uint64_t taken)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->nended; i++)
		if (!tasks->ended[i].number || tasks->ended[i].number > taken || is_told(tasks, &tasks->ended[i].usage))
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
			const struct task_here *t = &tasks->items[i];

			if (host_task_setting(tasks->host, t->job_number, t->parts[k].id, &setting) == 0 && setting.error) {
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
