/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of orders: fairlead-orders(5). */
#ifndef SCHED_QMASTER_JSON_ORDER_H
#define SCHED_QMASTER_JSON_ORDER_H

#include "sched/process/output.h"
#include "sched/qmaster/orders.h"

/* longest line, with its newline: a start on more than some 5,000 queue instances has none */
#define ORDER_LINE_BYTES (1u << 20)
#define ORDER_TICKETS_BYTES (64u << 10)	/* the same of {"order":"tickets"}, which is split */

/* With them every order has a line. */
extern const struct orders_limits order_line_limits;

/*
 * Writes the order as a line with its newline. `line` is text in memory, for ORDER_LINE_BYTES.
 * Doubles that are not finite are written as null.
 */
void order_line(const struct order *order, struct out *line);

#endif
