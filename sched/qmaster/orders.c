/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/process/digits.h"

#define EXACT_BYTES 24			/* longest double with 17 digits */
/* longest entry of {"order":"tickets"}, and the end of the line */
#define TICKETS_TASK_BYTES 96

/* A line as it is written: in o->text, which is used again and again */

struct line {
	struct orders *o;
	size_t used;
	bool failed;			/* no memory, or longer than ORDER_BYTES */
};

static bool line_grow(struct line *l, size_t bytes)
{
	size_t room = l->o->room ? l->o->room : 1024;
	char *text;

	while (room < bytes)
		room *= 2;
	text = l->used > ORDER_BYTES ? NULL : realloc(l->o->text, room);
	if (!text) {
		l->failed = true;
		return false;
	}
	l->o->text = text;
	l->o->room = room;
	return true;
}

/* Where the next `bytes` go; NULL: the line has failed. */
static char *line_room(struct line *l, size_t bytes)
{
	if (l->failed || (l->o->room - l->used < bytes && !line_grow(l, l->used + bytes)))
		return NULL;
	return l->o->text + l->used;
}

static void line_take(struct line *l, const char *end)
{
	l->used = (size_t)(end - l->o->text);
}

static char *put(char *p, const char *literal)
{
	size_t n = strlen(literal);

	return (char *)memcpy(p, literal, n) + n;
}

static void line_literal(struct line *l, const char *text)
{
	char *p = line_room(l, strlen(text));

	if (p)
		line_take(l, put(p, text));
}

/* `key` is all that stands before the value. */
static void line_number(struct line *l, const char *key, int64_t value)
{
	char *p = line_room(l, strlen(key) + DIGITS_BYTES);

	if (p)
		line_take(l, digits_i64(put(p, key), value));
}

static void line_double(struct line *l, const char *key, double value)
{
	char *p = line_room(l, strlen(key) + DIGITS_BYTES);

	if (p)
		line_take(l, digits_exact(put(p, key), value));
}

/* A character that is not just printable ASCII, as JSON wants it; what is no UTF-8 becomes '?'. */
static char *put_odd(char *p, const char **text)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char c = (unsigned char)**text;
	size_t length = utf8_length(*text);

	if (c < 0x20) {
		p = put(p, "\\u00");
		*p++ = hex[c >> 4];
		*p++ = hex[c & 15];
	} else if (c == '"' || c == '\\') {
		*p++ = '\\';
		*p++ = (char)c;
	} else if (length) {
		p = (char *)memcpy(p, *text, length) + length;
	} else {
		*p++ = '?';
	}
	*text += length ? length : 1;
	return p;
}

static void line_string(struct line *l, const char *key, const char *text)
{
	char *p = line_room(l, strlen(key) + 6 * strlen(text) + 2);

	if (!p)
		return;
	p = put(p, key);
	*p++ = '"';
	while (*text)
		if (*text >= 0x20 && *text < 0x7f && *text != '"' && *text != '\\')
			*p++ = *text++;
		else
			p = put_odd(p, &text);
	*p++ = '"';
	line_take(l, p);
}

static struct line line_begin(struct orders *o, const char *order)
{
	struct line l = { .o = o };

	line_literal(&l, order);
	line_number(&l, ",\"number\":", (int64_t)(o->last + 1));
	return l;
}

/* The queue */

static void order_forget(struct orders *o, struct order *order)
{
	o->bytes -= order->line ? order->length : 0;
	free(order->line);
	order->line = NULL;
}

void orders_free(struct orders *o)
{
	orders_void(o);
	free(o->items);
	free(o->text);
	*o = (struct orders){ 0 };
}

/*
 * Room for one more. What was acknowledged is moved over when it is half of all, so that each order
 * is moved about once.
 */
static int orders_reserve(struct orders *o)
{
	size_t capacity = o->capacity ? 2 * o->capacity : 64;
	struct order *items;

	if (o->end < o->capacity)
		return 0;
	if (o->begin > o->capacity / 2) {
		memmove(o->items, o->items + o->begin, (o->end - o->begin) * sizeof(*o->items));
		o->end -= o->begin;
		o->begin = 0;
		return 0;
	}
	items = realloc(o->items, capacity * sizeof(*items));
	if (!items)
		return -ENOMEM;
	o->items = items;
	o->capacity = capacity;
	return 0;
}

bool orders_are_full(const struct orders *o)
{
	return o->bytes + ORDER_BYTES > ORDERS_BYTES || o->end - o->begin >= ORDERS_KEPT;
}

/* What the line says is ordered. */
static uint64_t orders_add(struct orders *o, struct line *l, enum order_kind kind, uint32_t job_number, uint32_t task)
{
	struct order order = { .number = o->last + 1, .kind = kind, .job_number = job_number, .task = task };

	line_literal(l, "}\n");
	if (l->failed || l->used > ORDER_BYTES || o->bytes + l->used > ORDERS_BYTES || o->end - o->begin >= ORDERS_KEPT)
		return 0;
	if (orders_reserve(o) || !(order.line = malloc(l->used)))
		return 0;
	memcpy(order.line, o->text, l->used);
	order.length = (uint32_t)l->used;
	o->bytes += l->used;
	o->items[o->end++] = order;
	return ++o->last;
}

/* The last ones back to the number `last` were never ordered. */
static void orders_undo(struct orders *o, uint64_t last)
{
	while (o->last > last) {
		order_forget(o, &o->items[--o->end]);
		o->last--;
	}
}

/*
 * No gap at the beginning, and no walk forward through memory when each order is taken before the
 * next is given.
 */
static void orders_trim(struct orders *o)
{
	while (o->begin < o->end && !o->items[o->begin].line)
		o->begin++;
	if (o->begin == o->end)
		o->begin = o->end = 0;
}

int orders_acknowledge(struct orders *o, uint64_t up_to)
{
	if (up_to == 0 || up_to > o->last)
		return -EINVAL;
	while (o->begin < o->end && o->items[o->begin].number <= up_to)
		order_forget(o, &o->items[o->begin++]);
	orders_trim(o);
	return 0;
}

void orders_void(struct orders *o)
{
	if (o->last)
		orders_acknowledge(o, o->last);
}

/* Where the order with this number is, or would be: `end`. */
static size_t orders_place(const struct orders *o, uint64_t number)
{
	uint64_t first = o->begin < o->end ? o->items[o->begin].number : 0;

	return number < first || number - first >= o->end - o->begin ? o->end : o->begin + (size_t)(number - first);
}

const struct order *orders_find(const struct orders *o, uint64_t number)
{
	size_t i = orders_place(o, number);

	return i < o->end && o->items[i].line ? &o->items[i] : NULL;
}

const struct order *orders_after(const struct orders *o, uint64_t number)
{
	size_t i = o->begin < o->end && number < o->items[o->begin].number ? o->begin : orders_place(o, number + 1);

	while (i < o->end && !o->items[i].line)
		i++;
	return i < o->end ? &o->items[i] : NULL;
}

void orders_refuse(struct orders *o, uint64_t number)
{
	size_t i = orders_place(o, number);

	o->refused++;
	if (i < o->end)
		order_forget(o, &o->items[i]);
	orders_trim(o);
}

/* What can be ordered */

static void line_granted(struct line *l, const char *beginning, const struct order_granted *granted)
{
	line_string(l, beginning, granted->queue);
	line_number(l, ",\"slots\":", granted->slots);
	line_double(l, ",\"tickets\":", granted->tickets);
	line_double(l, ",\"otickets\":", granted->otickets);
	line_double(l, ",\"ftickets\":", granted->ftickets);
	line_double(l, ",\"stickets\":", granted->stickets);
	line_literal(l, "}");
}

size_t orders_instance_bytes(const char *queue)
{
	size_t bytes = sizeof(",{\"queue\":\"\",\"slots\":,\"tickets\":,\"otickets\":,\"ftickets\":,\"stickets\":}") + 10 + 4 * EXACT_BYTES;

	for (; *queue; queue++)
		bytes += *queue >= 0x20 && *queue < 0x7f && *queue != '"' && *queue != '\\' ? 1 : 6;
	return bytes;
}

uint64_t orders_start(struct orders *o, const struct order_start *start)
{
	struct line l = line_begin(o, "{\"order\":\"start\"");
	uint64_t number;

	line_number(&l, ",\"job_number\":", start->job_number);
	if (start->is_array)
		line_number(&l, ",\"task\":", start->task);
	line_number(&l, ",\"start_time\":", start->start_time);
	line_literal(&l, ",\"granted\":[");
	for (size_t i = 0; i < start->ngranted; i++)
		line_granted(&l, i ? ",{\"queue\":" : "{\"queue\":", &start->granted[i]);
	line_literal(&l, "]");
	if (start->granted_pe)
		line_string(&l, ",\"granted_pe\":", start->granted_pe);
	line_double(&l, ",\"prio\":", start->prio);
	line_double(&l, ",\"ntckts\":", start->ntckts);
	number = orders_add(o, &l, ORDER_START, start->job_number, start->task);
	o->started += number != 0;
	return number;
}

/* As many of these as a line has room for, but at least one; how many, 0: not ordered. */
static size_t tickets_add(struct orders *o, const char *host, const struct order_ticket *tickets, size_t n)
{
	struct line l = line_begin(o, "{\"order\":\"tickets\"");
	size_t i = 0;

	line_string(&l, ",\"host\":", host);
	line_literal(&l, ",\"tasks\":[");
	do {
		line_number(&l, i ? ",{\"job_number\":" : "{\"job_number\":", tickets[i].job_number);
		line_number(&l, ",\"task\":", tickets[i].task);
		line_double(&l, ",\"tickets\":", tickets[i].tickets);
		line_literal(&l, "}");
	} while (++i < n && l.used < ORDER_TICKETS_BYTES - TICKETS_TASK_BYTES);
	line_literal(&l, "]");
	return orders_add(o, &l, ORDER_TICKETS, 0, 0) ? i : 0;
}

uint64_t orders_tickets(struct orders *o, const char *host, const struct order_ticket *tickets, size_t n)
{
	uint64_t before = o->last;

	if (o->watch.tickets)
		o->watch.tickets(o->watch.context, host, tickets, n);
	for (size_t done = 0, added; done < n; done += added) {
		added = tickets_add(o, host, tickets + done, n - done);
		if (!added) {
			orders_undo(o, before);
			return 0;
		}
	}
	return n ? o->last : 0;
}

void orders_tickets_end(struct orders *o)
{
	if (o->watch.end)
		o->watch.end(o->watch.context);
}

uint64_t orders_suspend(struct orders *o, bool suspend, uint32_t job_number, uint32_t task, const char *queue)
{
	struct line l = line_begin(o, suspend ? "{\"order\":\"suspend\"" : "{\"order\":\"resume\"");

	line_number(&l, ",\"job_number\":", job_number);
	line_number(&l, ",\"task\":", task);
	line_string(&l, ",\"queue\":", queue);
	return orders_add(o, &l, suspend ? ORDER_SUSPEND : ORDER_RESUME, job_number, task);
}

uint64_t orders_remove(struct orders *o, uint32_t job_number)
{
	struct line l = line_begin(o, "{\"order\":\"remove\"");

	line_number(&l, ",\"job_number\":", job_number);
	return orders_add(o, &l, ORDER_REMOVE, job_number, 0);
}
