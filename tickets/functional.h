/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional tickets: sched_conf(5) weight_tickets_functional and weight_user ... weight_job;
 * fshare of user(5), project(5), access_list(5).
 */
#ifndef TICKETS_FUNCTIONAL_H
#define TICKETS_FUNCTIONAL_H

#include "tickets/tickets.h"

struct functional_sums {		/* of the shares of all tasks that count */
	double kind[SHARER_KINDS];
	double job;
};

/*
 * Running tasks: sets running_tickets.functional of each class that has running tasks.
 * sharer.active must be the number of running tasks. Returns the sums, from which the pending tasks
 * go on.
 */
struct functional_sums functional_running(const struct ticket_params *params, const struct sharers *sharers,
					  struct ticket_classes *classes, const struct ticket_tasks *running);

/*
 * Pending tasks: sets functional tickets, and adds them to what has accumulated if dependent. The
 * first max_functional_jobs_to_schedule tasks are picked one by one, the rest get what the next one
 * of their kind would have got.
 */
void functional_pending(const struct ticket_params *params, struct sharers *sharers,
			const struct ticket_classes *classes, struct functional_sums sums, bool dependent,
			const struct pending_tasks *pending, struct ticket_scratch *scratch);

#endif
