/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/feed.h"

#include <errno.h>

#include "sched/process/log.h"

_Static_assert(ORDER_BYTES <= OUTBOX_BYTES / 2 && SOURCE_LOW_BYTES <= OUTBOX_BYTES / 4, "where there is room, an order and answers fit");

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

void feed_send(struct feed *f)
{
	const struct order *order;

	while (source_has_room(f->source) && !mirror_in_snapshot(f->mirror) && ((order = feed_new(f)) || (order = feed_repeated(f))))
		source_answer(f->source, order->line, order->length);
}

void feed_finish(struct feed *f)
{
	const struct order *order;

	while ((order = feed_new(f)))
		source_answer(f->source, order->line, order->length);
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
