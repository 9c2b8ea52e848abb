/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/lists.h"
#include "sched/reader/fairlead.h"
#include "sched/replay/inside.h"

#define USAGE_S 40			/* load_report_time of sge_conf(5) */
#define LAST_TIME ((int64_t)1 << 53)	/* epoch seconds, of an event */

/* Events */

static void take_event(void *context, enum event_type type)
{
	struct replay *replay = context;

	replay->events++;
	due_event(&replay->due, type);
	replay->happened |=
		type == EVENT_JOB_ADD || type == EVENT_TASK_FINISH || type == EVENT_TASK_STATE || type == EVENT_VACATED;
}

static int take_reload(void *context, struct error *error)
{
	(void)context;
	(void)error;
	return 0;
}

int replay_send(struct replay *replay, const struct event *event)
{
	return intake_event(&replay->intake, event, replay->error);
}

/* Create and destroy */

static int options_check(const struct replay *replay, struct error *error)
{
	const struct replay_options *options = &replay->options;
	const struct cell *cell = sched_cell(replay->sched);
	const struct complex *memory = options->memory ? cell_complex(cell, options->memory) : NULL;

	if (options->memory && !memory)
		return error_set(error, -EINVAL,
				 "cannot request memory as \"%.60s\": the cell has no such complex",
				 options->memory);
	if (memory && !mirror_reports_hosts(sched_mirror(replay->sched)) && !room_offers(cell, memory))
		return error_set(
			error, -EINVAL,
			"cannot request memory as \"%.60s\": no host or queue of the cell has any, "
			"so no job could start",
			options->memory);
	if (options->run_time && !cell_complex(cell, options->run_time))
		return error_set(error, -EINVAL,
				 "cannot request run time as \"%.60s\": the cell has no such complex",
				 options->run_time);
	if (options->pe && !array_find(cell->pes, cell->npes, sizeof(*cell->pes), options->pe))
		return error_set(error, -EINVAL, "the cell has no parallel environment \"%.60s\"",
				 options->pe);
	if (options->begin < 0 || options->begin > LAST_TIME)
		return error_set(error, -EINVAL,
				 "the replay begins at %lld: only epoch seconds from 0 to 2^53 are allowed",
				 (long long)options->begin);
	return 0;
}

static void begin(struct replay *replay, int64_t at)
{
	replay->base = replay->now = replay->changed = at;
}

static int prepare(struct replay *replay)
{
	const struct cell *cell = sched_cell(replay->sched);
	int rc = options_check(replay, replay->error);

	replay->clocks = cell->sched;
	if (replay->options.interval_s)
		replay->clocks.schedule_interval = replay->options.interval_s;
	if (!replay->options.usage_s)
		replay->options.usage_s = USAGE_S;
	if (!replay->options.run_time)
		replay->options.run_time = "h_rt";
	if (rc == 0)
		rc = machine_find(replay, replay->error);
	if (rc == 0 && replay->options.begin)
		begin(replay, replay->options.begin);
	if (rc == 0)
		rc = resume_tasks(replay);
	if (rc == 0)
		loads_begin(replay);
	return rc;
}

int replay_create(struct replay **result, struct sched *sched, const struct replay_options *options,
		  const struct replay_watch *watch, struct error *error)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int rc;

	*result = NULL;
	if (!replay)
		return error_set(error, -ENOMEM, "out of memory");
	replay->sched = sched;
	replay->error = error;
	replay->options = options ? *options : (struct replay_options){ 0 };
	replay->watch = watch ? *watch : (struct replay_watch){ 0 };
	replay->base = replay->now = replay->ran = replay->reported = replay->sampled = replay->changed = NEVER;
	replay->intake = (struct intake){ .mirror = sched_mirror(sched),
					  .orders = sched_orders(sched),
					  .context = replay,
					  .reload = take_reload,
					  .happened = take_event };
	rc = prepare(replay);
	if (rc)
		replay_destroy(replay);
	else
		*result = replay;
	return rc;
}

void replay_destroy(struct replay *replay)
{
	if (!replay)
		return;
	if (replay->reader)
		fl_detach(replay->reader);
	machine_free(&replay->machine);
	records_free(&replay->records);
	free(replay->agenda.items);
	free(replay);
}

/* Functions for callers */

/*
 * Note a job: for the time after the end of the job that it names, if that is known, otherwise for
 * its recorded time.
 */
static int note(struct replay *replay, struct replay_record *record)
{
	const struct trace_job *job = &record->job;
	struct replay_record *before =
		replay->options.think && job->after ? record_numbered(&replay->records, job->after) : NULL;
	int rc = replay->options.think ? record_number(&replay->records, record) : 0;

	if (rc == 0 && before) {
		record->next = before->followers;
		before->followers = record;
	} else if (rc == 0) {
		rc = agenda_put(&replay->agenda, job->submit > replay->now ? job->submit : replay->now, AGENDA_SUBMIT,
				record);
	}
	return rc;
}

int replay_job(struct replay *replay, const struct trace_job *job, struct error *error)
{
	struct replay_record *record;
	int rc = 0;

	replay->error = error;
	if (job->submit < 0 || job->submit > LAST_TIME)
		return error_set(error, -EINVAL,
				 "job %u is submitted at %lld: "
				 "only epoch seconds from 0 to 2^53 are allowed", job->number,
				 (long long)job->submit);
	if (replay->base == NEVER)
		begin(replay, job->submit);
	if (!replay->options.think)
		rc = turns_until(replay, job->submit, false);
	record = rc ? NULL : record_new(&replay->records);
	if (rc == 0 && !record)
		rc = -ENOMEM;
	if (rc == 0) {
		record->job = *job;
		record->task.index = replay->counts.taken++;
		record->task.number = job->number;
		record->task.task = job->is_array ? job->task : 0;
		record->task.slots = job->slots;
		replay->counts.not_yet++;
		rc = note(replay, record);
	}
	return rc == -ENOMEM ? error_set(error, rc, "out of memory for job %u", job->number) : rc;
}

int replay_until(struct replay *replay, int64_t now, struct error *error)
{
	int rc;

	replay->error = error;
	rc = turns_until(replay, now < FOREVER ? now + 1 : now, false);
	if (rc == 0 && now > replay->now && now < FOREVER && replay->base != NEVER)
		replay->now = now;
	return rc;
}

int replay_finish(struct replay *replay, struct error *error)
{
	replay->error = error;
	return turns_until(replay, FOREVER, true);
}

int replay_start_of(struct replay *replay, uint32_t job_number, uint32_t task, int64_t until, int64_t *start,
		    struct error *error)
{
	const struct replay_record *record = record_find(&replay->records, job_number, task ? task : 1);
	int rc;

	replay->error = error;
	replay->wanted = (struct replay_wanted){ job_number, task ? task : 1,
						 record && record->state == RECORD_RUNNING ? record->task.start : 0 };
	rc = replay->wanted.start ? 0 : turns_until(replay, until < FOREVER ? until + 1 : until, true);
	*start = replay->wanted.start;
	replay->wanted = (struct replay_wanted){ 0 };
	return rc	? rc
	       : *start ? 0
			: error_set(error, -ENOENT, "task %u of job %u does not start", task ? task : 1, job_number);
}

int64_t replay_end_of(const struct replay *replay, uint32_t job_number, uint32_t task)
{
	const struct replay_record *record = record_find(&replay->records, job_number, task);

	return record && record->state == RECORD_RUNNING ? record->task.end : 0;
}

void replay_stop(struct replay *replay)
{
	replay->stop = 1;
}

int64_t replay_now(const struct replay *replay)
{
	return replay->now == NEVER ? 0 : replay->now;
}

void replay_counts(const struct replay *replay, struct replay_counts *counts)
{
	*counts = replay->counts;
	counts->running = replay->records.nrunning;
	counts->endless = 0;
	for (size_t i = 0; i < replay->records.nrunning; i++)
		counts->endless += replay->records.items[replay->records.running[i]]->need_s == FOREVER;
}
