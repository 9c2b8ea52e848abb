/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: the configuration of a queue, once for all hosts on which it is equal. Private to
 * cluster/.
 */
#ifndef SCHED_DISPATCH_CLUSTER_PROFILE_H
#define SCHED_DISPATCH_CLUSTER_PROFILE_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * Return the number of the profile of this queue on this host, creating it if necessary.
 * UINT32_MAX: memory is exhausted.
 */
uint32_t cluster_profile(struct cluster *cluster, const struct queue *queue, const char *host);
void profile_clear(struct queue_profile *profile);

#endif
