/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler orders. Its orders are here, in this process: they are carried out or refused
 * before the turn ends, and never sent.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/log.h"
#include "sched/qmaster/json/order.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/tell.h"

static uint32_t order_u32(json_t *order, const char *member, uint32_t fallback)
{
	json_t *value = json_object_get(order, member);

	return json_is_integer(value) ? (uint32_t)json_integer_value(value) : fallback;
}

static void order_refuse(struct local *l, json_t *order, const char *text)
{
	json_t *event = json_pack("{ss sO sI sI ss}", "event", "order_refused", "number", json_object_get(order, "number"),
				  "job_number", (json_int_t)order_u32(order, "job_number", 0), "task", (json_int_t)order_u32(order, "task", 1),
				  "text", text);
	struct error error;

	if (tell(l, event, &error))
		log_line(LOG_ODD, "an order could not be refused: %s", error.text);
}

/* Start */

/* The task with what was granted; NULL: no memory. */
static struct local_task *start_task(struct local *l, const struct local_job *job, uint32_t id, json_t *order)
{
	struct local_task *t = local_task_new(l, job->number, id, TASK_STARTING);
	const char *pe = json_string_value(json_object_get(order, "granted_pe"));

	if (!t)
		return NULL;
	t->is_array = job->is_array;
	local_task_due(l, t);
	t->start_time = (int64_t)json_integer_value(json_object_get(order, "start_time"));
	t->granted = json_incref(json_object_get(order, "granted"));
	t->granted_pe = pe ? strdup(pe) : NULL;
	return t;
}

static const char *start_objection(struct local *l, const struct local_job *job, uint32_t id)
{
	if (!ranges_contain(&job->waiting, id))
		return "it does not wait";
	if (job->error)
		return "the job is in error";
	if (l->tasks.n + DESCRIPTORS_SPARE > l->descriptors.rlim_max)
		return "this scheduler has no descriptors left, see ulimit -n";
	for (int k = 0; k < HOLD_KINDS; k++)
		if (ranges_contain(&job->hold[k], id))
			return "it is held";
	return local_task_find(l, job->number, id) ? "its predecessor is not booked yet" : NULL;
}

/* Nothing of the machine: it would not be better next time. The task waits in error. */
static void start_impossible(struct local *l, struct local_task *t, struct local_job *job, json_t *order, struct error *error)
{
	attempt_remove(l, t, t->attempt);
	local_task_forget(l, t);
	order_refuse(l, order, error->text);
	if (job_fail(job, error->text) || tell_known(tell_holds(l, job, error), error, job->number) || job_save(l, job, error))
		local_fail(l, error);
}

/* What ended before and is booked makes room for this one. */
static int start_make(struct local *l, struct local_job *job, uint32_t id, json_t *order, struct error *error)
{
	struct local_task *t = start_task(l, job, id, order);
	int rc = t ? launch_prepare(l, t, job, error) : error_set(error, -ENOMEM, "out of memory");

	if (t && launch_is_hopeless(rc)) {
		start_impossible(l, t, job, order, error);
		return rc;
	}
	if (rc == 0)
		signal_limit(l, t, job);
	if (rc == 0)
		rc = ranges_remove(&job->waiting, id);
	if (rc == 0)
		rc = job_save(l, job, error);
	if (rc == 0)
		rc = local_task_save(l, t, error);
	if (rc)
		local_fail(l, error);
	return rc;
}

static void order_start(struct local *l, json_t *order)
{
	uint32_t number = order_u32(order, "job_number", 0), id = order_u32(order, "task", 1);
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(l, number, &job, &error);
	const char *objection = rc == -ENOENT ? "there is no such job" : rc ? error.text : start_objection(l, &job, id);

	local_changed(l);
	if (objection)
		order_refuse(l, order, objection);
	else
		start_make(l, &job, id, order, &error);
	job_free(&job);
}

/* The others */

static void order_suspend(struct local *l, json_t *order, bool suspend)
{
	struct local_task *t = local_task_find(l, order_u32(order, "job_number", 0), order_u32(order, "task", 1));
	struct error error;

	if (!t || !local_task_runs(t)) {
		order_refuse(l, order, "it does not run");
		return;
	}
	t->commit.signal = suspend ? SIGSTOP : SIGCONT;
	local_task_due(l, t);
	strcpy(t->letters, suspend ? "T" : "");
	local_changed(l);
	if (local_task_save(l, t, &error) || tell(l, json_pack("{ss sI sI ss}", "event", "task_state", "job_number", (json_int_t)t->job_number,
							 "task", (json_int_t)t->id, "state", suspend ? "T" : "r"), &error))
		local_fail(l, &error);
}

/* What waits of it; tasks that run go on. */
static void order_remove(struct local *l, json_t *order)
{
	uint32_t number = order_u32(order, "job_number", 0);
	struct ranges gone = { 0 };
	struct error error = { "" };
	struct local_job job;
	int rc = job_load(l, number, &job, &error);

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
	static char line[ORDER_LINE_BYTES];
	json_t *object = json_loadb(line, order_line(order, line), 0, NULL);

	if (!object) {
		local_fail(l, &(struct error){ "out of memory" });
		return;
	}
	switch (order->kind) {
	case ORDER_START:
		order_start(l, object);
		break;
	case ORDER_TICKETS:
		steer_tickets(l, object);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		order_suspend(l, object, order->kind == ORDER_SUSPEND);
		break;
	case ORDER_REMOVE:
		order_remove(l, object);
		break;
	}
	json_decref(object);
}

void orders_carry_out(struct local *l)
{
	struct orders *orders = sched_orders(l->sched);
	uint64_t done = 0;

	for (const struct order *order; !l->turn.failure.text[0] && (order = orders_after(orders, done)); ) {
		done = order->number;
		order_carry_out(l, order);
	}
	if (done)
		orders_acknowledge(orders, done);
}
