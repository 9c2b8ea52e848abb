/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics under the names of other exporters. All are gauges. The names need not follow the rules
 * of OpenMetrics.
 */
#ifndef SCHED_METRICS_NAMES_H
#define SCHED_METRICS_NAMES_H

#include "sched/metrics/fairshare.h"
#include "sched/metrics/reading.h"

/* Begin a family whose name has up to three parts. */
void alias_begin(struct exposition *page, const char *first, const char *second, const char *third, const char *help);
/* Write a family with one sample, without labels. */
void alias_value(struct exposition *page, const char *name, const char *help, double value);

/* Write the nodes of Slurm, in each of their partitions. Returns 0 or -ENOMEM. */
int write_slurm_nodes(struct exposition *page, const struct run_reading *reading);

#endif
