/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/order.h"

#include <string.h>

#include "sched/process/json.h"

#define EXACT_BYTES 24			/* longest double with 17 digits */
/* bytes of the line of a start without its queue instances */
#define START_REST_BYTES 4096
/* longest entry of {"order":"tickets"}, and the end of the line */
#define TICKETS_TASK_BYTES 96

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Kinds of orders */

static void write_start(struct out *out, const struct order *order)
{
	const struct order_start *start = &order->start;

	json_write_number(out, ",\"job_number\":", order->job_number);
	if (order->is_array)
		json_write_number(out, ",\"task\":", order->task);
	json_write_number(out, ",\"start_time\":", start->start_time);
	json_write_literal(out, ",\"granted\":[");
	for (size_t i = 0; i < start->granted.n; i++) {
		const struct granted *granted = &start->granted.items[i];

		json_write_string(out, i ? ",{\"queue\":" : "{\"queue\":", granted->queue);
		json_write_number(out, ",\"slots\":", granted->slots);
		json_write_exact(out, ",\"tickets\":", granted->tickets);
		json_write_exact(out, ",\"otickets\":", granted->otickets);
		json_write_exact(out, ",\"ftickets\":", granted->ftickets);
		json_write_exact(out, ",\"stickets\":", granted->stickets);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
	if (start->granted_pe)
		json_write_string(out, ",\"granted_pe\":", start->granted_pe);
	json_write_exact(out, ",\"prio\":", start->prio);
	json_write_exact(out, ",\"ntckts\":", start->ntckts);
}

static char *put_ticket(char *p, const struct order_ticket *ticket, bool is_first)
{
	p = json_put_number(p, is_first ? "{\"job_number\":" : ",{\"job_number\":", ticket->job_number);
	p = json_put_number(p, ",\"task\":", ticket->task);
	return json_put(json_put_exact(p, ",\"tickets\":", ticket->tickets), "}");
}

static void write_tickets(struct out *out, const char *host, const struct order_ticket *tickets, size_t n)
{
	json_write_string(out, ",\"host\":", host);
	json_write_literal(out, ",\"tasks\":[");
	for (size_t i = 0; i < n; i++)
		out_take(out, put_ticket(out_room(out, TICKETS_TASK_BYTES + DIGITS_BYTES), &tickets[i], i == 0));
	json_write_literal(out, "]");
}

static void write_vacate(struct out *out, const struct order *order)
{
	static const char *const reasons[] = {
		[VACATE_PRIORITY] = "priority", [VACATE_RANK] = "rank", [VACATE_POLICY] = "policy"
	};
	const struct order_vacate *vacate = &order->vacate;

	if (order->job_number) {
		json_write_number(out, ",\"job_number\":", order->job_number);
		json_write_number(out, ",\"task\":", order->task);
	}
	json_write_string(out, ",\"slot\":", vacate->queue);
	json_write_string(out, ",\"reason\":", reasons[vacate->reason]);
	if (vacate->winner)
		json_write_string(out, ",\"winner\":", vacate->winner);
	if (vacate->signal)
		json_write_string(out, ",\"signal\":", vacate->signal);
	if (vacate->retirement_s != UINT32_MAX)
		json_write_number(out, ",\"retirement_time\":", vacate->retirement_s);
	json_write_number(out, ",\"vacate_time\":", vacate->vacate_s);
}

static char *put_beginning(char *p, enum order_kind kind, uint64_t number)
{
	static const char *const beginnings[] = {
		[ORDER_START] = "{\"order\":\"start\",\"number\":",
		[ORDER_TICKETS] = "{\"order\":\"tickets\",\"number\":",
		[ORDER_SUSPEND] = "{\"order\":\"suspend\",\"number\":",
		[ORDER_RESUME] = "{\"order\":\"resume\",\"number\":",
		[ORDER_REMOVE] = "{\"order\":\"remove\",\"number\":",
		[ORDER_VACATE] = "{\"order\":\"vacate\",\"number\":",
	};

	return json_put_number(p, beginnings[kind], (int64_t)number);
}

void order_line(const struct order *order, struct out *line)
{
	out_take(line, put_beginning(out_room(line, TICKETS_TASK_BYTES + DIGITS_BYTES), order->kind, order->number));
	switch (order->kind) {
	case ORDER_START:
		write_start(line, order);
		break;
	case ORDER_TICKETS:
		write_tickets(line, order->tickets.host, order->tickets.items, order->tickets.n);
		break;
	case ORDER_SUSPEND:
	case ORDER_RESUME:
		json_write_number(line, ",\"job_number\":", order->job_number);
		json_write_number(line, ",\"task\":", order->task);
		json_write_string(line, ",\"queue\":", order->queue);
		break;
	case ORDER_REMOVE:
		json_write_number(line, ",\"job_number\":", order->job_number);
		break;
	case ORDER_VACATE:
		write_vacate(line, order);
		break;
	}
	json_write_literal(line, "}\n");
}

/* Limits */

/* Return the most bytes that a queue instance takes in the line of a start. */
static size_t instance_bytes(const char *queue)
{
	size_t bytes = sizeof(",{\"queue\":\"\",\"slots\":,\"tickets\":,\"otickets\":,\"ftickets\":,\"stickets\":}") +
		       10 + 4 * EXACT_BYTES;

	for (; *queue; queue++)
		bytes += is_plain(*queue) ? 1 : 6;
	return bytes;
}

/* Return the length of a line of tickets up to the first ticket. */
static size_t tickets_beginning(uint64_t number, const char *host)
{
	char text[TICKETS_TASK_BYTES + DIGITS_BYTES];

	return (size_t)(put_beginning(text, ORDER_TICKETS, number) - text) + strlen(",\"host\":\"\",\"tasks\":[") +
	       json_text_bytes(host);
}

/*
 * Return how many tickets fit on a line, at least one. A small number surely fits; otherwise the
 * bytes are counted.
 */
static size_t tickets_fit(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n)
{
	char text[TICKETS_TASK_BYTES + DIGITS_BYTES];
	size_t i = 0, bytes;

	if (6 * strlen(host) + (n + 2) * TICKETS_TASK_BYTES < ORDER_TICKETS_BYTES)
		return n;
	bytes = tickets_beginning(number, host);
	do
		bytes += (size_t)(put_ticket(text, &tickets[i], i == 0) - text);
	while (++i < n && bytes < ORDER_TICKETS_BYTES - TICKETS_TASK_BYTES);
	return i;
}

const struct orders_limits order_line_limits = {
	.instances_bytes = ORDER_LINE_BYTES - START_REST_BYTES,
	.instance_bytes = instance_bytes,
	.tickets = tickets_fit,
};
