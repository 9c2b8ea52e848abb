/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/shadow.h"

#include "sched/process/log.h"

/* The task waits again. */
static void start_void(struct sge *g, const struct order *order)
{
	struct error error;

	if (mirror_order_void(g->intake->mirror, order->job_number, order->task, order->number, &error))
		log_line(LOG_ODD, "what was not ordered of job %u stays as if it were: %s", order->job_number, error.text);
}

void shadow_ran(struct sge *g)
{
	struct orders *orders = g->intake->orders;

	for (const struct order *o = orders_after(orders, 0); o; o = orders_after(orders, o->number))
		if (o->kind == ORDER_START)
			start_void(g, o);
	orders_void(orders);
}
