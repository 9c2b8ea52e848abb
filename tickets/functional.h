/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional tickets: sched_conf(5) weight_tickets_functional and weight_user ... weight_job;
 * fshare of user(5), project(5), access_list(5).
 */
#ifndef TICKETS_FUNCTIONAL_H
#define TICKETS_FUNCTIONAL_H

#include "tickets/tickets.h"

struct functional_sums {		/* sums of the shares of all tasks that count */
	double kind[SHARER_KINDS];
	double job;
};

/*
 * Set running_tickets.functional of each class with running tasks. sharer.active must be the number
 * of running tasks. Return the sums, with which the pending tasks continue.
 */
struct functional_sums functional_running(const struct ticket_params *params, const struct sharers *sharers,
					  struct ticket_classes *classes, const struct ticket_tasks *running);

/*
 * Set the functional tickets of pending tasks, and add them to the accumulated tickets if
 * `dependent`. The first max_functional_jobs_to_schedule tasks are picked one by one. The others
 * get what the next task of their kind would have got.
 */
void functional_pending(const struct ticket_params *params, struct sharers *sharers,
			const struct ticket_classes *classes, struct functional_sums sums, bool dependent,
			const struct pending_tasks *pending, struct ticket_scratch *scratch);

#endif
