/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/search.h"
#include "sched/qmaster/members/members.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

/* Table */

static size_t place_of(const struct local_tasks *tasks, uint32_t job_number, uint32_t id)
{
	struct local_task **items = tasks->items;
	size_t at;

	lower_bound(at, tasks->n,
		    items[at]->job_number < job_number || (items[at]->job_number == job_number && items[at]->id < id));
	return at;
}

size_t local_task_first(const struct local *local, uint32_t job_number)
{
	return place_of(&local->tasks, job_number, 0);
}

struct local_task *local_task_find(const struct local *local, uint32_t job_number, uint32_t id)
{
	size_t place = place_of(&local->tasks, job_number, id);
	struct local_task *task = place < local->tasks.n ? local->tasks.items[place] : NULL;

	return task && task->job_number == job_number && task->id == id ? task : NULL;
}

static int tasks_reserve(struct local_tasks *tasks)
{
	size_t capacity = tasks->capacity ? 2 * tasks->capacity : 64;
	struct local_task **items;

	if (tasks->n < tasks->capacity)
		return 0;
	items = reallocarray(tasks->items, capacity, sizeof(*items));
	if (!items)
		return -ENOMEM;
	tasks->items = items;
	tasks->capacity = capacity;
	return 0;
}

struct local_task *local_task_new(struct local *local, uint32_t job_number, uint32_t id, enum task_life life)
{
	struct local_tasks *tasks = &local->tasks;
	size_t place = place_of(tasks, job_number, id);
	struct local_task *task = tasks_reserve(tasks) ? NULL : calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	*task = (struct local_task){ .job_number = job_number,
				     .id = id,
				     .life = life,
				     .shepherd.fd = -1,
				     .deadlines = { .signal_ns = NEVER_NS,
						    .then_ns = NEVER_NS,
						    .soft_ns = NEVER_NS,
						    .kill_ns = NEVER_NS,
						    .forget_ns = NEVER_NS,
						    .give_up_ns = NEVER_NS } };
	memmove(tasks->items + place + 1, tasks->items + place, (tasks->n - place) * sizeof(*tasks->items));
	tasks->items[place] = task;
	tasks->n++;
	return task;
}

static void task_free(struct local_task *task)
{
	if (task->shepherd.fd >= 0)
		close(task->shepherd.fd);
	granted_free(&task->granted);
	free(task);
}

void local_task_forget(struct local *local, struct local_task *task)
{
	struct local_tasks *tasks = &local->tasks;
	size_t place = place_of(tasks, task->job_number, task->id);

	memmove(tasks->items + place, tasks->items + place + 1, (tasks->n - place - 1) * sizeof(*tasks->items));
	tasks->n--;
	tasks->ndue -= task->commit.due;
	task_free(task);
}

void local_tasks_free(struct local_tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++)
		task_free(tasks->items[i]);
	free(tasks->items);
	*tasks = (struct local_tasks){ 0 };
}

void local_task_due(struct local *local, struct local_task *task)
{
	local->tasks.ndue += !task->commit.due;
	task->commit.due = true;
}

bool local_task_used(struct local_task *task, double cpu_s, double mem_gbs, double io_gb)
{
	struct host_usage *usage = &task->usage;
	bool more = cpu_s > usage->cpu_s || mem_gbs > usage->mem_gbs || io_gb > usage->io_gb;

	usage->cpu_s = fmax(usage->cpu_s, cpu_s);
	usage->mem_gbs = fmax(usage->mem_gbs, mem_gbs);
	usage->io_gb = fmax(usage->io_gb, io_gb);
	return more;
}

/* Life */

void local_task_becomes(struct local_task *task, enum task_life life)
{
	static const unsigned next[] = {
		[TASK_STARTING] = 1u << TASK_WATCHED | 1u << TASK_UNSPAWNED,
		[TASK_UNSPAWNED] = 1u << TASK_WATCHED | 1u << TASK_SOUGHT,
		[TASK_WATCHED] = 1u << TASK_ENDED | 1u << TASK_STARTING | 1u << TASK_SOUGHT,
		[TASK_SOUGHT] = 1u << TASK_WATCHED | 1u << TASK_ENDED | 1u << TASK_STARTING,
		[TASK_ENDED] = 1u << TASK_BOOKED | 1u << TASK_SOUGHT,
		[TASK_BOOKED] = 0,
	};

	assert(life == task->life || (next[task->life] >> life & 1u));
	task->life = life;
}

/* Properties */

void local_task_directory(const struct local_task *task, char name[DIRECTORY_BYTES])
{
	snprintf(name, DIRECTORY_BYTES, "%u.%u.%u", task->job_number, task->id, task->attempt);
}

uint32_t local_task_slots(const struct local_task *task)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < task->granted.on.n; i++)
		slots += task->granted.on.items[i].slots;
	return (uint32_t)slots;
}

const char *local_task_queue(const struct local_task *task)
{
	return task->granted.on.n > 0 ? task->granted.on.items[0].queue : "";
}

/* Store */

static enum vacated_how how_of(const char *name)
{
	for (uint32_t i = 0; name && vacated_how_name(i); i++)
		if (strcmp(name, vacated_how_name(i)) == 0)
			return (enum vacated_how)i;
	return VACATED_UNSAID;
}

int local_task_save(struct local *local, const struct local_task *task, struct error *error)
{
	char directory[DIRECTORY_BYTES], usage[200], ending[220];
	const struct task_ending *end = &task->ending;

	snprintf(usage, sizeof(usage), "{\"cpu\":%.17g,\"mem\":%.17g,\"io\":%.17g}", task->usage.cpu_s,
		 task->usage.mem_gbs, task->usage.io_gb);
	snprintf(ending, sizeof(ending),
		 "{\"failed\":%d,\"exit_status\":%d,\"signal\":%d,\"ru_wallclock\":%.17g,\"requeue\":%s%s%s%s}",
		 end->failed, end->exit_status, end->signal, end->wallclock_s, end->requeue ? "true" : "false",
		 end->vacated ? ",\"vacated\":\"" : "", end->vacated ? vacated_how_name(end->how) : "",
		 end->vacated ? "\"" : "");
	local_task_directory(task, directory);
	const struct stored_task stored = {
		.job_number = task->job_number,
		.task_id = task->id,
		.state = local_task_has_ended(task) ? STORED_ENDED : STORED_RUNNING,
		.attempt = task->attempt,
		.boot = task->boot,
		.start_time = task->start_time,
		.granted = task->granted.row,
		.granted_pe = task->granted.pe ? task->granted.pe : "",
		.state_letters = task->letters,
		.directory = directory,
		.deleted = task->removal != REMOVAL_NONE,
		.usage = usage,
		.ending = local_task_has_ended(task) ? ending : NULL,
	};

	return store_task_put(local->store, &stored, error);
}

/* Read the object of a column. NULL: there is none. */
static const struct value *column_read(struct values *values, const char *text)
{
	struct error why;

	return text ? values_read(values, text, strlen(text), &why) : NULL;
}

static void usage_take(struct local_task *task, const struct value *usage)
{
	local_task_used(task, value_number(value_member(usage, "cpu")), value_number(value_member(usage, "mem")),
			value_number(value_member(usage, "io")));
}

/* Read an ending. NULL: the task has not ended. */
static struct task_ending ending_of(const struct value *ending)
{
	const char *vacated = member_text(ending, "vacated");

	return (struct task_ending){
		.failed = (int)member_integer(ending, "failed"),
		.exit_status = (int)member_integer(ending, "exit_status"),
		.signal = (int)member_integer(ending, "signal"),
		.wallclock_s = value_number(value_member(ending, "ru_wallclock")),
		.requeue = member_is_true(ending, "requeue"),
		.vacated = vacated != NULL,
		.how = how_of(vacated),
	};
}

/* Read a row into `task`. Facts about the same attempt that are not in the row are kept. */
static int task_take(struct local_task *task, const struct stored_task *stored, struct values *values,
		     struct error *error)
{
	int rc = granted_read(&task->granted, values, stored->granted, stored->granted_pe);

	task->attempt = stored->attempt;
	task->start_time = stored->start_time;
	task->ending = ending_of(column_read(values, stored->ending));
	usage_take(task, column_read(values, stored->usage));
	snprintf(task->boot, sizeof(task->boot), "%s", stored->boot ? stored->boot : "");
	snprintf(task->letters, sizeof(task->letters), "%s", stored->state_letters ? stored->state_letters : "");
	if (rc == -ENOMEM)
		return error_set(error, rc, "out of memory");
	if (rc)
		return error_set(error, -EUCLEAN,
				 "task %u of job %u of the store: \"granted\" is not a list of queue instances",
				 task->id,
				 task->job_number);
	return 0;
}

int local_task_read(struct local *local, const struct stored_task *stored, struct error *error)
{
	struct local_task *task = local_task_find(local, stored->job_number, stored->task_id);
	bool ended = stored->state == STORED_ENDED;

	if (task && task->attempt != stored->attempt) {
		local_task_forget(local, task);
		task = NULL;
	}
	if (!task) {
		task = local_task_new(local, stored->job_number, stored->task_id, ended ? TASK_ENDED : TASK_SOUGHT);
		if (!task)
			return error_set(error, -ENOMEM, "out of memory");
		task->removal = task->committed_removal = stored->deleted ? REMOVAL_DELETE : REMOVAL_NONE;
	} else if (!ended && local_task_has_ended(task)) {
		local_task_becomes(task, TASK_SOUGHT);
	}
	return task_take(task, stored, &local->values, error);
}

void local_tasks_undo(struct local *local)
{
	for (size_t i = local->tasks.n; i-- > 0; ) {
		struct local_task *task = local->tasks.items[i];

		task->removal = task->committed_removal;
		task->commit = (struct task_commit){ 0 };
		if (task->life == TASK_STARTING)
			local_task_forget(local, task);
	}
	local->tasks.ndue = 0;
}
