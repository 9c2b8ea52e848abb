/* SPDX-License-Identifier: Apache-2.0 */
/* Carry out the orders of a run at the time of the run, before anything else happens. */
#include <errno.h>

#include "sched/replay/inside.h"

static struct replay_record *record_of(struct replay *replay, const struct order *order)
{
	struct replay_record *record = record_find(&replay->records, order->job_number, order->task);

	return record ? record : resume_record(replay, order->job_number, order->task);
}

static int suspend(struct replay *replay, const struct order *order, bool on)
{
	struct replay_record *record = record_find(&replay->records, order->job_number, order->task);

	if (!record || record->state != RECORD_RUNNING || record->threshold == on)
		return 0;
	if (record->vacating == VACATED_UNSAID)
		replay->held += on ? 1 : (uint64_t)-1;
	record->threshold = on;
	return task_settle(replay, record);
}

/* Remove a job that had to start at once and could not. Its running tasks continue. */
static int remove_job(struct replay *replay, const struct order *order)
{
	struct replay_record *record = record_find(&replay->records, order->job_number, 1);
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_DELETE);
	event.task.job_number = order->job_number;
	rc = replay_send(replay, &event);
	if (rc)
		return rc;
	replay->counts.waiting--;
	replay->counts.removed++;
	replay->changed = replay->now;
	if (!record)
		return 0;
	record->task.how = REPLAY_END_REMOVED;
	if (replay->watch.ended)
		replay->watch.ended(replay->watch.context, &record->task, replay->now);
	record_leave(&replay->records, record);
	return record_forget(replay, record);
}

static int carry(struct replay *replay, const struct order *order)
{
	struct replay_record *record;

	switch (order->kind) {
	case ORDER_START:
		record = record_of(replay, order);
		return record ? task_begin(replay, record, &order->start)
			      : error_set(replay->error, -ENOMEM, "out of memory");
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		return suspend(replay, order, order->kind == ORDER_SUSPEND);
	case ORDER_REMOVE:
		return remove_job(replay, order);
	case ORDER_VACATE:
		record = record_find(&replay->records, order->job_number, order->task);
		return record && record->state == RECORD_RUNNING ? task_vacate(replay, record, &order->vacate) : 0;
	case ORDER_TICKETS:		/* not needed here */
		break;
	}
	return 0;
}

int orders_carry(struct replay *replay)
{
	struct orders *orders = replay->intake.orders;
	uint64_t done = 0;
	int rc = 0;

	for (const struct order *order; rc == 0 && (order = orders_after(orders, done));) {
		done = order->number;
		rc = carry(replay, order);
	}
	return rc || !done ? rc : orders_acknowledge(orders, done);
}
