/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders of the scheduler. They are in this process, so they are carried out or refused before the
 * turn ends, and never sent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/mail.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/report.h"
#include "sched/qmaster/local/reserved.h"
#include "sched/qmaster/local/vacate.h"

/* Refuse an order, which is then removed. */
static void order_refuse(struct local *local, const struct order *order, const char *text)
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
	if (report_event(local, &event, &error))
		log_line(LOG_ODD, "an order could not be refused: %s", error.text);
}

/* Start */

/* Create the task with what was granted. Returns NULL if memory is exhausted. */
static struct local_task *start_task(struct local *local, const struct local_job *job, const struct order *order)
{
	struct local_task *task = local_task_new(local, job->number, order->task, TASK_STARTING);

	if (!task)
		return NULL;
	if (granted_take(&task->granted, &order->start.granted, order->start.granted_pe)) {
		local_task_forget(local, task);
		return NULL;
	}
	task->is_array = job->is_array;
	local_task_due(local, task);
	task->start_time = order->start.start_time;
	return task;
}

static const char *start_objection(struct local *local, const struct local_job *job, uint32_t id)
{
	if (!ranges_contain(&job->waiting, id))
		return "it is not pending";
	if (job_is_in_error(job, id))
		return "it is in error";
	if (local->tasks.n + DESCRIPTORS_SPARE > local->descriptors.rlim_max)
		return "this scheduler has no descriptors left, see ulimit -n";
	for (int k = 0; k < HOLD_KINDS; k++)
		if (ranges_contain(&job->hold[k], id))
			return "it is held";
	return local_task_find(local, job->number, id) ? "its previous run is not booked yet" : NULL;
}

/* Delete a task of a job that is never in the error state. */
static int start_given_up(struct local *local, struct local_job *job, uint32_t id, struct error *error)
{
	struct ranges gone = { 0 };
	int rc = ranges_add(&gone, id);

	log_event(LOG_ODD, LOG_TASK(job->number, id),
		  "task %u of job %u cannot be started and is deleted: %s", id, job->number, error->text);
	rc = rc ? error_set(error, rc, "out of memory") : delete_waiting(local, job, &gone, error);
	ranges_free(&gone);
	return rc;
}

/*
 * Handle a start that fails for a reason in the job and would fail again. The task is pending in
 * the error state, or ends.
 */
static void start_impossible(struct local *local, struct local_task *task, struct local_job *job,
			     const struct order *order, struct error *error)
{
	attempt_remove(local, task, task->attempt);
	local_task_forget(local, task);
	order_refuse(local, order, error->text);
	if (job_ends_on_error(job)) {
		if (start_given_up(local, job, order->task, error))
			local_fail(local, error);
	} else if (job_fail(job, order->task, error->text) ||
		   report_known(report_holds(local, job, error), error, job->number) || job_save(local, job, error)) {
		local_fail(local, error);
	}
}

/* Start a task. start_objection() has checked that no earlier run of the task remains. */
static int start_make(struct local *local, struct local_job *job, const struct order *order, struct error *error)
{
	struct local_task *task = start_task(local, job, order);
	int rc = task ? launch_prepare(local, task, job, error) : error_set(error, -ENOMEM, "out of memory");

	if (task && launch_is_hopeless(rc)) {
		start_impossible(local, task, job, order, error);
		return rc;
	}
	if (rc == 0) {
		signal_limit(local, task, job);
		signal_of_job(local, task, job);
		mail_of_job(task, job);
		reserved_of_job(local, task, job);
	}
	if (rc == 0)
		rc = job_take_out(job, task->id);
	if (rc == 0)
		rc = job_save(local, job, error);
	if (rc == 0)
		rc = local_task_save(local, task, error);
	if (rc)
		local_fail(local, error);
	return rc;
}

static void order_start(struct local *local, const struct order *order)
{
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(local, order->job_number, &job, &error);
	const char *objection = rc == -ENOENT ? "there is no such job"
				: rc	      ? error.text
					      : start_objection(local, &job, order->task);

	local_changed(local);
	if (objection)
		order_refuse(local, order, objection);
	else
		start_make(local, &job, order, &error);
	job_free(&job);
}

/* Other orders */

static void order_suspend(struct local *local, const struct order *order, bool suspend)
{
	struct local_task *task = local_task_find(local, order->job_number, order->task);
	struct error error;

	if (!task || !local_task_runs(task)) {
		order_refuse(local, order, "it is not running");
		return;
	}
	letters_set(task->letters, 'T', suspend);
	local_changed(local);
	if (local_task_save(local, task, &error))
		local_fail(local, &error);
}

/* Let a task give way. The order is stored only in the task's directory. */
static void order_vacate(struct local *local, const struct order *order)
{
	struct local_task *task = local_task_find(local, order->job_number, order->task);
	struct error error = { "" };

	if (!task || local_task_has_ended(task))
		order_refuse(local, order, "it is not running");
	else if (task->removal == REMOVAL_NONE && vacate_begin(local, task, &order->vacate, &error))
		order_refuse(local, order, error.text);
}

/* Remove the pending tasks of a job. Running tasks continue. */
static void order_remove(struct local *local, const struct order *order)
{
	struct ranges gone = { 0 };
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(local, order->job_number, &job, &error);

	local_changed(local);
	if (rc == 0)
		rc = ranges_copy(&gone, &job.waiting);
	if (rc == 0)
		rc = delete_waiting(local, &job, &gone, &error);
	if (rc == -ENOENT)
		order_refuse(local, order, "there is no such job");
	else if (rc)
		local_fail(local, &error);
	ranges_free(&gone);
	job_free(&job);
}

static void order_carry_out(struct local *local, const struct order *order)
{
	switch (order->kind) {
	case ORDER_START:
		order_start(local, order);
		break;
	case ORDER_TICKETS:
		steer_tickets(local, &order->tickets);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		order_suspend(local, order, order->kind == ORDER_SUSPEND);
		break;
	case ORDER_REMOVE:
		order_remove(local, order);
		break;
	case ORDER_VACATE:
		order_vacate(local, order);
		break;
	}
}

void orders_carry_out(struct local *local)
{
	struct orders *orders = local->intake->orders;
	uint64_t done = 0;

	for (const struct order *order; !local->turn.failure.text[0] && (order = orders_after(orders, done)); ) {
		done = order->number;
		order_carry_out(local, order);
	}
	if (done)
		orders_acknowledge(orders, done);
}
