/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Override tickets: oticket of user(5), project(5), access_list(5); qalter -ot; sched_conf(5)
 * share_override_tickets.
 */
#ifndef TICKETS_OVERRIDE_H
#define TICKETS_OVERRIDE_H

#include "tickets/tickets.h"

/* Running tasks: sets running_tickets.override of each class that has running tasks. */
void override_running(const struct ticket_params *params, const struct sharers *sharers,
		      struct ticket_classes *classes);

/* Pending tasks: sets override tickets and adds them to what has accumulated. */
void override_pending(const struct ticket_params *params, struct sharers *sharers, const struct ticket_classes *classes,
		      bool dependent, const struct pending_tasks *pending, struct ticket_scratch *scratch);

#endif
