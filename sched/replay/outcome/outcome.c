/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/replay/outcome/inside.h"
#include "sched/trace/trace.h"

static const enum outcome_name name_of[PROMISE_KINDS] = { [PROMISE_USER] = OUTCOME_USER, [PROMISE_PROJECT] = OUTCOME_PROJECT };

/* The first error stays; a watch can't return one. */
static bool failed(struct outcome *o, int rc)
{
	if (rc && !o->error)
		o->error = rc;
	return o->error != 0;
}

static int make_room(void *array, size_t n, size_t *capacity, size_t bytes)
{
	size_t wanted = n + n / 2 + 64;

	if (n < *capacity)
		return 0;
	if (array_grow(array, wanted, bytes))
		return -ENOMEM;
	*capacity = wanted;
	return 0;
}

/* Names: 0 is none */

static uint32_t name_number(struct outcome *o, enum outcome_name kind, const char *name)
{
	uint32_t number;

	if (!name || !*name)
		return 0;
	return failed(o, text_set_add(&o->names[kind], name, &number)) ? 0 : number + 1;
}

/* A queue instance's queue. */
static uint32_t queue_number(struct outcome *o, const char *instance)
{
	char queue[256];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance, "@"), instance);
	return name_number(o, OUTCOME_QUEUE, queue);
}

const char *outcome_name(const struct outcome *o, enum outcome_name kind, uint32_t number)
{
	return number > 0 && number <= o->names[kind].n ? o->names[kind].texts[number - 1] : "";
}

size_t outcome_names(const struct outcome *o, enum outcome_name kind)
{
	return o->names[kind].n;
}

uint32_t outcome_find(const struct outcome *o, enum outcome_name kind, const char *name)
{
	uint32_t number = text_set_find(&o->names[kind], name);

	return number != INDEX_NONE ? number + 1 : 0;
}

/* Who has jobs that wait or run */

static void active_add(struct outcome *o, const struct outcome_job *job, int one)
{
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
		size_t before = o->active_capacity[kind];
		uint32_t who = job->names[name_of[kind]];

		if (failed(o, make_room(&o->active[kind], who, &o->active_capacity[kind], sizeof(*o->active[kind]))))
			return;
		if (o->active_capacity[kind] > before)
			memset(o->active[kind] + before, 0, (o->active_capacity[kind] - before) * sizeof(*o->active[kind]));
		o->active[kind][who] += (uint32_t)one;
	}
}

static uint32_t promise_number(void *context, enum promise_kind kind, const char *name)
{
	struct outcome *o = context;
	uint32_t number = name_number(o, name_of[kind], name);

	return number > 0 ? number : UINT32_MAX;
}

static bool promise_is_project(void *context, const char *name)
{
	const struct outcome *o = context;

	return text_set_find(&o->names[OUTCOME_PROJECT], name) != INDEX_NONE;
}

static bool promise_is_active(void *context, enum promise_kind kind, const char *name)
{
	const struct outcome *o = context;
	uint32_t number = text_set_find(&o->names[name_of[kind]], name);

	return number != INDEX_NONE && number + 1 < o->active_capacity[kind] && o->active[kind][number + 1] > 0;
}

/* What the watch is told */

/*
 * The record of a job, made if it is the first that is heard of it; NULL: of none of the trace, or
 * no memory.
 */
static struct outcome_job *job_of(struct outcome *o, const struct replay_task *task)
{
	size_t n = (size_t)task->index + 1;

	if (!task->job || o->error)
		return NULL;
	if (n > o->njobs) {
		if (failed(o, make_room(&o->jobs, n, &o->jobs_capacity, sizeof(*o->jobs))))
			return NULL;
		memset(o->jobs + o->njobs, 0, (n - o->njobs) * sizeof(*o->jobs));
		o->njobs = n;
	}
	return &o->jobs[task->index];
}

static void submitted(void *context, const struct replay_task *task)
{
	struct outcome *o = context;
	struct outcome_job *job = job_of(o, task);
	const struct trace_job *t = task->job;

	if (!job)
		return;
	*job = (struct outcome_job){
		.line = t->line, .number = t->number, .task = t->is_array ? t->task : 0, .submit = task->submit, .slots = task->slots,
		.recorded_submit = t->submit, .recorded_start = t->start,
		.run_s = t->run_s < 0 || t->run_s >= UINT32_MAX ? UINT32_MAX : (uint32_t)t->run_s, .state = OUTCOME_WAITING,
		.names = { [OUTCOME_USER] = name_number(o, OUTCOME_USER, t->user), [OUTCOME_GROUP] = name_number(o, OUTCOME_GROUP, t->group),
			   [OUTCOME_PROJECT] = name_number(o, OUTCOME_PROJECT, t->project) },
	};
	active_add(o, job, 1);
}

static void started(void *context, const struct replay_task *task)
{
	struct outcome *o = context;
	struct outcome_job *job = job_of(o, task);

	if (!job)
		return;
	if (!job->start)
		job->start = task->start;
	job->began = task->start;
	job->end = 0;
	job->slots = task->slots;
	job->backfilled |= task->backfilled;
	job->state = OUTCOME_RUNNING;
	if (task->granted.n > 0)
		job->names[OUTCOME_QUEUE] = queue_number(o, task->granted.items[0].queue);
}

static void suspended(void *context, const struct replay_task *task, bool is, int64_t now)
{
	struct outcome *o = context;
	struct outcome_job *job = job_of(o, task);

	(void)now;
	if (!job || !is)
		return;
	job->suspended = true;
	o->counts.suspended++;
}

static void vacated(struct outcome *o, struct outcome_job *job, int64_t now)
{
	o->counts.vacated++;
	job->vacated = true;
	job->state = OUTCOME_WAITING;
	if (failed(o, make_room(&o->stints, o->nstints, &o->stints_capacity, sizeof(*o->stints))))
		return;
	o->stints[o->nstints++] = (struct outcome_stint){ .job = (size_t)(job - o->jobs), .began = job->began, .end = now };
}

static void ended(void *context, const struct replay_task *task, int64_t now)
{
	struct outcome *o = context;
	struct outcome_job *job = job_of(o, task);

	if (!job)
		return;
	if (task->how == REPLAY_END_VACATED) {
		vacated(o, job, now);
		return;
	}
	if (task->how == REPLAY_END_REMOVED) {
		o->counts.removed++;
		job->state = OUTCOME_REMOVED;
	} else {
		job->state = OUTCOME_ENDED;
		job->end = now;
		job->limited = task->how == REPLAY_END_LIMIT;
		o->counts.limited += job->limited;
	}
	active_add(o, job, -1);
}

static void refused(void *context, const struct replay_task *task, const char *why)
{
	struct outcome *o = context;

	if (o->counts.refused++ > 0)
		return;
	snprintf(o->counts.refused_why, sizeof(o->counts.refused_why), "%s", why);
	o->counts.refused_line = task->job ? task->job->line : 0;
}

static void ran(void *context, const struct replay_run *run)
{
	struct outcome *o = context;

	o->counts.runs++;
	o->counts.now = run->now;
	if (run->pending > o->counts.most_pending)
		o->counts.most_pending = run->pending;
	if ((o->nslots > 0 && o->slots[o->nslots - 1].slots == run->slots) ||
	    failed(o, make_room(&o->slots, o->nslots, &o->slots_capacity, sizeof(*o->slots))))
		return;
	o->slots[o->nslots++] = (struct outcome_slots){ run->now, run->slots };
}

static void sample(void *context, int64_t now, const struct fl_view *view)
{
	struct outcome *o = context;

	failed(o, promises_take(o->promises, now, view));
}

/* Life */

int outcome_create(struct outcome **made, const char *name)
{
	struct outcome *o = calloc(1, sizeof(*o));
	struct promise_names names = { o, promise_number, promise_is_project, promise_is_active };

	*made = o;
	if (!o)
		return -ENOMEM;
	o->watch = (struct replay_watch){ o, submitted, started, suspended, ended, refused, ran, sample };
	o->title = strdup(name);
	o->promises = promises_create(&names);
	if (o->title && o->promises)
		return 0;
	outcome_destroy(o);
	*made = NULL;
	return -ENOMEM;
}

void outcome_destroy(struct outcome *o)
{
	if (!o)
		return;
	for (unsigned kind = 0; kind < OUTCOME_NAMES; kind++)
		text_set_free(&o->names[kind]);
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		free(o->active[kind]);
	promises_destroy(o->promises);
	free(o->jobs);
	free(o->stints);
	free(o->slots);
	free(o->title);
	free(o);
}

/* Reading */

const struct replay_watch *outcome_watch(struct outcome *o)
{
	return &o->watch;
}

int outcome_error(const struct outcome *o)
{
	return o->error;
}

const char *outcome_title(const struct outcome *o)
{
	return o->title;
}

const struct outcome_job *outcome_jobs(const struct outcome *o, size_t *n)
{
	*n = o->njobs;
	return o->jobs;
}

void outcome_walk(const struct outcome *o, int64_t until, outcome_visit *visit, void *context)
{
	for (size_t k = 0; k < o->nstints; k++)
		visit(context, &o->jobs[o->stints[k].job], o->stints[k].began, o->stints[k].end, true);
	for (size_t k = 0; k < o->njobs; k++) {
		const struct outcome_job *job = &o->jobs[k];

		if (job->state == OUTCOME_ENDED)
			visit(context, job, job->began, job->end < until ? job->end : until, false);
		else if (job->state == OUTCOME_RUNNING)
			visit(context, job, job->began, until, false);
	}
}

const struct outcome_slots *outcome_slots(const struct outcome *o, size_t *n)
{
	*n = o->nslots;
	return o->slots;
}

const struct promises *outcome_promises(const struct outcome *o)
{
	return o->promises;
}

void outcome_counts(const struct outcome *o, struct outcome_counts *counts)
{
	*counts = o->counts;
}
