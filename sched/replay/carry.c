/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has ordered is done at the run's own time, before anything else happens. */
#include <errno.h>

#include "sched/replay/inside.h"

static struct replay_record *record_of(struct replay *r, const struct order *order)
{
	struct replay_record *record = record_find(&r->records, order->job_number, order->task);

	return record ? record : resume_record(r, order->job_number, order->task);
}

static int suspend(struct replay *r, const struct order *order, bool on)
{
	struct replay_record *record = record_find(&r->records, order->job_number, order->task);

	if (!record || record->state != RECORD_RUNNING || record->threshold == on)
		return 0;
	if (record->vacating == VACATED_UNSAID)
		r->held += on ? 1 : (uint64_t)-1;
	record->threshold = on;
	return task_settle(r, record);
}

/* A job that was to start at once, and could not; its tasks that run go on. */
static int remove_job(struct replay *r, const struct order *order)
{
	struct replay_record *record = record_find(&r->records, order->job_number, 1);
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_DELETE);
	event.task.job_number = order->job_number;
	rc = replay_tell(r, &event);
	if (rc)
		return rc;
	r->counts.waiting--;
	r->counts.removed++;
	r->changed = r->now;
	if (!record)
		return 0;
	record->task.how = REPLAY_END_REMOVED;
	if (r->watch.ended)
		r->watch.ended(r->watch.context, &record->task, r->now);
	record_leave(&r->records, record);
	return record_forget(r, record);
}

static int carry(struct replay *r, const struct order *order)
{
	struct replay_record *record;

	switch (order->kind) {
	case ORDER_START:
		record = record_of(r, order);
		return record ? task_begin(r, record, &order->start) : error_set(r->error, -ENOMEM, "out of memory");
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		return suspend(r, order, order->kind == ORDER_SUSPEND);
	case ORDER_REMOVE:
		return remove_job(r, order);
	case ORDER_VACATE:
		record = record_find(&r->records, order->job_number, order->task);
		return record && record->state == RECORD_RUNNING ? task_vacate(r, record, &order->vacate) : 0;
	case ORDER_TICKETS:		/* nobody needs them here */
		break;
	}
	return 0;
}

int orders_carry(struct replay *r)
{
	struct orders *orders = r->intake.orders;
	uint64_t done = 0;
	int rc = 0;

	for (const struct order *order; rc == 0 && (order = orders_after(orders, done));) {
		done = order->number;
		rc = carry(r, order);
	}
	return rc || !done ? rc : orders_acknowledge(orders, done);
}
