/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of all ticket policies over running and pending tasks: sge_priority(5), sched_conf(5)
 * policy_hierarchy.
 */
#ifndef TICKETS_CALCULATE_H
#define TICKETS_CALCULATE_H

#include "tickets/sharetree.h"
#include "tickets/tickets.h"

struct ticket_totals {
	/* Sum of total tickets, in list order: for the share column. */
	double running;
	double max;			/* largest total in either call, 0 if no task has any */
	uint64_t clamped;		/* number of values that would have been NaN or infinite */
};

/*
 * Compute all tickets. Call A counts running and pending tasks; pending tasks keep its results.
 * Call B counts only running tasks, which keep its results. `tree` may be NULL. If it is not, its
 * leaves must be assigned (sharetree_assign) and its usage set (sharetree_usage). Return 0 or
 * -ENOMEM; after -ENOMEM the results are undefined.
 */
int tickets_calculate(const struct ticket_params *params, struct sharers *sharers, struct ticket_classes *classes,
		      struct share_tree *tree, const struct ticket_tasks *running, const struct pending_tasks *pending,
		      struct ticket_scratch *scratch, struct ticket_totals *totals);

#endif
