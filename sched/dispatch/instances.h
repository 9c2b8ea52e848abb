/* SPDX-License-Identifier: Apache-2.0 */
/* The states of queue instances at the beginning of a run, and the reasons for them. */
#ifndef SCHED_DISPATCH_INSTANCES_H
#define SCHED_DISPATCH_INSTANCES_H

#include "sched/dispatch/search/supply.h"
#include "sched/dispatch/why/why.h"

struct alarm;
struct state;

/* Determine the states of all instances, record the reasons, and count slots. */
void instances_filter(struct supply *supply, struct why *why);
bool instance_is_full(const struct cluster *cluster, uint32_t instance);
/* Record a reason that applies to every job. `alarm` is the threshold that was crossed, or NULL. */
void instance_why(struct why *why, const struct cluster *cluster, enum why_kind kind, const struct alarm *alarm,
		  uint32_t instance, const char *subject);

/*
 * Count the slots that started tasks use, by instance of the mirror. The caller frees the array.
 * Return NULL if memory is exhausted.
 */
uint64_t *reported_used_slots(const struct state *state);

#endif
