/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a queue's file says of its instances, once for all hosts on which it says the same. For
 * cluster.c.
 */
#ifndef SCHED_DISPATCH_CLUSTER_PROFILE_H
#define SCHED_DISPATCH_CLUSTER_PROFILE_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * The number of the profile of this queue on this host, which is added if it is new; UINT32_MAX: no
 * memory.
 */
uint32_t cluster_profile(struct cluster *cluster, const struct queue *queue, const char *host);
void profile_clear(struct queue_profile *profile);

#endif
