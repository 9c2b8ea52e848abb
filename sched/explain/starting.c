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
	struct schedule_lines lines;	/* what the first run has booked */
	int64_t begin;
	uint64_t until_ns;		/* real time */
	bool no_memory;
};

static void queue_take(struct look *k, const char *name, size_t length)
{
	if (k->s->queue)
		return;
	k->s->queue = strndup(name, length);
	k->no_memory |= !k->s->queue;
}

/* Reservations: "17:1:RESERVING:1795272078:671:Q:bulk.q@ada:slots:1.000000" */

static void reservation_take(struct look *k, const char *line)
{
	char head[60];
	size_t n = (size_t)snprintf(head, sizeof(head), "%u:%u:RESERVING:", k->job->job_number, k->job->task);
	const char *at = line + n, *queue, *end;
	int64_t start;

	if (strncmp(line, head, n) != 0)
		return;
	start = strtoll(at, NULL, 10);
	queue = strstr(at, ":Q:");
	end = queue ? strstr(queue + 3, ":slots:") : NULL;
	if (!end || (size_t)(end - line) > strcspn(line, "\n"))
		return;
	k->s->answer = STARTING_RESERVED;
	k->s->at = start;
	k->s->slots += (uint32_t)strtod(end + strlen(":slots:"), NULL);
	queue_take(k, queue + 3, (size_t)(end - queue - 3));
}

static void reservations_take(struct look *k)
{
	char *text = k->lines.length ? strndup(k->lines.text, k->lines.length) : NULL, *rest = text;

	for (char *line; (line = strsep(&rest, "\n")); )
		reservation_take(k, line);
	free(text);
}

/* The watch */

static void started(void *context, const struct replay_task *task)
{
	struct look *k = context;

	if (task->job_number != k->job->job_number || task->task_number != k->job->task || task->granted.n == 0)
		return;
	k->s->slots = task->slots;
	queue_take(k, task->granted.items[0].queue, strlen(task->granted.items[0].queue));
}

static void ran(void *context, const struct replay_run *run)
{
	struct look *k = context;

	k->s->runs = run->number;
	if (run->number == 1) {
		reservations_take(k);
		sched_schedule(k->sched, NULL);
	}
	if (k->s->answer == STARTING_RESERVED || clock_monotonic_ns() >= k->until_ns)
		replay_stop(k->replay);
}

/* What it waits for */

static void after_take(struct look *k)
{
	const struct jobs *j = &sched_mirror(k->sched)->state->jobs;
	uint32_t row = jobs_find(j, k->job->job_number);
	const struct job_extra *extra = row == INDEX_NONE ? NULL : jobs_find_extra(j, row);

	for (size_t i = 0; extra && i < extra->nhold_jid + extra->nhold_jid_ad; i++) {
		uint32_t number = i < extra->nhold_jid ? extra->hold_jid[i] : extra->hold_jid_ad[i - extra->nhold_jid];

		if (jobs_find(j, number) == INDEX_NONE)
			continue;
		if (k->s->nafter < STARTING_FEW)
			k->s->after[k->s->nafter] = number;
		k->s->nafter++;
	}
}

/* All of it */

static bool is_kept(const struct fl_view *view, uint32_t job_number)
{
	struct fl_why why;

	for (size_t i = 0; fl_why(view, job_number, i, &why) == 0; i++)
		if (strcmp(why.kind, "on_hold") == 0 || strcmp(why.kind, "in_error") == 0)
			return true;
	return false;
}

static void answer(struct look *k, int rc, int64_t at)
{
	struct replay_counts counts;
	struct starting *s = k->s;

	replay_counts(k->replay, &counts);
	s->endless_later = counts.endless > s->endless ? counts.endless - s->endless : 0;
	if (s->answer == STARTING_RESERVED)
		return;
	s->at = rc == 0 ? at : replay_now(k->replay);
	if (rc == 0)
		s->answer = STARTING_ESTIMATED;
	else if (rc == -EINTR)
		s->answer = STARTING_GIVEN_UP;
	else
		s->answer = s->at + (int64_t)sched_cell(k->sched)->sched.schedule_interval >= k->begin + k->wishes->horizon_s ? STARTING_LATER : STARTING_NEVER;
}

static int reason_take(struct starting *s, const char *text)
{
	s->reasons[s->nreasons] = strdup(text);
	s->nreasons += s->reasons[s->nreasons] != NULL;
	return s->nreasons > 0 ? 0 : -ENOMEM;
}

/* Nothing is to come any more: what is missing then is what it really lacks. */
static int reasons_take(struct look *k, struct error *error)
{
	char text[REASON_BYTES];
	struct fl_cell *cell = NULL;
	const struct fl_view *view;
	struct fl_why why;
	int rc;

	sched_publishes(k->sched, true);
	rc = sched_run(k->sched, replay_now(k->replay) + 1, 0, error);
	if (rc == 0)
		rc = fl_attach_descriptor(&cell, sched_descriptor(k->sched));
	view = rc == 0 ? fl_begin(cell) : NULL;
	for (size_t i = 0; rc == 0 && i < STARTING_FEW && fl_why(view, k->job->job_number, i, &why) == 0; i++) {
		fl_why_text(&why, text, sizeof(text));
		if (reason_take(k->s, text))
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (view)
		fl_end(cell);
	fl_detach(cell);
	return rc;
}

static int look_ahead(struct look *k, struct error *error)
{
	int64_t at = 0;
	int rc;

	k->sched->cell->sched.with.monitor = true;
	sched_schedule(k->sched, &k->lines);
	k->until_ns = clock_monotonic_ns() + k->wishes->budget_ns;
	rc = replay_start_of(k->replay, k->job->job_number, k->job->task, k->begin + k->wishes->horizon_s, &at, error);
	if (rc && rc != -ENOENT && rc != -EINTR)
		return rc;
	answer(k, rc, at);
	if (k->s->answer == STARTING_NEVER && (rc = reasons_take(k, error)))
		return rc;
	return k->no_memory ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static int begin(struct look *k, const struct fl_view *view, struct error *error)
{
	const struct replay_watch watch = { .context = k, .started = started, .ran = ran };
	const struct replay_options options = { .begin = k->begin, .default_run_s = k->run_s < RUN_MOST ? k->run_s : RUN_MOST };
	struct replay_counts counts;
	const struct detach_options as_it_is = { .edit = NULL };
	int rc = sched_detach(&k->sched, &view->view, &as_it_is, error);

	if (rc)
		return rc;
	k->default_duration = sched_cell(k->sched)->sched.default_duration;
	sched_dispatch(k->sched, true);
	sched_pause(k->sched, false);
	after_take(k);
	/* a replay would take those of the cell */
	if (sched_mirror(k->sched)->state->ninstances == 0)
		return reason_take(k->s, "the run knows of no queue instance") ? error_set(error, -ENOMEM, "out of memory") : 0;
	rc = replay_create(&k->replay, k->sched, &options, &watch, error);
	if (rc == -EINVAL)
		return reason_take(k->s, error->text) ? error_set(error, -ENOMEM, "out of memory") : 0;
	if (rc)
		return rc;
	replay_counts(k->replay, &counts);
	k->s->endless = counts.endless;
	return 0;
}

static int find(struct look *k, const struct fl_view *view, struct error *error)
{
	const struct fl_job *job = k->job;
	struct fl_run run;
	int rc;

	*k->s = (struct starting){ .run_s = k->run_s };
	fl_run(view, &run);
	k->begin = run.now;
	k->s->is_kept = !job->is_started && is_kept(view, job->job_number);
	rc = begin(k, view, error);
	if (rc || !k->replay)
		;
	else if (job->is_started)
		k->s->end = replay_end_of(k->replay, job->job_number, job->task);
	else if (!k->s->is_kept)
		rc = look_ahead(k, error);
	replay_destroy(k->replay);
	sched_destroy(k->sched);
	schedule_free(&k->lines);
	return rc;
}

/* Search again for a job that only waits for tasks of which no end is known. */
static int assume(struct look *first, const struct fl_view *view, struct error *error)
{
	bool has_default = first->default_duration > 0 && first->default_duration < UINT32_MAX;
	struct starting found, *s = first->s;
	struct look k = { .s = &found, .job = first->job, .wishes = first->wishes, .run_s = has_default ? first->default_duration : RUN_ASSUMED };
	int rc = find(&k, view, error);

	if (rc) {
		starting_free(&found);
		return rc;
	}
	found.endless = s->endless;
	found.endless_later = s->endless_later;
	found.is_default_duration = has_default;
	if (found.answer == STARTING_ESTIMATED && !has_default)
		found.answer = STARTING_ASSUMED;
	starting_free(s);
	*s = found;
	return 0;
}

int starting_find(struct starting *s, const struct fl_view *view, const struct fl_job *job, const struct starting_wishes *wishes,
		  struct error *error)
{
	struct look k = { .s = s, .job = job, .wishes = wishes, .run_s = wishes->run_s };
	int rc = find(&k, view, error);

	if (rc == 0 && s->answer == STARTING_NEVER && s->endless + s->endless_later > 0)
		rc = assume(&k, view, error);
	return rc;
}

void starting_free(struct starting *s)
{
	free(s->queue);
	for (size_t i = 0; i < s->nreasons; i++)
		free(s->reasons[i]);
	*s = (struct starting){ 0 };
}
