/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler orders. Its orders are here, in this process: they are carried out or refused
 * before the turn ends, and never sent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/mail.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/tell.h"
#include "sched/qmaster/local/vacate.h"

/* The order is gone then. */
static void order_refuse(struct local *l, const struct order *order, const char *text)
{
	struct error error, why;
	struct event event;

	error_set(&why, 0, "%s", text);
	utf8_clean(why.text);
	event_init(&event, EVENT_ORDER_REFUSED);
	event.order.number = order->number;
	event.order.job_number = order->job_number;
	event.order.task = order->task ? order->task : 1;
	event.order.text = why.text;
	if (tell(l, &event, &error))
		log_line(LOG_ODD, "an order could not be refused: %s", error.text);
}

/* Start */

/* The task with what was granted; NULL: no memory. */
static struct local_task *start_task(struct local *l, const struct local_job *job, const struct order *order)
{
	struct local_task *t = local_task_new(l, job->number, order->task, TASK_STARTING);

	if (!t)
		return NULL;
	if (granted_take(&t->granted, &order->start.granted, order->start.granted_pe)) {
		local_task_forget(l, t);
		return NULL;
	}
	t->is_array = job->is_array;
	local_task_due(l, t);
	t->start_time = order->start.start_time;
	return t;
}

static const char *start_objection(struct local *l, const struct local_job *job, uint32_t id)
{
	if (!ranges_contain(&job->waiting, id))
		return "it does not wait";
	if (job_is_in_error(job, id))
		return "it is in error";
	if (l->tasks.n + DESCRIPTORS_SPARE > l->descriptors.rlim_max)
		return "this scheduler has no descriptors left, see ulimit -n";
	for (int k = 0; k < HOLD_KINDS; k++)
		if (ranges_contain(&job->hold[k], id))
			return "it is held";
	return local_task_find(l, job->number, id) ? "its predecessor is not booked yet" : NULL;
}

/* Delete a task of a job that is never in the error state. */
static int start_given_up(struct local *l, struct local_job *job, uint32_t id, struct error *error)
{
	struct ranges gone = { 0 };
	int rc = ranges_add(&gone, id);

	log_line(LOG_ODD, "task %u of job %u can't be started, and is deleted: %s", id, job->number, error->text);
	rc = rc ? error_set(error, rc, "out of memory") : delete_waiting(l, job, &gone, error);
	ranges_free(&gone);
	return rc;
}

/* Nothing of the machine: it would not be better next time. The task waits in error, or ends. */
static void start_impossible(struct local *l, struct local_task *t, struct local_job *job, const struct order *order, struct error *error)
{
	attempt_remove(l, t, t->attempt);
	local_task_forget(l, t);
	order_refuse(l, order, error->text);
	if (job_ends_on_error(job)) {
		if (start_given_up(l, job, order->task, error))
			local_fail(l, error);
	} else if (job_fail(job, order->task, error->text) || tell_known(tell_holds(l, job, error), error, job->number) || job_save(l, job, error)) {
		local_fail(l, error);
	}
}

/* What ended before and is booked makes room for this one. */
static int start_make(struct local *l, struct local_job *job, const struct order *order, struct error *error)
{
	struct local_task *t = start_task(l, job, order);
	int rc = t ? launch_prepare(l, t, job, error) : error_set(error, -ENOMEM, "out of memory");

	if (t && launch_is_hopeless(rc)) {
		start_impossible(l, t, job, order, error);
		return rc;
	}
	if (rc == 0) {
		signal_limit(l, t, job);
		signal_of_job(l, t, job);
		mail_of_job(t, job);
	}
	if (rc == 0)
		rc = job_take_out(job, t->id);
	if (rc == 0)
		rc = job_save(l, job, error);
	if (rc == 0)
		rc = local_task_save(l, t, error);
	if (rc)
		local_fail(l, error);
	return rc;
}

static void order_start(struct local *l, const struct order *order)
{
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(l, order->job_number, &job, &error);
	const char *objection = rc == -ENOENT ? "there is no such job" : rc ? error.text : start_objection(l, &job, order->task);

	local_changed(l);
	if (objection)
		order_refuse(l, order, objection);
	else
		start_make(l, &job, order, &error);
	job_free(&job);
}

/* The others */

static void order_suspend(struct local *l, const struct order *order, bool suspend)
{
	struct local_task *t = local_task_find(l, order->job_number, order->task);
	struct error error;

	if (!t || !local_task_runs(t)) {
		order_refuse(l, order, "it does not run");
		return;
	}
	letters_set(t->letters, 'T', suspend);
	local_changed(l);
	if (local_task_save(l, t, &error))
		local_fail(l, &error);
}

/* Nothing of it is stored: its directory has all of that. */
static void order_vacate(struct local *l, const struct order *order)
{
	struct local_task *t = local_task_find(l, order->job_number, order->task);
	struct error error = { "" };

	if (!t || local_task_has_ended(t))
		order_refuse(l, order, "it does not run");
	else if (t->removal == REMOVAL_NONE && vacate_begin(l, t, &order->vacate, &error))
		order_refuse(l, order, error.text);
}

/* What waits of it; tasks that run go on. */
static void order_remove(struct local *l, const struct order *order)
{
	struct ranges gone = { 0 };
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(l, order->job_number, &job, &error);

	local_changed(l);
	if (rc == 0)
		rc = ranges_copy(&gone, &job.waiting);
	if (rc == 0)
		rc = delete_waiting(l, &job, &gone, &error);
	if (rc == -ENOENT)
		order_refuse(l, order, "there is no such job");
	else if (rc)
		local_fail(l, &error);
	ranges_free(&gone);
	job_free(&job);
}

static void order_carry_out(struct local *l, const struct order *order)
{
	switch (order->kind) {
	case ORDER_START:
		order_start(l, order);
		break;
	case ORDER_TICKETS:
		steer_tickets(l, &order->tickets);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		order_suspend(l, order, order->kind == ORDER_SUSPEND);
		break;
	case ORDER_REMOVE:
		order_remove(l, order);
		break;
	case ORDER_VACATE:
		order_vacate(l, order);
		break;
	}
}

void orders_carry_out(struct local *l)
{
	struct orders *orders = l->intake->orders;
	uint64_t done = 0;

	for (const struct order *order; !l->turn.failure.text[0] && (order = orders_after(orders, done)); ) {
		done = order->number;
		order_carry_out(l, order);
	}
	if (done)
		orders_acknowledge(orders, done);
}
