/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/feed.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "sched/process/log.h"
#include "sched/qmaster/json/order.h"

_Static_assert(ORDER_LINE_BYTES <= OUTBOX_BYTES / 2 && SOURCE_LOW_BYTES <= OUTBOX_BYTES / 4, "where there is room, an order and answers fit");

static const struct order *feed_new(struct feed *f)
{
	const struct order *order = orders_after(f->orders, f->sent);

	if (order)
		f->sent = order->number;
	return order;
}

static const struct order *feed_repeated(struct feed *f)
{
	const struct order *order = orders_after(f->orders, f->again);

	if (order && order->number > f->again_end)
		order = NULL;
	f->again = order ? order->number : f->again_end;
	return order;
}

static int line_reserve(struct feed *f)
{
	if (!f->line)
		f->line = malloc(ORDER_LINE_BYTES);
	return f->line ? 0 : -ENOMEM;
}

static void order_send(struct feed *f, const struct order *order)
{
	size_t length = order_line(order, f->line);

	assert(length > 0);	/* by the limits with which it was ordered */
	source_answer(f->source, f->line, length);
}

void feed_send(struct feed *f)
{
	const struct order *order;

	while (source_has_room(f->source) && !mirror_in_snapshot(f->mirror) && line_reserve(f) == 0 &&
	       ((order = feed_new(f)) || (order = feed_repeated(f))))
		order_send(f, order);
}

int feed_finish(struct feed *f)
{
	const struct order *order;

	if (line_reserve(f))
		return -ENOMEM;
	while ((order = feed_new(f)))
		order_send(f, order);
	return 0;
}

void feed_close(struct feed *f)
{
	free(f->line);
	f->line = NULL;
}

void feed_tick(struct feed *f)
{
	if (!source_is_idle(f->source) || orders_after(f->orders, f->sent))
		return;
	f->again = 0;
	f->again_end = f->ripe;
	f->ripe = f->sent;
}

void feed_restart(struct feed *f)
{
	f->sent = f->ripe = f->again = f->again_end = 0;
}

int feed_taken(struct feed *f, uint64_t up_to, struct error *error)
{
	int rc = orders_acknowledge(f->orders, up_to);

	return rc ? error_set(error, rc, "order %llu was not given; the last one is %llu", (unsigned long long)up_to,
			      (unsigned long long)f->orders->last) : 0;
}

static int refusal_check(const struct feed *f, uint64_t number, const struct order *order, uint32_t job_number, uint32_t task,
			 struct error *error)
{
	if (number > f->orders->last)
		return error_set(error, -ENOENT, "order %llu was not given; the last one is %llu", (unsigned long long)number,
				 (unsigned long long)f->orders->last);
	if (order && ((order->job_number && order->job_number != job_number) || (order->task && order->task != task)))
		return error_set(error, -ENOENT, "order %llu is about job %u, task %u", (unsigned long long)number, order->job_number,
				 order->task ? order->task : 1);
	return 0;
}

int feed_refused(struct feed *f, uint64_t number, uint32_t job_number, uint32_t task, const char *text, struct error *error)
{
	const struct order *order = orders_find(f->orders, number);
	int rc = refusal_check(f, number, order, job_number, task, error);

	if (rc)
		return rc;
	rc = mirror_order_void(f->mirror, job_number, task, number, error);
	if (rc == -ENOENT && !order)	/* it is void, or the task has started after all */
		return 0;
	if (rc && rc != -ENOENT)
		return rc;
	orders_refuse(f->orders, number);
	log_line(LOG_ODD, "order %llu for task %u of job %u was refused: %s", (unsigned long long)number, task, job_number,
		 *text ? text : "no reason given");
	return 0;
}
