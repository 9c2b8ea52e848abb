/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Override tickets: oticket of user(5), project(5), access_list(5); qalter -ot; sched_conf(5)
 * share_override_tickets.
 */
#ifndef TICKETS_OVERRIDE_H
#define TICKETS_OVERRIDE_H

#include "tickets/tickets.h"

/* Set running_tickets.override of each class with running tasks. */
void override_running(const struct ticket_params *params, const struct sharers *sharers,
		      struct ticket_classes *classes);

/* Set the override tickets of pending tasks and add them to the accumulated tickets. */
void override_pending(const struct ticket_params *params, struct sharers *sharers, const struct ticket_classes *classes,
		      bool dependent, const struct pending_tasks *pending, struct ticket_scratch *scratch);

#endif
