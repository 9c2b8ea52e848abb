/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances named in requests, and the states that users set. */
#ifndef SCHED_QMASTER_LOCAL_QUEUES_H
#define SCHED_QMASTER_LOCAL_QUEUES_H

#include <stdbool.h>

#include "conf/base/error.h"

struct cell;
struct client;
struct local;
struct local_instance;
struct value;

/* Read letters d and s of all instances from the store. */
int queues_recall(struct local *local, struct error *error);
bool queues_may_change(const struct local *local, const struct client *client, const char *instance);
/*
 * Call `each` for every instance that "queues" of the request matches. Adds a result for patterns
 * without a match.
 */
void queues_each(struct local *l, struct client *c, const struct value *request,
		 void (*each)(struct local *l, struct client *c, struct local_instance *instance, const void *context),
		 const void *context);

#endif
