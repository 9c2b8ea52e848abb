/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/intake.h"

#include <errno.h>

#include "sched/process/log.h"

static int not_issued(const struct orders *orders, uint64_t number, int rc, struct error *error)
{
	return error_set(error, rc, "order %llu was not issued; the last one is %llu", (unsigned long long)number,
			 (unsigned long long)orders->last);
}

static int orders_taken(struct orders *orders, uint64_t up_to, struct error *error)
{
	int rc = orders_acknowledge(orders, up_to);

	return rc ? not_issued(orders, up_to, rc, error) : 0;
}

static int order_refused(struct intake *in, const struct order_event *refused, struct error *error)
{
	const struct order *order = orders_find(in->orders, refused->number);
	int rc;

	if (refused->number > in->orders->last)
		return not_issued(in->orders, refused->number, -ENOENT, error);
	if (order && ((order->job_number && order->job_number != refused->job_number) ||
		      (order->task && order->task != refused->task)))
		return error_set(error, -ENOENT, "order %llu is about job %u, task %u",
				 (unsigned long long)order->number, order->job_number, order->task ? order->task : 1);
	rc = mirror_order_void(in->mirror, refused->job_number, refused->task, refused->number, error);
	if (rc == -ENOENT && !order)	/* the order is void, or the task has started after all */
		return 0;
	if (rc && rc != -ENOENT)
		return rc;
	orders_refuse(in->orders, refused->number);
	if (in->silent)
		return 0;
	log_line(LOG_ODD, "order %llu for task %u of job %u was refused: %s", (unsigned long long)refused->number,
		 refused->task, refused->job_number, *refused->text ? refused->text : "no reason given");
	return 0;
}

static int event_take(struct intake *in, const struct event *event, struct error *error)
{
	switch (event->type) {
	case EVENT_ORDERS_TAKEN:
		return in->orders ? orders_taken(in->orders, event->order.number, error) : 0;
	case EVENT_ORDER_REFUSED:
		return in->orders ? order_refused(in, &event->order, error) : 0;
	case EVENT_CONFIG_CHANGED:
		return in->reload(in->context, error);
	case EVENT_SUBMITTER_EDIT:
		return in->edit ? in->edit(in->context, &event->submitter_edit, error) :
				  error_set(error, -EINVAL, "edit: this process does not keep user priorities");
	default:
		return mirror_apply(in->mirror, event, error);
	}
}

int intake_event(struct intake *in, const struct event *event, struct error *error)
{
	int rc = event_take(in, event, error);

	if (rc)
		return rc;
	if (event->type == EVENT_SNAPSHOT_END && in->orders)
		orders_void(in->orders);
	if (in->happened)
		in->happened(in->context, event->type);
	if (in->watch.event)
		in->watch.event(in->watch.context, event);
	return 0;
}
