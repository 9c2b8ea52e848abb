/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/feed.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

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
