/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of a scheduler that was detached from a live run. Its running and pending jobs are not in
 * the trace. They run as long as they have requested, or as their queues allow.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "sched/policy/policies.h"
#include "sched/replay/inside.h"

/* Run times */

static double seconds_of(const char *text)
{
	uint32_t seconds;

	return text && number_time(text, &seconds) == 0 && seconds != UINT32_MAX ? seconds : INFINITY;
}

/* Return the value of name=value in a -l list; the last one counts. */
static double asked(const char *list, const char *name)
{
	size_t length = strlen(name);
	double found = INFINITY;
	char value[64];

	while (*list) {
		size_t entry = strcspn(list, ",");

		if (entry > length && list[length] == '=' && strncmp(list, name, length) == 0) {
			snprintf(value, sizeof(value), "%.*s", (int)(entry - length - 1), list + length + 1);
			found = seconds_of(value);
		}
		list += entry + (list[entry] == ',');
	}
	return found;
}

static double allowed(const struct replay *replay, const struct task *task, const char *limit)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	const struct cell *cell = sched_cell(replay->sched);
	double least = INFINITY;

	for (size_t k = 0; k < task->ngranted; k++) {
		uint32_t i = machine_instance(&replay->machine, mirror_text(mirror, task->granted[k].queue));
		const struct machine_instance *instance = i == INDEX_NONE ? NULL : &replay->machine.instances[i];

		if (instance && instance->queue)
			least = fmin(least, seconds_of(cell_queue_value(cell, instance->queue,
									strrchr(instance->name, '@') + 1, limit)));
	}
	return least;
}

/* Return the limit that a run assumes, except for default_duration of sched_conf(5). */
static int64_t resume_limit(const struct replay *replay, uint32_t row, const struct task *task)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	const struct request_key *key = mirror_row_request(mirror, row);
	const char *list = mirror_text(mirror, key->hard);
	double seconds = fmin(asked(list, "h_rt"), asked(list, "s_rt"));

	if (task->wallclock_limit)
		seconds = task->wallclock_limit == UINT32_MAX ? INFINITY : task->wallclock_limit;
	else if (seconds == INFINITY)
		seconds = fmin(allowed(replay, task, "h_rt"), allowed(replay, task, "s_rt"));
	if (seconds == INFINITY && policies_of(mirror_cell(mirror))->requests == REQUESTS_SLURM &&
	    key->size.time_limit < UINT32_MAX - 1)
		seconds = key->size.time_limit * 60.0;
	if (seconds == INFINITY && replay->options.default_run_s)
		seconds = replay->options.default_run_s;
	return seconds == INFINITY ? FOREVER : (int64_t)seconds;
}

/* Records */

static struct replay_record *record_of(struct replay *replay, uint32_t row, uint32_t id)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	const struct job_extra *extra = mirror_row_extra(mirror, row);
	struct replay_record *record = record_new(&replay->records);

	if (!record)
		return NULL;
	record->task.job = NULL;
	record->task.index = UINT64_MAX;
	record->task.number = record->task.job_number = mirror_row_number(mirror, row);
	record->task.task_number = id;
	record->task.task = extra && extra->is_array ? id : 0;
	record->task.submit = mirror_row_submission(mirror, row);
	if (record_enter(&replay->records, record)) {
		record_free(&replay->records, record);
		return NULL;
	}
	return record;
}

struct replay_record *resume_record(struct replay *replay, uint32_t job_number, uint32_t task)
{
	const struct task *started = mirror_find_task(sched_mirror(replay->sched), job_number, task);
	struct replay_record *record = started ? record_of(replay, started->row, task) : NULL;

	if (!record)
		return NULL;
	record->state = RECORD_WAITING;
	record->need_s = resume_limit(replay, started->row, started);
	return record;
}

/* Running tasks */

/* Make a record of a running task. If its time is over, it ends with the next interval. */
static int task_resume(struct replay *replay, uint32_t row, const struct task *task)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	struct replay_record *record = record_of(replay, row, task->id);
	struct granted *items = calloc(task->ngranted + 1, sizeof(*items));
	int rc = record && items ? 0 : error_set(replay->error, -ENOMEM, "out of memory");

	for (size_t k = 0; k < task->ngranted && rc == 0; k++)
		items[k] = (struct granted){ .queue = mirror_text(mirror, task->granted[k].queue),
					     .slots = task->granted[k].slots };
	if (rc == 0)
		rc = record_grant(replay, record, &(struct grants){ items, task->ngranted });
	free(items);
	if (rc)
		return rc;
	record->done_s = replay->now > task->start_time ? replay->now - task->start_time : 0;
	record->need_s = resume_limit(replay, row, task);
	if (record->need_s != FOREVER && record->need_s <= record->done_s)
		record->need_s =
			record->done_s + (replay->clocks.schedule_interval ? replay->clocks.schedule_interval : 1);
	record->asked = strchr(task->state, 's') != NULL;
	record->threshold = strchr(task->state, 'T') != NULL;
	record->preempted = strchr(task->state, 'S') && !record_is_held(replay, record);
	record->preempted_on = record->preempted && record->instances[0] != INDEX_NONE
				       ? replay->machine.instances[record->instances[0]].host
				       : 0;
	replay->held += record->threshold;
	rc = record_begin(replay, record, task->start_time);
	if (rc == 0 && task->suspended)
		record_suspend(replay, record);
	return rc;
}

/* Take the reported suspended queues, which are kept until tasks come or go. */
static void queues_resume(struct replay *replay)
{
	struct replay_machine *machine = &replay->machine;
	const struct mirror *mirror = sched_mirror(replay->sched);

	for (size_t i = 0; i < machine->n; i++) {
		const struct instance *reported = mirror_find_instance(mirror, machine->instances[i].name);

		machine->instances[i].suspended = reported && strchr(reported->state, 'S');
	}
}

/* Wake the replay when a job becomes eligible: -a. */
static int jobs_wake(struct replay *replay, uint32_t row)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	const struct job_extra *extra = mirror_row_extra(mirror, row);
	int64_t at = extra ? extra->numbers.execution_time : 0;
	bool pending = mirror_row_is_pending(mirror, row);

	replay->counts.waiting += pending && extra && extra->is_array ? ranges_count(&extra->waiting) : pending;
	return at > replay->now ? agenda_put(&replay->agenda, at, AGENDA_WAKE, NULL) : 0;
}

static int advances_wake(struct replay *replay)
{
	size_t n;
	const struct advance_reservation *advances = mirror_advances(sched_mirror(replay->sched), &n);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const int64_t times[] = { advances[i].start_time, advances[i].end_time };

		for (int k = 0; k < 2 && rc == 0; k++)
			rc = times[k] > replay->now ? agenda_put(&replay->agenda, times[k], AGENDA_WAKE, NULL) : 0;
	}
	return rc;
}

int resume_tasks(struct replay *replay)
{
	const struct mirror *mirror = sched_mirror(replay->sched);
	size_t place = 0;
	uint32_t row;
	int rc = 0;

	if (mirror_job_count(mirror) > 0 && replay->base == NEVER)
		return error_set(replay->error, -EINVAL,
				 "the scheduler has jobs already: give the time at which the replay begins");
	queues_resume(replay);
	while (rc == 0 && (row = mirror_next_job(mirror, &place)) != INDEX_NONE) {
		if (mirror_row_number(mirror, row) > replay->last_number)
			replay->last_number = mirror_row_number(mirror, row);
		for (const struct task *task = mirror_first_task(mirror, row); task && rc == 0;
		     task = mirror_next_task(mirror, task))
			rc = task_resume(replay, row, task);
		if (rc == 0)
			rc = jobs_wake(replay, row);
	}
	for (size_t h = 0; h < replay->machine.nhosts; h++)
		replay->machine.hosts[h].due = false;
	return rc ? rc : advances_wake(replay);
}
