/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/order.h"

#include <stdbool.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/process/digits.h"

#define EXACT_BYTES 24			/* longest double with 17 digits */
#define START_REST_BYTES 4096		/* of the line of a start, what is not about queue instances */
/* longest entry of {"order":"tickets"}, and the end of the line */
#define TICKETS_TASK_BYTES 96

struct line {
	char *text;
	size_t used, room;
	bool failed;			/* longer than the room */
};

/* Where the next `bytes` go; NULL: the line has failed. */
static char *line_room(struct line *l, size_t bytes)
{
	l->failed |= l->room - l->used < bytes;
	return l->failed ? NULL : l->text + l->used;
}

static void line_take(struct line *l, const char *end)
{
	l->used = (size_t)(end - l->text);
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

/* Each kind */

static void line_start(struct line *l, const struct order *order)
{
	const struct order_start *start = &order->start;

	line_number(l, ",\"job_number\":", order->job_number);
	if (order->is_array)
		line_number(l, ",\"task\":", order->task);
	line_number(l, ",\"start_time\":", start->start_time);
	line_literal(l, ",\"granted\":[");
	for (size_t i = 0; i < start->granted.n; i++) {
		const struct granted *granted = &start->granted.items[i];

		line_string(l, i ? ",{\"queue\":" : "{\"queue\":", granted->queue);
		line_number(l, ",\"slots\":", granted->slots);
		line_double(l, ",\"tickets\":", granted->tickets);
		line_double(l, ",\"otickets\":", granted->otickets);
		line_double(l, ",\"ftickets\":", granted->ftickets);
		line_double(l, ",\"stickets\":", granted->stickets);
		line_literal(l, "}");
	}
	line_literal(l, "]");
	if (start->granted_pe)
		line_string(l, ",\"granted_pe\":", start->granted_pe);
	line_double(l, ",\"prio\":", start->prio);
	line_double(l, ",\"ntckts\":", start->ntckts);
}

static void line_host(struct line *l, const char *host)
{
	line_string(l, ",\"host\":", host);
	line_literal(l, ",\"tasks\":[");
}

static void line_ticket(struct line *l, const struct order_ticket *ticket, bool is_first)
{
	line_number(l, is_first ? "{\"job_number\":" : ",{\"job_number\":", ticket->job_number);
	line_number(l, ",\"task\":", ticket->task);
	line_double(l, ",\"tickets\":", ticket->tickets);
	line_literal(l, "}");
}

static void line_begin(struct line *l, enum order_kind kind, uint64_t number)
{
	static const char *const beginnings[] = {
		[ORDER_START] = "{\"order\":\"start\",\"number\":", [ORDER_TICKETS] = "{\"order\":\"tickets\",\"number\":",
		[ORDER_SUSPEND] = "{\"order\":\"suspend\",\"number\":", [ORDER_RESUME] = "{\"order\":\"resume\",\"number\":",
		[ORDER_REMOVE] = "{\"order\":\"remove\",\"number\":",
	};

	line_number(l, beginnings[kind], (int64_t)number);
}

size_t order_line(const struct order *order, char line[ORDER_LINE_BYTES])
{
	struct line l = { .text = line, .room = ORDER_LINE_BYTES };

	line_begin(&l, order->kind, order->number);
	switch (order->kind) {
	case ORDER_START:
		line_start(&l, order);
		break;
	case ORDER_TICKETS:
		line_host(&l, order->tickets.host);
		for (size_t i = 0; i < order->tickets.n; i++)
			line_ticket(&l, &order->tickets.items[i], i == 0);
		line_literal(&l, "]");
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		line_number(&l, ",\"job_number\":", order->job_number);
		line_number(&l, ",\"task\":", order->task);
		line_string(&l, ",\"queue\":", order->queue);
		break;
	case ORDER_REMOVE:
		line_number(&l, ",\"job_number\":", order->job_number);
		break;
	}
	line_literal(&l, "}\n");
	return l.failed ? 0 : l.used;
}

/* Limits */

/* What a queue instance takes of the line of a start, at most. */
static size_t instance_bytes(const char *queue)
{
	size_t bytes = sizeof(",{\"queue\":\"\",\"slots\":,\"tickets\":,\"otickets\":,\"ftickets\":,\"stickets\":}") + 10 + 4 * EXACT_BYTES;

	for (; *queue; queue++)
		bytes += *queue >= 0x20 && *queue < 0x7f && *queue != '"' && *queue != '\\' ? 1 : 6;
	return bytes;
}

/* As many as a line has room for, but at least one. Few surely have; else it is counted. */
static size_t tickets_fit(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n)
{
	char text[ORDER_TICKETS_BYTES + 4096];
	struct line l = { .text = text, .room = sizeof(text) };
	size_t i = 0;

	if (6 * strlen(host) + (n + 2) * TICKETS_TASK_BYTES < ORDER_TICKETS_BYTES)
		return n;
	line_begin(&l, ORDER_TICKETS, number);
	line_host(&l, host);
	do
		line_ticket(&l, &tickets[i], i == 0);
	while (++i < n && l.used < ORDER_TICKETS_BYTES - TICKETS_TASK_BYTES && !l.failed);
	return i;
}

const struct orders_limits order_line_limits = {
	.instances_bytes = ORDER_LINE_BYTES - START_REST_BYTES, .instance_bytes = instance_bytes, .tickets = tickets_fit,
};
