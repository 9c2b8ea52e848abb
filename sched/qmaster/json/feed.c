/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/feed.h"

#include <assert.h>
#include <errno.h>

#include "sched/qmaster/json/order.h"

_Static_assert(ORDER_LINE_BYTES <= OUTBOX_BYTES / 2 && SOURCE_LOW_BYTES <= OUTBOX_BYTES / 4, "where there is room, an order and answers fit");

/* The next one to be sent, new ones first; NULL: none. */
static const struct order *feed_next(const struct feed *f)
{
	const struct order *new = orders_after(f->orders, f->sent), *again = new ? NULL : orders_after(f->orders, f->again);

	return again && again->number > f->again_end ? NULL : again ? again : new;
}

/* -ENOMEM: it was not sent. */
static int order_send(struct feed *f, const struct order *order)
{
	const char *text;
	size_t bytes;
	int rc = f->line.buffer ? 0 : out_open_memory(&f->line, ORDER_LINE_BYTES);

	if (rc)
		return rc;
	out_rewind(&f->line);
	order_line(order, &f->line);
	rc = out_held(&f->line, &text, &bytes);
	assert(rc != -EMSGSIZE);	/* by the limits with which it was ordered */
	if (rc)
		return rc;
	source_answer(f->source, text, bytes);
	if (order->number > f->sent)
		f->sent = order->number;
	else
		f->again = order->number;
	return 0;
}

void feed_send(struct feed *f)
{
	const struct order *order;

	while (source_has_room(f->source) && !mirror_in_snapshot(f->mirror) && (order = feed_next(f)) && order_send(f, order) == 0)
		;
}

int feed_finish(struct feed *f)
{
	const struct order *order;
	int rc = 0;

	while (rc == 0 && (order = orders_after(f->orders, f->sent)))
		rc = order_send(f, order);
	return rc;
}

void feed_close(struct feed *f)
{
	out_close(&f->line);
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
