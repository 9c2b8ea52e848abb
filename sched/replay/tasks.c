/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks run from their start, or from the end of a suspension, until they have run as long as
 * recorded. Usage is that of their slots and of the memory that they request, over the time that
 * they run. It is cumulative, as execution hosts report it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/lists.h"
#include "sched/replay/inside.h"

#define GIBIBYTE 0x1p30

/* Run times */

static int64_t record_run_s(const struct replay *replay, const struct replay_record *record)
{
	return record->done_s + (record->state == RECORD_RUNNING && !record->stopped ? replay->now - record->since : 0);
}

/* Plan the end of a task that runs from now on. */
static int end_plan(struct replay *replay, struct replay_record *record)
{
	int64_t left = record->need_s == FOREVER ? FOREVER : record->need_s - record->done_s;

	record->stamp = ++replay->records.stamps;
	record->since = replay->now;
	record->task.end = left == FOREVER || left > FOREVER - replay->now ? 0 : replay->now + (left > 0 ? left : 0);
	return record->task.end ? agenda_put(&replay->agenda, record->task.end, AGENDA_END, record) : 0;
}

/* Compute the run time from the recorded one, and whether the requested time is less. */
static void need_find(struct replay *replay, struct replay_record *record)
{
	const struct trace_job *job = record->task.job;

	record->limited = job && replay->options.limits_kill && job->limit_s > 0 && job->limit_s < job->run_s;
	if (job)
		record->need_s = record->limited ? job->limit_s : job->run_s;
	if (job && replay->options.checkpoints)
		record->need_s = record->need_s > record->kept_s ? record->need_s - record->kept_s : 0;
}

/* Usage */

static double cpu_of(const struct replay *replay, const struct replay_record *record, double run_s)
{
	const struct trace_job *job = record->task.job;

	if (replay->options.usage == REPLAY_USAGE_RECORDED && job && job->cpu_s >= 0)
		return job->run_s > 0 ? job->cpu_s * fmin(run_s / (double)job->run_s, 1.0) : job->cpu_s;
	return run_s * record->task.slots;
}

/* Compute cpu, and mem if it was requested; return the number of values. */
static size_t usage_of(const struct replay *replay, const struct replay_record *record, double values[2])
{
	const struct trace_job *job = record->task.job;
	double run_s = (double)record_run_s(replay, record);

	values[0] = fmin(cpu_of(replay, record, run_s), TICKETS_LIMIT);
	if (!job || job->memory_bytes == 0)
		return 1;
	values[1] = fmin(run_s * record->task.slots * ((double)job->memory_bytes / GIBIBYTE), TICKETS_LIMIT);
	return 2;
}

struct reported_values {
	struct usage_value items[2];
};

static struct usage_values usage_reported(const struct replay *replay, const struct replay_record *record,
					  struct reported_values *reported)
{
	double values[2];
	size_t n = usage_of(replay, record, values);

	reported->items[0] = (struct usage_value){ "cpu", values[0] };
	reported->items[1] = (struct usage_value){ "mem", n > 1 ? values[1] : 0.0 };
	return (struct usage_values){ reported->items, n };
}

/* Raise usage directly. An event for each task would take most of the time of a replay. */
int tasks_report(struct replay *replay)
{
	struct mirror *mirror = sched_mirror(replay->sched);
	struct usage_item items[] = { { .name = mirror_usage_name(mirror, "cpu") },
				      { .name = mirror_usage_name(mirror, "mem") } };
	double values[2];
	int rc = items[0].name == UINT32_MAX || items[1].name == UINT32_MAX ? -ENOMEM : 0;

	for (size_t i = 0; i < replay->records.nrunning && rc == 0; i++) {
		const struct replay_record *record = replay->records.items[replay->records.running[i]];
		size_t n = usage_of(replay, record, values);

		for (size_t k = 0; k < n; k++)
			items[k].value = values[k];
		rc = mirror_usage_raise(mirror, record->task.job_number, record->task.task_number, items, n);
	}
	return rc ? error_set(replay->error, rc, "out of memory") : 0;
}

/* Machine */

/* Take or give back the slots of a task. */
static void slots_count(struct replay *replay, const struct replay_record *record, int sign)
{
	struct replay_machine *machine = &replay->machine;

	for (size_t k = 0; k < record->task.granted.n; k++) {
		uint32_t i = record->instances[k];
		uint64_t slots = (uint64_t)(int64_t)(sign * (int64_t)record->task.granted.items[k].slots);

		replay->slots_used += slots;
		if (i == INDEX_NONE)
			continue;
		machine->instances[i].used += slots;
		machine->hosts[machine->instances[i].host].due = true;
	}
}

/* Count the load of a task as busy or not. */
static void load_count(struct replay *replay, const struct replay_record *record, int sign)
{
	struct replay_machine *machine = &replay->machine;

	for (size_t k = 0; k < record->task.granted.n; k++)
		if (record->instances[k] != INDEX_NONE)
			machine->hosts[machine->instances[record->instances[k]].host].busy +=
				(uint64_t)(int64_t)(sign * (int64_t)record->task.granted.items[k].slots);
}

int record_grant(struct replay *replay, struct replay_record *record, const struct grants *granted)
{
	struct granted *items = calloc(granted->n + 1, sizeof(*items));
	uint32_t *instances = calloc(granted->n + 1, sizeof(*instances));

	free((void *)record->task.granted.items);
	free(record->instances);
	record->task.granted = (struct grants){ items, items && instances ? granted->n : 0 };
	record->instances = instances;
	if (!items || !instances)
		return error_set(replay->error, -ENOMEM, "out of memory");
	record->task.slots = 0;
	for (size_t k = 0; k < granted->n; k++) {
		instances[k] = machine_instance(&replay->machine, granted->items[k].queue);
		items[k] = granted->items[k];
		/* the machine's name lives as long as the replay */
		items[k].queue = instances[k] == INDEX_NONE ? "" : replay->machine.instances[instances[k]].name;
		record->task.slots += granted->items[k].slots;
	}
	return 0;
}

/* Start */

int record_begin(struct replay *replay, struct replay_record *record, int64_t start)
{
	record->task.start = start;
	record_runs(&replay->records, record);
	slots_count(replay, record, 1);
	load_count(replay, record, 1);
	return end_plan(replay, record) ? error_set(replay->error, -ENOMEM, "out of memory") : 0;
}

/* Return the cell's own text, which lives longer. */
static const char *pe_name(const struct replay *replay, const char *name)
{
	const struct cell *cell = sched_cell(replay->sched);
	const struct pe *pe = array_find(cell->pes, cell->npes, sizeof(*cell->pes), name);

	return pe ? pe->name : NULL;
}

int task_begin(struct replay *replay, struct replay_record *record, const struct order_start *start)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_TASK_START);
	event.task.job_number = record->task.job_number;
	event.task.task = record->task.task_number;
	event.task.start_time = start->start_time;
	event.task.granted = start->granted;
	event.task.granted_pe = start->granted_pe;
	rc = replay_send(replay, &event);
	if (rc == 0)
		rc = record_grant(replay, record, &start->granted);
	if (rc)
		return rc;
	need_find(replay, record);
	record->done_s = 0;
	record->task.backfilled = start->backfilled;
	record->task.granted_pe = start->granted_pe ? pe_name(replay, start->granted_pe) : NULL;
	record->task.prio = start->prio;
	record->task.ntckts = start->ntckts;
	replay->counts.waiting--;
	replay->counts.started++;
	replay->started++;
	replay->changed = replay->now;
	rc = record_begin(replay, record, start->start_time);
	if (record->task.job_number == replay->wanted.job_number && record->task.task_number == replay->wanted.task)
		replay->wanted.start = start->start_time;
	if (rc == 0 && replay->watch.started)
		replay->watch.started(replay->watch.context, &record->task);
	return rc;
}

/* Suspension */

void record_suspend(struct replay *replay, struct replay_record *record)
{
	record->done_s = record_run_s(replay, record);
	record->stopped = true;
	record->stamp = ++replay->records.stamps;
	record->since = replay->now;
	record->task.end = 0;
	load_count(replay, record, -1);
}

static int record_continue(struct replay *replay, struct replay_record *record)
{
	record->stopped = false;
	load_count(replay, record, 1);
	return end_plan(replay, record) ? error_set(replay->error, -ENOMEM, "out of memory") : 0;
}

bool record_is_held(const struct replay *replay, const struct replay_record *record)
{
	for (size_t k = 0; k < record->task.granted.n; k++) {
		uint32_t i = record->instances[k];

		if (i != INDEX_NONE && (replay->machine.instances[i].suspended || replay->machine.instances[i].closed))
			return true;
	}
	return record->preempted || record->asked;
}

/* Suspend or resume a task as required. A task that gives back its slots runs in any case. */
int task_settle(struct replay *replay, struct replay_record *record)
{
	bool held = record_is_held(replay, record),
	     stands = (held || record->threshold) && record->vacating == VACATED_UNSAID;
	struct event event;
	int rc;

	if (stands == record->stopped)
		return 0;
	event_init(&event, EVENT_TASK_STATE);
	event.task.job_number = record->task.job_number;
	event.task.task = record->task.task_number;
	event.task.state = !stands ? "r" : !record->threshold ? "S" : held ? "ST" : "T";
	rc = replay_send(replay, &event);
	if (rc == 0 && stands)
		record_suspend(replay, record);
	else if (rc == 0)
		rc = record_continue(replay, record);
	record->task.run_s = record_run_s(replay, record);
	if (rc == 0 && replay->watch.suspended)
		replay->watch.suspended(replay->watch.context, &record->task, stands, replay->now);
	return rc;
}

/* The end */

/* Reverse the list. Followers were added at the front, so this restores the trace's order. */
static struct replay_record *followers_order(struct replay_record *last)
{
	struct replay_record *first = NULL;

	for (struct replay_record *next; last; last = next) {
		next = last->next;
		last->next = first;
		first = last;
	}
	return first;
}

static int followers_submit(struct replay *replay, struct replay_record *record)
{
	int rc = 0;

	for (struct replay_record *replay_record = followers_order(record->followers), *next; replay_record && rc == 0;
	     replay_record = next) {
		next = replay_record->next;
		replay_record->next = NULL;
		rc = agenda_put(&replay->agenda,
				replay_record->job.think_s < FOREVER - replay->now
					? replay->now + replay_record->job.think_s
					: FOREVER - 1,
				AGENDA_SUBMIT, replay_record);
	}
	record->followers = NULL;
	return rc ? error_set(replay->error, -ENOMEM, "out of memory") : 0;
}

int record_forget(struct replay *replay, struct replay_record *record)
{
	int rc = followers_submit(replay, record);

	record_free(&replay->records, record);
	return rc;
}

static void leave(struct replay *replay, struct replay_record *record, enum replay_end how)
{
	record->task.run_s = record_run_s(replay, record);
	record->task.how = how;
	record->task.end = replay->now;
	slots_count(replay, record, -1);
	if (!record->stopped)
		load_count(replay, record, -1);
	replay->held -= record->threshold || record->vacating != VACATED_UNSAID;
	record_stops(&replay->records, record);
	record->stopped = record->threshold = record->preempted = false;
	record->vacating = VACATED_UNSAID;
	replay->changed = replay->now;
	if (replay->watch.ended)
		replay->watch.ended(replay->watch.context, &record->task, replay->now);
}

int task_end(struct replay *replay, struct replay_record *record)
{
	struct reported_values reported;
	struct event event;
	int rc;

	event_init(&event, EVENT_TASK_FINISH);
	event.task.job_number = record->task.job_number;
	event.task.task = record->task.task_number;
	event.task.end_time = replay->now;
	event.task.has_usage = true;
	event.task.usage = usage_reported(replay, record, &reported);
	rc = replay_send(replay, &event);
	if (rc)
		return rc;
	leave(replay, record, record->limited ? REPLAY_END_LIMIT : REPLAY_END_DONE);
	replay->counts.ended++;
	replay->counts.limited += record->limited;
	record_leave(&replay->records, record);
	return record_forget(replay, record);
}

/* Vacating */

/*
 * Vacate a task. It keeps running for its retirement time, in which it may end by itself, and
 * leaves as soon as it gets its signal.
 */
int task_vacate(struct replay *replay, struct replay_record *record, const struct order_vacate *order)
{
	int64_t at = order->retirement_s == UINT32_MAX ? FOREVER : replay->now + order->retirement_s;
	int rc;

	replay->held += !record->threshold && record->vacating == VACATED_UNSAID;
	record->vacating = order->signal ? VACATED_SOFT : VACATED_HARD;
	rc = task_settle(replay, record);
	if (rc || at == FOREVER || (record->task.end && record->task.end <= at))
		return rc;
	return agenda_put(&replay->agenda, at, AGENDA_VACATE, record)
		       ? error_set(replay->error, -ENOMEM, "out of memory")
		       : 0;
}

int task_vacated(struct replay *replay, struct replay_record *record)
{
	struct reported_values reported;
	struct event event;
	int rc;

	event_init(&event, EVENT_USAGE);
	event.task.job_number = record->task.job_number;
	event.task.task = record->task.task_number;
	event.task.usage = usage_reported(replay, record, &reported);
	rc = replay_send(replay, &event);
	event_init(&event, EVENT_VACATED);
	event.vacated.job_number = record->task.job_number;
	event.vacated.task = record->task.task_number;
	event.vacated.how = record->vacating;
	if (rc == 0)
		rc = replay_send(replay, &event);
	if (rc)
		return rc;
	record->kept_s += record_run_s(replay, record);
	leave(replay, record, REPLAY_END_VACATED);
	record->task.start = record->task.end = 0;
	record->task.granted.n = 0;
	record->task.granted_pe = NULL;
	replay->counts.waiting++;
	replay->counts.vacated++;
	return 0;
}
