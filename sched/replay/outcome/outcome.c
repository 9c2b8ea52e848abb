/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/replay/outcome/inside.h"
#include "sched/trace/trace.h"

static const enum outcome_name name_of[PROMISE_KINDS] = {
	[PROMISE_USER] = OUTCOME_USER, [PROMISE_PROJECT] = OUTCOME_PROJECT
};

/* Keep the first error, because a watch cannot return one. */
static bool failed(struct outcome *outcome, int rc)
{
	if (rc && !outcome->error)
		outcome->error = rc;
	return outcome->error != 0;
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

static uint32_t name_number(struct outcome *outcome, enum outcome_name kind, const char *name)
{
	uint32_t number;

	if (!name || !*name)
		return 0;
	return failed(outcome, text_set_add(&outcome->names[kind], name, &number)) ? 0 : number + 1;
}

/* Return the number of a queue instance's queue. */
static uint32_t queue_number(struct outcome *outcome, const char *instance)
{
	char queue[256];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance, "@"), instance);
	return name_number(outcome, OUTCOME_QUEUE, queue);
}

const char *outcome_name(const struct outcome *outcome, enum outcome_name kind, uint32_t number)
{
	return number > 0 && number <= outcome->names[kind].n ? outcome->names[kind].texts[number - 1] : "";
}

size_t outcome_names(const struct outcome *outcome, enum outcome_name kind)
{
	return outcome->names[kind].n;
}

uint32_t outcome_find(const struct outcome *outcome, enum outcome_name kind, const char *name)
{
	uint32_t number = text_set_find(&outcome->names[kind], name);

	return number != INDEX_NONE ? number + 1 : 0;
}

/* Users and projects with pending or running jobs */

static void active_add(struct outcome *outcome, const struct outcome_job *job, int one)
{
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
		size_t before = outcome->active_capacity[kind];
		uint32_t who = job->names[name_of[kind]];

		if (failed(outcome, make_room(&outcome->active[kind], who, &outcome->active_capacity[kind],
					      sizeof(*outcome->active[kind]))))
			return;
		if (outcome->active_capacity[kind] > before)
			memset(outcome->active[kind] + before, 0,
			       (outcome->active_capacity[kind] - before) * sizeof(*outcome->active[kind]));
		outcome->active[kind][who] += (uint32_t)one;
	}
}

static uint32_t promise_number(void *context, enum promise_kind kind, const char *name)
{
	struct outcome *outcome = context;
	uint32_t number = name_number(outcome, name_of[kind], name);

	return number > 0 ? number : UINT32_MAX;
}

static bool promise_is_project(void *context, const char *name)
{
	const struct outcome *outcome = context;

	return text_set_find(&outcome->names[OUTCOME_PROJECT], name) != INDEX_NONE;
}

static bool promise_is_active(void *context, enum promise_kind kind, const char *name)
{
	const struct outcome *outcome = context;
	uint32_t number = text_set_find(&outcome->names[name_of[kind]], name);

	return number != INDEX_NONE && number + 1 < outcome->active_capacity[kind] &&
	       outcome->active[kind][number + 1] > 0;
}

/* Functions of the watch */

/* Return the record of a job, creating it if needed. NULL: not in the trace, or no memory. */
static struct outcome_job *job_of(struct outcome *outcome, const struct replay_task *task)
{
	size_t n = (size_t)task->index + 1;

	if (!task->job || outcome->error)
		return NULL;
	if (n > outcome->njobs) {
		if (failed(outcome, make_room(&outcome->jobs, n, &outcome->jobs_capacity, sizeof(*outcome->jobs))))
			return NULL;
		memset(outcome->jobs + outcome->njobs, 0, (n - outcome->njobs) * sizeof(*outcome->jobs));
		outcome->njobs = n;
	}
	return &outcome->jobs[task->index];
}

static void submitted(void *context, const struct replay_task *task)
{
	struct outcome *outcome = context;
	struct outcome_job *job = job_of(outcome, task);
	const struct trace_job *trace_job = task->job;

	if (!job)
		return;
	*job = (struct outcome_job){
		.line = trace_job->line,
		.number = trace_job->number,
		.task = trace_job->is_array ? trace_job->task : 0,
		.submit = task->submit,
		.slots = task->slots,
		.recorded_submit = trace_job->submit,
		.recorded_start = trace_job->start,
		.run_s = trace_job->run_s < 0 || trace_job->run_s >= UINT32_MAX ? UINT32_MAX
										: (uint32_t)trace_job->run_s,
		.state = OUTCOME_WAITING,
		.names = { [OUTCOME_USER] = name_number(outcome, OUTCOME_USER, trace_job->user),
			   [OUTCOME_GROUP] = name_number(outcome, OUTCOME_GROUP, trace_job->group),
			   [OUTCOME_PROJECT] = name_number(outcome, OUTCOME_PROJECT, trace_job->project) },
	};
	active_add(outcome, job, 1);
}

static void started(void *context, const struct replay_task *task)
{
	struct outcome *outcome = context;
	struct outcome_job *job = job_of(outcome, task);

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
		job->names[OUTCOME_QUEUE] = queue_number(outcome, task->granted.items[0].queue);
}

static void suspended(void *context, const struct replay_task *task, bool is, int64_t now)
{
	struct outcome *outcome = context;
	struct outcome_job *job = job_of(outcome, task);

	(void)now;
	if (!job || !is)
		return;
	job->suspended = true;
	outcome->counts.suspended++;
}

static void vacated(struct outcome *outcome, struct outcome_job *job, int64_t now)
{
	outcome->counts.vacated++;
	job->vacated = true;
	job->state = OUTCOME_WAITING;
	if (failed(outcome,
		   make_room(&outcome->stints, outcome->nstints, &outcome->stints_capacity, sizeof(*outcome->stints))))
		return;
	outcome->stints[outcome->nstints++] =
		(struct outcome_stint){ .job = (size_t)(job - outcome->jobs), .began = job->began, .end = now };
}

static void ended(void *context, const struct replay_task *task, int64_t now)
{
	struct outcome *outcome = context;
	struct outcome_job *job = job_of(outcome, task);

	if (!job)
		return;
	if (task->how == REPLAY_END_VACATED) {
		vacated(outcome, job, now);
		return;
	}
	if (task->how == REPLAY_END_REMOVED) {
		outcome->counts.removed++;
		job->state = OUTCOME_REMOVED;
	} else {
		job->state = OUTCOME_ENDED;
		job->end = now;
		job->limited = task->how == REPLAY_END_LIMIT;
		outcome->counts.limited += job->limited;
	}
	active_add(outcome, job, -1);
}

static void refused(void *context, const struct replay_task *task, const char *why)
{
	struct outcome *outcome = context;

	if (outcome->counts.refused++ > 0)
		return;
	snprintf(outcome->counts.refused_why, sizeof(outcome->counts.refused_why), "%s", why);
	outcome->counts.refused_line = task->job ? task->job->line : 0;
}

static void ran(void *context, const struct replay_run *run)
{
	struct outcome *outcome = context;

	outcome->counts.runs++;
	outcome->counts.now = run->now;
	if (run->pending > outcome->counts.most_pending)
		outcome->counts.most_pending = run->pending;
	if ((outcome->nslots > 0 && outcome->slots[outcome->nslots - 1].slots == run->slots) ||
	    failed(outcome,
		   make_room(&outcome->slots, outcome->nslots, &outcome->slots_capacity, sizeof(*outcome->slots))))
		return;
	outcome->slots[outcome->nslots++] = (struct outcome_slots){ run->now, run->slots };
}

static void sample(void *context, int64_t now, const struct fl_view *view)
{
	struct outcome *outcome = context;

	failed(outcome, promises_take(outcome->promises, now, view));
}

/* Create and destroy */

int outcome_create(struct outcome **made, const char *name)
{
	struct outcome *outcome = calloc(1, sizeof(*outcome));
	struct promise_names names = { outcome, promise_number, promise_is_project, promise_is_active };

	*made = outcome;
	if (!outcome)
		return -ENOMEM;
	outcome->watch = (struct replay_watch){ outcome, submitted, started, suspended, ended, refused, ran, sample };
	outcome->title = strdup(name);
	outcome->promises = promises_create(&names);
	if (outcome->title && outcome->promises)
		return 0;
	outcome_destroy(outcome);
	*made = NULL;
	return -ENOMEM;
}

void outcome_destroy(struct outcome *outcome)
{
	if (!outcome)
		return;
	for (unsigned kind = 0; kind < OUTCOME_NAMES; kind++)
		text_set_free(&outcome->names[kind]);
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		free(outcome->active[kind]);
	promises_destroy(outcome->promises);
	free(outcome->jobs);
	free(outcome->stints);
	free(outcome->slots);
	free(outcome->title);
	free(outcome);
}

/* Reading */

const struct replay_watch *outcome_watch(struct outcome *outcome)
{
	return &outcome->watch;
}

int outcome_error(const struct outcome *outcome)
{
	return outcome->error;
}

const char *outcome_title(const struct outcome *outcome)
{
	return outcome->title;
}

const struct outcome_job *outcome_jobs(const struct outcome *outcome, size_t *n)
{
	*n = outcome->njobs;
	return outcome->jobs;
}

void outcome_walk(const struct outcome *outcome, int64_t until, outcome_visit *visit, void *context)
{
	for (size_t k = 0; k < outcome->nstints; k++)
		visit(context, &outcome->jobs[outcome->stints[k].job], outcome->stints[k].began, outcome->stints[k].end,
		      true);
	for (size_t k = 0; k < outcome->njobs; k++) {
		const struct outcome_job *job = &outcome->jobs[k];

		if (job->state == OUTCOME_ENDED)
			visit(context, job, job->began, job->end < until ? job->end : until, false);
		else if (job->state == OUTCOME_RUNNING)
			visit(context, job, job->began, until, false);
	}
}

const struct outcome_slots *outcome_slots(const struct outcome *outcome, size_t *n)
{
	*n = outcome->nslots;
	return outcome->slots;
}

const struct promises *outcome_promises(const struct outcome *outcome)
{
	return outcome->promises;
}

void outcome_counts(const struct outcome *outcome, struct outcome_counts *counts)
{
	*counts = outcome->counts;
}
