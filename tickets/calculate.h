/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of all ticket policies over running and pending tasks: sge_priority(5), sched_conf(5)
 * policy_hierarchy.
 */
#ifndef TICKETS_CALCULATE_H
#define TICKETS_CALCULATE_H

#include "tickets/sharetree.h"
#include "tickets/tickets.h"

struct ticket_totals {
	/* sum of total tickets, in list order: for the share column */
	double running;
	double max;			/* largest total seen in either call, 0 if nobody has any */
	uint64_t clamped;		/* values that would have been NaN or infinite */
};

/*
 * One run: call A over running and pending tasks, whose results pending tasks keep, then call B
 * over running ones alone, whose results they keep. `tree` may be NULL; its leaves must be assigned
 * (sharetree_assign) and its usage set (sharetree_usage). -ENOMEM: results are undefined.
 */
int tickets_calculate(const struct ticket_params *params, struct sharers *sharers, struct ticket_classes *classes,
		      struct share_tree *tree, const struct ticket_tasks *running, const struct pending_tasks *pending,
		      struct ticket_scratch *scratch, struct ticket_totals *totals);

#endif
