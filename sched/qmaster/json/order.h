/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of orders. See fairlead-orders(5). */
#ifndef SCHED_QMASTER_JSON_ORDER_H
#define SCHED_QMASTER_JSON_ORDER_H

#include "sched/process/output.h"
#include "sched/qmaster/orders.h"

/* Longest line, with its newline. A start on more than about 5,000 queue instances does not fit. */
#define ORDER_LINE_BYTES (1u << 20)
#define ORDER_TICKETS_BYTES (64u << 10)	/* longest line of {"order":"tickets"}, which is split */

/* Limits that ensure that each order fits on a line. */
extern const struct orders_limits order_line_limits;

/*
 * Write the order as a line with its newline. `line` is an output in memory with room for
 * ORDER_LINE_BYTES. Doubles that are not finite are written as null.
 */
void order_line(const struct order *order, struct out *line);

#endif
