/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a cluster: complexes that are configured, requested, or used in a threshold or
 * formula. Private to cluster/.
 */
#ifndef SCHED_DISPATCH_CLUSTER_COLUMNS_H
#define SCHED_DISPATCH_CLUSTER_COLUMNS_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * Create the columns that any job may need: consumables and FORCED complexes of any object,
 * load_formula, thresholds. Return 0 or -ENOMEM.
 */
int columns_create(struct cluster *cluster);
void columns_destroy(struct cluster *cluster);

/* Reset usage and reported values. `keeps`: bookings in time stay. */
void columns_begin(struct cluster *cluster, bool keeps);
void column_set_slots(struct cluster *cluster, uint32_t instance, uint32_t slots);

#endif
