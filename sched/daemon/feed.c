/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/feed.h"

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

	while (source_has_room(f->source) && ((order = feed_new(f)) || (order = feed_repeated(f))))
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
