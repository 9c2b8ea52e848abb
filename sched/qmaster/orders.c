/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Copy an order and everything it refers to into one block: the order, its array, its texts. */

static size_t text_bytes(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t order_bytes(const struct order *order)
{
	const struct grants *granted = &order->start.granted;
	size_t bytes = sizeof(*order);

	switch (order->kind) {
	case ORDER_START:
		bytes += granted->n * sizeof(*granted->items) + text_bytes(order->start.granted_pe);
		for (size_t i = 0; i < granted->n; i++)
			bytes += text_bytes(granted->items[i].queue);
		break;
	case ORDER_TICKETS:
		bytes += order->tickets.n * sizeof(*order->tickets.items) + text_bytes(order->tickets.host);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		bytes += text_bytes(order->queue);
		break;
	case ORDER_VACATE:
		bytes += text_bytes(order->vacate.queue) + text_bytes(order->vacate.winner) +
			 text_bytes(order->vacate.signal);
		break;
	case ORDER_REMOVE:
		break;
	}
	return bytes;
}

/* Copy the text to *room and advance *room past the copy. */
static const char *text_copy(char **room, const char *text)
{
	size_t bytes = text_bytes(text);
	char *copy = *room;

	if (!text)
		return NULL;
	*room += bytes;
	return memcpy(copy, text, bytes);
}

static void start_copy(struct order *to, const struct order_start *from)
{
	struct granted *granted = (struct granted *)(to + 1);
	char *texts = (char *)(granted + from->granted.n);

	for (size_t i = 0; i < from->granted.n; i++) {
		granted[i] = from->granted.items[i];
		granted[i].queue = text_copy(&texts, from->granted.items[i].queue);
	}
	to->start.granted.items = granted;
	to->start.granted_pe = text_copy(&texts, from->granted_pe);
}

static void tickets_copy(struct order *to, const struct order_tickets *from)
{
	struct order_ticket *items = (struct order_ticket *)(to + 1);
	char *texts = (char *)(items + from->n);

	memcpy(items, from->items, from->n * sizeof(*items));
	to->tickets.items = items;
	to->tickets.host = text_copy(&texts, from->host);
}

static void vacate_copy(struct order *to, const struct order_vacate *from)
{
	char *texts = (char *)(to + 1);

	to->vacate.queue = text_copy(&texts, from->queue);
	to->vacate.winner = text_copy(&texts, from->winner);
	to->vacate.signal = text_copy(&texts, from->signal);
}

/* Copy an order with its texts to `bytes` bytes of memory. NULL: memory is exhausted. */
static struct order *order_copy(const struct order *from, size_t bytes)
{
	struct order *to = malloc(bytes);
	char *texts;

	if (!to)
		return NULL;
	*to = *from;
	to->bytes = (uint32_t)bytes;
	switch (from->kind) {
	case ORDER_START:
		start_copy(to, &from->start);
		break;
	case ORDER_TICKETS:
		tickets_copy(to, &from->tickets);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		texts = (char *)(to + 1);
		to->queue = text_copy(&texts, from->queue);
		break;
	case ORDER_VACATE:
		vacate_copy(to, &from->vacate);
		break;
	case ORDER_REMOVE:
		break;
	}
	return to;
}

/* The queue */

static void order_forget(struct orders *orders, size_t i)
{
	orders->bytes -= orders->items[i] ? orders->items[i]->bytes : 0;
	free(orders->items[i]);
	orders->items[i] = NULL;
}

void orders_free(struct orders *orders)
{
	orders_void(orders);
	free(orders->items);
	*orders = (struct orders){ 0 };
}

/*
 * Make room for one more order. When more than half of the array is free at its beginning, the rest
 * is moved down, so each order is moved about once.
 */
static int orders_reserve(struct orders *orders)
{
	size_t capacity = orders->capacity ? 2 * orders->capacity : 64;
	struct order **items;

	if (orders->end < orders->capacity)
		return 0;
	if (orders->begin > orders->capacity / 2) {
		memmove(orders->items, orders->items + orders->begin,
			(orders->end - orders->begin) * sizeof(*orders->items));
		orders->end -= orders->begin;
		orders->begin = 0;
		return 0;
	}
	items = realloc(orders->items, capacity * sizeof(*items));
	if (!items)
		return -ENOMEM;
	orders->items = items;
	orders->capacity = capacity;
	return 0;
}

bool orders_are_full(const struct orders *orders)
{
	return orders->bytes + ORDER_BYTES > ORDERS_BYTES || orders->end - orders->begin >= ORDERS_KEPT;
}

static uint64_t orders_add(struct orders *orders, const struct order *order)
{
	size_t bytes = order_bytes(order);
	struct order *copy;

	if (orders->bytes + bytes > ORDERS_BYTES || orders->end - orders->begin >= ORDERS_KEPT)
		return 0;
	if (orders_reserve(orders) || !(copy = order_copy(order, bytes)))
		return 0;
	copy->number = ++orders->last;
	orders->bytes += bytes;
	orders->items[orders->end++] = copy;
	return copy->number;
}

/* Drop the last orders down to the number `last`, as if they had never been ordered. */
static void orders_undo(struct orders *orders, uint64_t last)
{
	while (orders->last > last) {
		order_forget(orders, --orders->end);
		orders->last--;
	}
}

/*
 * Drop acknowledged orders at the beginning. An empty queue starts at index 0 again, so it does not
 * wander through memory when each order is acknowledged before the next one is issued.
 */
static void orders_trim(struct orders *orders)
{
	while (orders->begin < orders->end && !orders->items[orders->begin])
		orders->begin++;
	if (orders->begin == orders->end)
		orders->begin = orders->end = 0;
}

/* Return the number of the order at `begin`, or the next number if no order is kept. */
static uint64_t orders_first(const struct orders *orders)
{
	return orders->last + 1 - (orders->end - orders->begin);
}

int orders_acknowledge(struct orders *orders, uint64_t up_to)
{
	uint64_t first = orders_first(orders);

	if (up_to == 0 || up_to > orders->last)
		return -EINVAL;
	for (; first <= up_to; first++)
		order_forget(orders, orders->begin++);
	orders_trim(orders);
	return 0;
}

void orders_void(struct orders *orders)
{
	if (orders->last)
		orders_acknowledge(orders, orders->last);
}

/* Restore the orders. Entries of orders that were carried out stay empty. */
static int restore(struct orders *orders, const struct order *kept, size_t n, uint64_t last)
{
	for (uint64_t number = kept->number; number <= last; number++) {
		struct order *copy;

		if (orders_reserve(orders))
			return -ENOMEM;
		orders->items[orders->end++] = NULL;
		orders->last = number;
		if (n == 0 || kept->number != number)
			continue;
		copy = malloc(sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		*copy = (struct order){ .number = number,
					.kind = ORDER_REMOVE,
					.job_number = kept->job_number,
					.task = kept->task,
					.bytes = kept->bytes };
		orders->items[orders->end - 1] = copy;
		orders->bytes += copy->bytes;
		kept++, n--;
	}
	return 0;
}

int orders_restore(struct orders *orders, const struct order *kept, size_t n, uint64_t last)
{
	uint64_t before = 0, bytes = 0;
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (kept[i].number <= before || kept[i].number > last || last - kept[0].number >= ORDERS_KEPT)
			return -EINVAL;
		before = kept[i].number;
		bytes += kept[i].bytes;
	}
	if (orders->last || bytes > ORDERS_BYTES)
		return -EINVAL;
	orders->last = n ? kept[0].number - 1 : last;
	rc = n ? restore(orders, kept, n, last) : 0;
	if (rc) {
		orders_void(orders);
		orders->last = 0;
	}
	return rc;
}

/* Return the index of the order with this number, `end` if the number is not in the queue. */
static size_t orders_place(const struct orders *orders, uint64_t number)
{
	uint64_t first = orders_first(orders);

	return number < first || number > orders->last ? orders->end : orders->begin + (size_t)(number - first);
}

const struct order *orders_find(const struct orders *orders, uint64_t number)
{
	size_t i = orders_place(orders, number);

	return i < orders->end ? orders->items[i] : NULL;
}

const struct order *orders_after(const struct orders *orders, uint64_t number)
{
	size_t i = number < orders_first(orders) ? orders->begin : orders_place(orders, number + 1);

	while (i < orders->end && !orders->items[i])
		i++;
	return i < orders->end ? orders->items[i] : NULL;
}

void orders_carried_out(struct orders *orders, uint64_t number)
{
	size_t i = orders_place(orders, number);

	if (i < orders->end)
		order_forget(orders, i);
	orders_trim(orders);
}

void orders_refuse(struct orders *orders, uint64_t number)
{
	orders->refused++;
	orders_carried_out(orders, number);
}

/* Issuing orders */

size_t orders_instance_bytes(const struct orders *orders, const char *queue)
{
	return orders->limits.instance_bytes ? orders->limits.instance_bytes(queue) : 0;
}

bool orders_fit(const struct orders *orders, size_t instances_bytes)
{
	return instances_bytes <= orders->limits.instances_bytes;
}

uint64_t orders_start(struct orders *orders, const struct order *order)
{
	size_t bytes = 0;
	uint64_t number;

	for (size_t i = 0; i < order->start.granted.n; i++)
		bytes += orders_instance_bytes(orders, order->start.granted.items[i].queue);
	number = orders_fit(orders, bytes) ? orders_add(orders, order) : 0;
	orders->started += number != 0;
	return number;
}

uint64_t orders_tickets(struct orders *orders, const char *host, const struct order_ticket *tickets, size_t n)
{
	uint64_t before = orders->last;

	if (orders->watch.tickets)
		orders->watch.tickets(orders->watch.context, host, tickets, n);
	for (size_t done = 0, some; done < n; done += some) {
		const struct order *order;

		some = orders->limits.tickets ? orders->limits.tickets(orders->last + 1, host, tickets + done, n - done)
					      : n - done;
		order = &(struct order){ .kind = ORDER_TICKETS, .tickets = { host, tickets + done, some } };
		if (orders_add(orders, order) == 0) {
			orders_undo(orders, before);
			return 0;
		}
	}
	return n ? orders->last : 0;
}

void orders_tickets_end(struct orders *orders)
{
	if (orders->watch.end)
		orders->watch.end(orders->watch.context);
}

uint64_t orders_suspend(struct orders *orders, bool suspend, uint32_t job_number, uint32_t task, const char *queue)
{
	return orders_add(orders, &(struct order){ .kind = suspend ? ORDER_SUSPEND : ORDER_RESUME,
						   .job_number = job_number,
						   .task = task,
						   .queue = queue });
}

uint64_t orders_remove(struct orders *orders, uint32_t job_number)
{
	return orders_add(orders, &(struct order){ .kind = ORDER_REMOVE, .job_number = job_number });
}

uint64_t orders_vacate(struct orders *orders, uint32_t job_number, uint32_t task, const struct order_vacate *vacate)
{
	return orders_add(
		orders,
		&(struct order){ .kind = ORDER_VACATE, .job_number = job_number, .task = task, .vacate = *vacate });
}
