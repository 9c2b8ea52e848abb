/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances as somebody names them, and the states into which somebody has put them. */
#ifndef SCHED_QMASTER_LOCAL_QUEUES_H
#define SCHED_QMASTER_LOCAL_QUEUES_H

#include <jansson.h>
#include <stdbool.h>

#include "conf/error.h"

struct cell;
struct client;
struct local;
struct local_instance;

/* Letters d and s of all instances, as the store has them. */
int queues_recall(struct local *local, struct error *error);
/* Whether a pattern of qmod(1) means an instance: QUEUE, QUEUE@HOST, QUEUE@@GROUP. */
bool queues_match(const struct cell *cell, const char *pattern, const char *instance);
bool queues_may_change(const struct local *local, const struct client *client, const char *instance);
/* Each one that "queues" of the request names; a result for names that mean none. */
void queues_each(struct local *l, struct client *c, json_t *request,
		 void (*each)(struct local *l, struct client *c, struct local_instance *instance, const void *context),
		 const void *context);

#endif
