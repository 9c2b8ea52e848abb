/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of orders: fairlead-orders(5). */
#ifndef SCHED_QMASTER_JSON_ORDER_H
#define SCHED_QMASTER_JSON_ORDER_H

#include "sched/qmaster/orders.h"

/* longest line, with its newline: a start on more than some 5,000 queue instances has none */
#define ORDER_LINE_BYTES (1u << 20)
#define ORDER_TICKETS_BYTES (64u << 10)	/* the same of {"order":"tickets"}, which is split */

/* With them every order has a line. */
extern const struct orders_limits order_line_limits;

/*
 * The order as a line with its newline; how many bytes. 0: it would be longer than
 * ORDER_LINE_BYTES. Doubles that are not finite are written as null.
 */
size_t order_line(const struct order *order, char line[ORDER_LINE_BYTES]);

#endif
