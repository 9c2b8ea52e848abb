/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that was detached from a live run has tasks that run, and jobs that wait, of which no
 * trace knows: they run as long as they have asked for, or as their queues allow.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/number.h"
#include "sched/replay/inside.h"

/* How long */

static double seconds_of(const char *text)
{
	uint32_t seconds;

	return text && number_time(text, &seconds) == 0 && seconds != UINT32_MAX ? seconds : INFINITY;
}

/* name=value of a -l list: the last one counts. */
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

static double allowed(const struct replay *r, const struct task *t, const char *limit)
{
	const struct mirror *m = sched_mirror(r->sched);
	const struct cell *cell = sched_cell(r->sched);
	double least = INFINITY;

	for (size_t k = 0; k < t->ngranted; k++) {
		uint32_t i = machine_instance(&r->machine, mirror_text(m, t->granted[k].queue));
		const struct machine_instance *instance = i == INDEX_NONE ? NULL : &r->machine.instances[i];

		if (instance && instance->queue)
			least = fmin(least, seconds_of(cell_queue_value(cell, instance->queue, strrchr(instance->name, '@') + 1, limit)));
	}
	return least;
}

/* As a run takes it, sched_conf(5) default_duration aside. */
int64_t resume_limit(const struct replay *r, uint32_t row, const struct task *t)
{
	const struct mirror *m = sched_mirror(r->sched);
	uint32_t request = job_fact(&m->state->jobs, row, category);
	const struct request_key *key = requests_key(&m->requests, request);
	const char *list = mirror_text(m, key->hard);
	double seconds = fmin(asked(list, "h_rt"), asked(list, "s_rt"));

	if (t->wallclock_limit)
		seconds = t->wallclock_limit == UINT32_MAX ? INFINITY : t->wallclock_limit;
	else if (seconds == INFINITY)
		seconds = fmin(allowed(r, t, "h_rt"), allowed(r, t, "s_rt"));
	if (seconds == INFINITY && strcmp(m->cell->sched.algorithm, "multifactor") == 0 && key->size.time_limit < UINT32_MAX - 1)
		seconds = key->size.time_limit * 60.0;
	if (seconds == INFINITY && r->options.default_run_s)
		seconds = r->options.default_run_s;
	return seconds == INFINITY ? FOREVER : (int64_t)seconds;
}

/* Records */

static struct replay_record *record_of(struct replay *r, uint32_t row, uint32_t id)
{
	const struct jobs *j = &sched_mirror(r->sched)->state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, row);
	struct replay_record *record = record_new(&r->records);

	if (!record)
		return NULL;
	record->task.job = NULL;
	record->task.index = UINT64_MAX;
	record->task.number = record->task.job_number = job_fact(j, row, number);
	record->task.task_number = id;
	record->task.task = extra && extra->is_array ? id : 0;
	record->task.submit = job_fact(j, row, submission);
	if (record_enter(&r->records, record)) {
		record_free(&r->records, record);
		return NULL;
	}
	return record;
}

struct replay_record *resume_record(struct replay *r, uint32_t job_number, uint32_t task)
{
	const struct state *state = sched_mirror(r->sched)->state;
	uint32_t row = jobs_find(&state->jobs, job_number), t = row == INDEX_NONE ? NONE : tasks_find(state, row, task);
	struct replay_record *record = t == NONE ? NULL : record_of(r, row, task);

	if (!record)
		return NULL;
	record->state = RECORD_WAITING;
	record->need_s = resume_limit(r, row, &state->tasks.items[t]);
	return record;
}

/* Tasks that run */

/* What is over its time ends with the next interval, which is when a run takes it to end. */
static int task_resume(struct replay *r, uint32_t row, const struct task *t)
{
	const struct mirror *m = sched_mirror(r->sched);
	struct replay_record *record = record_of(r, row, t->id);
	struct granted *items = calloc(t->ngranted + 1, sizeof(*items));
	int rc = record && items ? 0 : error_set(r->error, -ENOMEM, "out of memory");

	for (size_t k = 0; k < t->ngranted && rc == 0; k++)
		items[k] = (struct granted){ .queue = mirror_text(m, t->granted[k].queue), .slots = t->granted[k].slots };
	if (rc == 0)
		rc = record_grant(r, record, &(struct grants){ items, t->ngranted });
	free(items);
	if (rc)
		return rc;
	record->done_s = r->now > t->start_time ? r->now - t->start_time : 0;
	record->need_s = resume_limit(r, row, t);
	if (record->need_s != FOREVER && record->need_s <= record->done_s)
		record->need_s = record->done_s + (r->clocks.schedule_interval ? r->clocks.schedule_interval : 1);
	record->asked = strchr(t->state, 's') != NULL;
	record->threshold = strchr(t->state, 'T') != NULL;
	record->preempted = strchr(t->state, 'S') && !record_is_held(r, record);
	record->preempted_on = record->preempted && record->instances[0] != INDEX_NONE ? r->machine.instances[record->instances[0]].host : 0;
	r->held += record->threshold;
	rc = record_begin(r, record, t->start_time);
	if (rc == 0 && t->suspended)
		record_stand(r, record);
	return rc;
}

/* Queues are as they were told, until tasks come or go. */
static void queues_resume(struct replay *r)
{
	struct replay_machine *m = &r->machine;
	const struct mirror *mirror = sched_mirror(r->sched);

	for (size_t i = 0; i < m->n; i++) {
		uint32_t at = instance_find(mirror, mirror->state, m->instances[i].name);

		m->instances[i].suspended = at != INDEX_NONE && strchr(mirror->state->instances[at].state, 'S');
	}
}

/* Time may make a job eligible: -a. */
static int jobs_wake(struct replay *r, const struct jobs *j, uint32_t row)
{
	const struct job_extra *extra = jobs_find_extra(j, row);
	int64_t at = extra ? extra->numbers.execution_time : 0;

	r->counts.waiting += j->kind[row] & JOB_PENDING && extra && extra->is_array ? ranges_count(&extra->waiting) : !!(j->kind[row] & JOB_PENDING);
	return at > r->now ? agenda_put(&r->agenda, at, AGENDA_WAKE, NULL) : 0;
}

static int advances_wake(struct replay *r, const struct state *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->nadvances && rc == 0; i++) {
		const int64_t times[] = { s->advances[i].start_time, s->advances[i].end_time };

		for (int k = 0; k < 2 && rc == 0; k++)
			rc = times[k] > r->now ? agenda_put(&r->agenda, times[k], AGENDA_WAKE, NULL) : 0;
	}
	return rc;
}

int resume_tasks(struct replay *r)
{
	const struct state *s = sched_mirror(r->sched)->state;
	const struct jobs *j = &s->jobs;
	int rc = 0;

	if (j->used > 0 && r->base == NEVER)
		return error_set(r->error, -EINVAL, "there are jobs already: it must be said when the replay begins");
	queues_resume(r);
	for (size_t i = 0; i < j->list_end && rc == 0; i++) {
		uint32_t row = j->list[i];

		if (row == NONE)
			continue;
		if (job_fact(j, row, number) > r->last_number)
			r->last_number = job_fact(j, row, number);
		for (uint32_t t = j->first_task[row]; t != NONE && rc == 0; t = s->tasks.items[t].next)
			rc = task_resume(r, row, &s->tasks.items[t]);
		if (rc == 0)
			rc = jobs_wake(r, j, row);
	}
	for (size_t h = 0; h < r->machine.nhosts; h++)
		r->machine.hosts[h].due = false;
	return rc ? rc : advances_wake(r, s);
}
