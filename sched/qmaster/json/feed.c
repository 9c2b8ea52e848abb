/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/feed.h"

#include <assert.h>
#include <errno.h>

#include "sched/qmaster/json/order.h"

_Static_assert(ORDER_LINE_BYTES <= OUTBOX_BYTES / 2 && SOURCE_LOW_BYTES <= OUTBOX_BYTES / 4,
	       "the outbox must have room for the longest order and for answers");

/* Return the next order to send, new ones first. NULL: none. */
static const struct order *feed_next(const struct feed *feed)
{
	const struct order *new = orders_after(feed->orders, feed->sent),
			   *again = new ? NULL : orders_after(feed->orders, feed->again);

	return again && again->number > feed->again_end ? NULL : again ? again : new;
}

/* Send an order. -ENOMEM: it was not sent. */
static int order_send(struct feed *feed, const struct order *order)
{
	const char *text;
	size_t bytes;
	int rc = feed->line.buffer ? 0 : out_open_memory(&feed->line, ORDER_LINE_BYTES);

	if (rc)
		return rc;
	out_rewind(&feed->line);
	order_line(order, &feed->line);
	rc = out_held(&feed->line, &text, &bytes);
	assert(rc != -EMSGSIZE);	/* ensured by the limits with which it was ordered */
	if (rc)
		return rc;
	source_answer(feed->source, text, bytes);
	if (order->number > feed->sent)
		feed->sent = order->number;
	else
		feed->again = order->number;
	return 0;
}

void feed_send(struct feed *feed)
{
	const struct order *order;

	while (source_has_room(feed->source) && !mirror_in_snapshot(feed->mirror) && (order = feed_next(feed)) &&
	       order_send(feed, order) == 0)
		;
}

int feed_finish(struct feed *feed)
{
	const struct order *order;
	int rc = 0;

	while (rc == 0 && (order = orders_after(feed->orders, feed->sent)))
		rc = order_send(feed, order);
	return rc;
}

void feed_close(struct feed *feed)
{
	out_close(&feed->line);
}

void feed_tick(struct feed *feed)
{
	if (!source_is_idle(feed->source) || orders_after(feed->orders, feed->sent))
		return;
	feed->again = 0;
	feed->again_end = feed->ripe;
	feed->ripe = feed->sent;
}

void feed_restart(struct feed *feed)
{
	feed->sent = feed->ripe = feed->again = feed->again_end = 0;
}
