/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a cluster: complexes that are configured, requested, or in a threshold or formula.
 * For cluster.c.
 */
#ifndef SCHED_DISPATCH_CLUSTER_COLUMNS_H
#define SCHED_DISPATCH_CLUSTER_COLUMNS_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * Those that any job may use: consumables and FORCED complexes of any object, load_formula,
 * thresholds. -ENOMEM.
 */
int columns_create(struct cluster *cluster);
void columns_destroy(struct cluster *cluster);

/* Nothing is in use, nothing reported; nothing booked in time, unless that is kept. */
void columns_begin(struct cluster *cluster, bool keeps);
void column_set_slots(struct cluster *cluster, uint32_t instance, uint32_t slots);

#endif
