/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load: adjustments for recent job starts, thresholds, and capacity that is used outside of jobs.
 * See sched_conf(5), queue_conf(5).
 */
#ifndef SCHED_DISPATCH_CLUSTER_LOAD_H
#define SCHED_DISPATCH_CLUSTER_LOAD_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * Return the share of the adjustment, 0..1, that a task still causes after `runtime` seconds.
 * `decay` is load_adjustment_decay_time.
 */
double load_share(int64_t runtime, uint32_t decay);

/*
 * Add the correction for a task's slots on a host, or the sum for all entries and tasks of a job to
 * the global host.
 */
void load_correct_host(struct cluster *cluster, uint32_t host, double share, uint32_t slots);
void load_correct_global(struct cluster *cluster, double shares);

/*
 * Reduce the capacity of consumables by the use outside of jobs that their load values show. Call
 * after all corrections.
 */
void load_correct_capacity(struct cluster *cluster);

enum alarm_source { ALARM_NOTHING, ALARM_REPORTED, ALARM_CONFIGURED, ALARM_CONSUMABLE };

struct alarm {				/* the threshold that was crossed */
	const struct pair *threshold;
	double value, limit;		/* numbers; 0 if they are not numbers */
	const char *text;		/* value that is not a number; otherwise NULL */
	/* Origin of the value: reported by or configured on an object of this level. */
	enum level level;
	enum alarm_source source;
};

/*
 * Return whether the instance exceeds one of the thresholds. Thresholds on consumables count only
 * for load_thresholds.
 */
bool load_alarm(const struct cluster *cluster, uint32_t instance, const struct pairs *thresholds, bool consumables_too,
		struct alarm *alarm);

/* Return whether the instance exceeds this threshold. */
bool load_alarm_on(const struct cluster *cluster, uint32_t instance, const struct pair *threshold, bool consumables_too,
		   struct alarm *alarm);

/*
 * Return how many more slots the instance can take before a threshold on an adjusted load or on a
 * consumable is crossed. Each slot takes `need` (by index into cluster->consumables). UINT32_MAX:
 * any number. For consumables the minimum left from `begin` to `end` counts, or the amount left now
 * if `when` is NULL. Loads do not depend on the time, and are ignored without `with_loads`.
 */
struct load_when {
	int64_t begin, end;
};
uint32_t load_headroom(const struct cluster *cluster, uint32_t instance, const double *need,
		       const struct load_when *when, bool with_loads);

/* Return whether any load threshold is on a consumable. */
bool load_thresholds_consume(const struct cluster *cluster);
/* Return whether any threshold is on a resource that the whole cluster shares. */
bool load_thresholds_are_global(const struct cluster *cluster);

#endif
