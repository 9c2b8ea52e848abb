/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/starting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/detach.h"
#include "sched/dispatch/schedule.h"
#include "sched/parts.h"
#include "sched/process/clock.h"
#include "sched/reader/handle.h"
#include "sched/replay/replay.h"

#define REASON_BYTES 1024
#define RUN_MOST 1000000000		/* seconds */
#define RUN_ASSUMED 3600

static const char *const answers[] = { "unknown", "reserved", "estimated", "assumed", "never", "later", "given_up" };

const char *starting_answer_name(enum starting_answer answer)
{
	return answers[answer];
}

struct look {
	struct starting *s;
	const struct fl_job *job;
	const struct starting_wishes *wishes;
	uint32_t run_s;
	uint32_t default_duration;
	struct sched *sched;
	struct replay *replay;
	struct schedule_lines lines;	/* reservations of the first run */
	int64_t begin;
	uint64_t until_ns;		/* real time */
	bool no_memory;
};

static void queue_take(struct look *look, const char *name, size_t length)
{
	if (look->s->queue)
		return;
	look->s->queue = strndup(name, length);
	look->no_memory |= !look->s->queue;
}

/* Read a reservation: "17:1:RESERVING:1795272078:671:Q:bulk.q@ada:slots:1.000000" */

static void reservation_take(struct look *look, const char *line)
{
	char head[60];
	size_t n = (size_t)snprintf(head, sizeof(head), "%u:%u:RESERVING:", look->job->job_number, look->job->task);
	const char *at = line + n, *queue, *end;
	int64_t start;

	if (strncmp(line, head, n) != 0)
		return;
	start = strtoll(at, NULL, 10);
	queue = strstr(at, ":Q:");
	end = queue ? strstr(queue + 3, ":slots:") : NULL;
	if (!end || (size_t)(end - line) > strcspn(line, "\n"))
		return;
	look->s->answer = STARTING_RESERVED;
	look->s->at = start;
	look->s->slots += (uint32_t)strtod(end + strlen(":slots:"), NULL);
	queue_take(look, queue + 3, (size_t)(end - queue - 3));
}

static void reservations_take(struct look *look)
{
	char *text = look->lines.length ? strndup(look->lines.text, look->lines.length) : NULL, *rest = text;

	for (char *line; (line = strsep(&rest, "\n")); )
		reservation_take(look, line);
	free(text);
}

/* Replay */

static void started(void *context, const struct replay_task *task)
{
	struct look *look = context;

	if (task->job_number != look->job->job_number || task->task_number != look->job->task || task->granted.n == 0)
		return;
	look->s->slots = task->slots;
	queue_take(look, task->granted.items[0].queue, strlen(task->granted.items[0].queue));
}

static void ran(void *context, const struct replay_run *run)
{
	struct look *look = context;

	look->s->runs = run->number;
	if (run->number == 1) {
		reservations_take(look);
		sched_schedule(look->sched, NULL);
	}
	if (look->s->answer == STARTING_RESERVED || clock_monotonic_ns() >= look->until_ns)
		replay_stop(look->replay);
}

/* Predecessors */

static void after_take(struct look *look)
{
	const struct jobs *j = &sched_mirror(look->sched)->state->jobs;
	uint32_t row = jobs_find(j, look->job->job_number);
	const struct job_extra *extra = row == INDEX_NONE ? NULL : jobs_find_extra(j, row);

	for (size_t i = 0; extra && i < extra->nhold_jid + extra->nhold_jid_ad; i++) {
		uint32_t number = i < extra->nhold_jid ? extra->hold_jid[i] : extra->hold_jid_ad[i - extra->nhold_jid];

		if (jobs_find(j, number) == INDEX_NONE)
			continue;
		if (look->s->nafter < STARTING_FEW)
			look->s->after[look->s->nafter] = number;
		look->s->nafter++;
	}
}

/* Answer */

static bool is_kept(const struct fl_view *view, uint32_t job_number)
{
	struct fl_why why;

	for (size_t i = 0; fl_why(view, job_number, i, &why) == 0; i++)
		if (strcmp(why.kind, "on_hold") == 0 || strcmp(why.kind, "in_error") == 0)
			return true;
	return false;
}

static void answer(struct look *look, int rc, int64_t at)
{
	struct replay_counts counts;
	struct starting *starting = look->s;

	replay_counts(look->replay, &counts);
	starting->endless_later = counts.endless > starting->endless ? counts.endless - starting->endless : 0;
	if (starting->answer == STARTING_RESERVED)
		return;
	starting->at = rc == 0 ? at : replay_now(look->replay);
	if (rc == 0)
		starting->answer = STARTING_ESTIMATED;
	else if (rc == -EINTR)
		starting->answer = STARTING_GIVEN_UP;
	else
		starting->answer = starting->at + (int64_t)sched_cell(look->sched)->sched.schedule_interval >=
						   look->begin + look->wishes->horizon_s
					   ? STARTING_LATER
					   : STARTING_NEVER;
}

static int reason_take(struct starting *starting, const char *text)
{
	starting->reasons[starting->nreasons] = strdup(text);
	starting->nreasons += starting->reasons[starting->nreasons] != NULL;
	return starting->nreasons > 0 ? 0 : -ENOMEM;
}

/*
 * Read the reasons from the last run. No event follows it, so they are what really prevents the
 * start.
 */
static int reasons_take(struct look *look, struct error *error)
{
	char text[REASON_BYTES];
	struct fl_cell *cell = NULL;
	const struct fl_view *view;
	struct fl_why why;
	int rc;

	sched_publishes(look->sched, true);
	rc = sched_run(look->sched, replay_now(look->replay) + 1, 0, error);
	if (rc == 0)
		rc = fl_attach_descriptor(&cell, sched_descriptor(look->sched));
	view = rc == 0 ? fl_begin(cell) : NULL;
	for (size_t i = 0; rc == 0 && i < STARTING_FEW && fl_why(view, look->job->job_number, i, &why) == 0; i++) {
		fl_why_text(&why, text, sizeof(text));
		if (reason_take(look->s, text))
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (view)
		fl_end(cell);
	fl_detach(cell);
	return rc;
}

static int look_ahead(struct look *look, struct error *error)
{
	int64_t at = 0;
	int rc;

	look->sched->cell->sched.with.monitor = true;
	sched_schedule(look->sched, &look->lines);
	look->until_ns = clock_monotonic_ns() + look->wishes->budget_ns;
	rc = replay_start_of(look->replay, look->job->job_number, look->job->task,
			     look->begin + look->wishes->horizon_s, &at, error);
	if (rc && rc != -ENOENT && rc != -EINTR)
		return rc;
	answer(look, rc, at);
	if (look->s->answer == STARTING_NEVER && (rc = reasons_take(look, error)))
		return rc;
	return look->no_memory ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static int begin(struct look *look, const struct fl_view *view, struct error *error)
{
	const struct replay_watch watch = { .context = look, .started = started, .ran = ran };
	const struct replay_options options = { .begin = look->begin,
						.default_run_s = look->run_s < RUN_MOST ? look->run_s : RUN_MOST };
	struct replay_counts counts;
	const struct detach_options as_it_is = { .edit = NULL };
	int rc = sched_detach(&look->sched, &view->view, &as_it_is, error);

	if (rc)
		return rc;
	look->default_duration = sched_cell(look->sched)->sched.default_duration;
	sched_dispatch(look->sched, true);
	sched_pause(look->sched, false);
	after_take(look);
	/* replay_create() would use the instances of the cell */
	if (sched_mirror(look->sched)->state->ninstances == 0)
		return reason_take(look->s, "the run has no queue instance")
			       ? error_set(error, -ENOMEM, "out of memory")
			       : 0;
	rc = replay_create(&look->replay, look->sched, &options, &watch, error);
	if (rc == -EINVAL)
		return reason_take(look->s, error->text) ? error_set(error, -ENOMEM, "out of memory") : 0;
	if (rc)
		return rc;
	replay_counts(look->replay, &counts);
	look->s->endless = counts.endless;
	return 0;
}

static int find(struct look *look, const struct fl_view *view, struct error *error)
{
	const struct fl_job *job = look->job;
	struct fl_run run;
	int rc;

	*look->s = (struct starting){ .run_s = look->run_s };
	fl_run(view, &run);
	look->begin = run.now;
	look->s->is_kept = !job->is_started && is_kept(view, job->job_number);
	rc = begin(look, view, error);
	if (rc || !look->replay)
		;
	else if (job->is_started)
		look->s->end = replay_end_of(look->replay, job->job_number, job->task);
	else if (!look->s->is_kept)
		rc = look_ahead(look, error);
	replay_destroy(look->replay);
	sched_destroy(look->sched);
	schedule_free(&look->lines);
	return rc;
}

/* Search again for a job that waits only for tasks without a known end. */
static int assume(struct look *first, const struct fl_view *view, struct error *error)
{
	bool has_default = first->default_duration > 0 && first->default_duration < UINT32_MAX;
	struct starting found, *starting = first->s;
	struct look look = { .s = &found,
			     .job = first->job,
			     .wishes = first->wishes,
			     .run_s = has_default ? first->default_duration : RUN_ASSUMED };
	int rc = find(&look, view, error);

	if (rc) {
		starting_free(&found);
		return rc;
	}
	found.endless = starting->endless;
	found.endless_later = starting->endless_later;
	found.is_default_duration = has_default;
	if (found.answer == STARTING_ESTIMATED && !has_default)
		found.answer = STARTING_ASSUMED;
	starting_free(starting);
	*starting = found;
	return 0;
}

int starting_find(struct starting *starting, const struct fl_view *view, const struct fl_job *job,
		  const struct starting_wishes *wishes, struct error *error)
{
	struct look look = { .s = starting, .job = job, .wishes = wishes, .run_s = wishes->run_s };
	int rc = find(&look, view, error);

	if (rc == 0 && starting->answer == STARTING_NEVER && starting->endless + starting->endless_later > 0)
		rc = assume(&look, view, error);
	return rc;
}

void starting_free(struct starting *starting)
{
	free(starting->queue);
	for (size_t i = 0; i < starting->nreasons; i++)
		free(starting->reasons[i]);
	*starting = (struct starting){ 0 };
}
