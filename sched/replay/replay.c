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
	struct replay *r = context;

	r->events++;
	due_event(&r->due, type);
	r->happened |= type == EVENT_JOB_ADD || type == EVENT_TASK_FINISH || type == EVENT_TASK_STATE || type == EVENT_VACATED;
}

static int take_reload(void *context, struct error *error)
{
	(void)context;
	(void)error;
	return 0;
}

int replay_tell(struct replay *r, const struct event *event)
{
	return intake_event(&r->intake, event, r->error);
}

/* Life */

static int options_check(const struct replay *r, struct error *error)
{
	const struct replay_options *o = &r->options;
	const struct cell *cell = sched_cell(r->sched);
	const struct complex *memory = o->memory ? cell_complex(cell, o->memory) : NULL;

	if (o->memory && !memory)
		return error_set(error, -EINVAL, "memory is to be requested as \"%.60s\", which the cell's complex does not have", o->memory);
	if (memory && !sched_mirror(r->sched)->state->nhosts && !room_offers(cell, memory))
		return error_set(error, -EINVAL, "memory is to be requested as \"%.60s\", of which no host or queue of the cell has any: no job could start", o->memory);
	if (o->run_time && !cell_complex(cell, o->run_time))
		return error_set(error, -EINVAL, "run time is to be requested as \"%.60s\", which the cell's complex does not have", o->run_time);
	if (o->pe && !array_find(cell->pes, cell->npes, sizeof(*cell->pes), o->pe))
		return error_set(error, -EINVAL, "the parallel environment \"%.60s\" is not one of the cell's", o->pe);
	if (o->begin < 0 || o->begin > LAST_TIME)
		return error_set(error, -EINVAL, "it begins at %lld: allowed are epoch seconds from 0 to 2^53", (long long)o->begin);
	return 0;
}

static void begin(struct replay *r, int64_t at)
{
	r->base = r->now = r->changed = at;
}

static int prepare(struct replay *r)
{
	const struct cell *cell = sched_cell(r->sched);
	int rc = options_check(r, r->error);

	r->clocks = cell->sched;
	if (r->options.interval_s)
		r->clocks.schedule_interval = r->options.interval_s;
	if (!r->options.usage_s)
		r->options.usage_s = USAGE_S;
	if (!r->options.run_time)
		r->options.run_time = "h_rt";
	if (rc == 0)
		rc = machine_find(r, r->error);
	if (rc == 0 && r->options.begin)
		begin(r, r->options.begin);
	if (rc == 0)
		rc = resume_tasks(r);
	if (rc == 0)
		loads_begin(r);
	return rc;
}

int replay_create(struct replay **result, struct sched *s, const struct replay_options *options, const struct replay_watch *watch,
		  struct error *error)
{
	struct replay *r = calloc(1, sizeof(*r));
	int rc;

	*result = NULL;
	if (!r)
		return error_set(error, -ENOMEM, "out of memory");
	r->sched = s;
	r->error = error;
	r->options = options ? *options : (struct replay_options){ 0 };
	r->watch = watch ? *watch : (struct replay_watch){ 0 };
	r->base = r->now = r->ran = r->reported = r->sampled = r->changed = NEVER;
	r->intake = (struct intake){ .mirror = sched_mirror(s), .orders = sched_orders(s), .context = r, .reload = take_reload, .happened = take_event };
	rc = prepare(r);
	if (rc)
		replay_destroy(r);
	else
		*result = r;
	return rc;
}

void replay_destroy(struct replay *r)
{
	if (!r)
		return;
	if (r->reader)
		fl_detach(r->reader);
	machine_free(&r->machine);
	records_free(&r->records);
	free(r->agenda.items);
	free(r);
}

/* What others call */

/*
 * Behind the end of the job that it names, if that is known to be there; else when it was recorded.
 */
static int note(struct replay *r, struct replay_record *record)
{
	const struct trace_job *job = &record->job;
	struct replay_record *before = r->options.think && job->after ? record_numbered(&r->records, job->after) : NULL;
	int rc = r->options.think ? record_number(&r->records, record) : 0;

	if (rc == 0 && before) {
		record->next = before->followers;
		before->followers = record;
	} else if (rc == 0) {
		rc = agenda_put(&r->agenda, job->submit > r->now ? job->submit : r->now, AGENDA_SUBMIT, record);
	}
	return rc;
}

int replay_job(struct replay *r, const struct trace_job *job, struct error *error)
{
	struct replay_record *record;
	int rc = 0;

	r->error = error;
	if (job->submit < 0 || job->submit > LAST_TIME)
		return error_set(error, -EINVAL, "job %u is submitted at %lld: allowed are epoch seconds from 0 to 2^53", job->number, (long long)job->submit);
	if (r->base == NEVER)
		begin(r, job->submit);
	if (!r->options.think)
		rc = turns_until(r, job->submit, false);
	record = rc ? NULL : record_new(&r->records);
	if (rc == 0 && !record)
		rc = -ENOMEM;
	if (rc == 0) {
		record->job = *job;
		record->task.index = r->counts.taken++;
		record->task.number = job->number;
		record->task.task = job->is_array ? job->task : 0;
		record->task.slots = job->slots;
		r->counts.not_yet++;
		rc = note(r, record);
	}
	return rc == -ENOMEM ? error_set(error, rc, "out of memory for job %u", job->number) : rc;
}

int replay_until(struct replay *r, int64_t now, struct error *error)
{
	int rc;

	r->error = error;
	rc = turns_until(r, now < FOREVER ? now + 1 : now, false);
	if (rc == 0 && now > r->now && now < FOREVER && r->base != NEVER)
		r->now = now;
	return rc;
}

int replay_finish(struct replay *r, struct error *error)
{
	r->error = error;
	return turns_until(r, FOREVER, true);
}

int replay_start_of(struct replay *r, uint32_t job_number, uint32_t task, int64_t until, int64_t *start, struct error *error)
{
	const struct replay_record *record = record_find(&r->records, job_number, task ? task : 1);
	int rc;

	r->error = error;
	r->wanted = (struct replay_wanted){ job_number, task ? task : 1, record && record->state == RECORD_RUNNING ? record->task.start : 0 };
	rc = r->wanted.start ? 0 : turns_until(r, until < FOREVER ? until + 1 : until, true);
	*start = r->wanted.start;
	r->wanted = (struct replay_wanted){ 0 };
	return rc ? rc : *start ? 0 : error_set(error, -ENOENT, "task %u of job %u does not start", task ? task : 1, job_number);
}

int64_t replay_end_of(const struct replay *r, uint32_t job_number, uint32_t task)
{
	const struct replay_record *record = record_find(&r->records, job_number, task);

	return record && record->state == RECORD_RUNNING ? record->task.end : 0;
}

void replay_stop(struct replay *r)
{
	r->stop = 1;
}

int64_t replay_now(const struct replay *r)
{
	return r->now == NEVER ? 0 : r->now;
}

void replay_counts(const struct replay *r, struct replay_counts *counts)
{
	*counts = r->counts;
	counts->running = r->records.nrunning;
	counts->endless = 0;
	for (size_t i = 0; i < r->records.nrunning; i++)
		counts->endless += r->records.items[r->records.running[i]]->need_s == FOREVER;
}
