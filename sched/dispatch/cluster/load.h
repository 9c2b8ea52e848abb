/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load: what was started lately weighs more than it reports; thresholds; capacity that others use.
 * sched_conf(5), queue_conf(5).
 */
#ifndef SCHED_DISPATCH_CLUSTER_LOAD_H
#define SCHED_DISPATCH_CLUSTER_LOAD_H

#include "sched/dispatch/cluster/cluster.h"

/*
 * A task that has run for `runtime` seconds, at most `decay`: the share of the adjustment that it
 * still causes, 0..1.
 */
double load_share(int64_t runtime, uint32_t decay);

/* Its slots on a host; what all entries and tasks of a job sum up to, for the global host. */
void load_correct_host(struct cluster *cluster, uint32_t host, double share, uint32_t slots);
void load_correct_global(struct cluster *cluster, double shares);

/*
 * After all corrections: what a consumable's load value says of its use by others than jobs is
 * taken off its capacity.
 */
void load_correct_capacity(struct cluster *cluster);

enum alarm_source { ALARM_NOTHING, ALARM_REPORTED, ALARM_CONFIGURED, ALARM_CONSUMABLE };

struct alarm {				/* the threshold that was crossed */
	const struct pair *threshold;
	double value, limit;		/* numbers; 0 where they are none */
	const char *text;		/* the value, where it is no number; else NULL */
	/* where the value is from: of an object of this level, reported or configured */
	enum level level;
	enum alarm_source source;
};

/*
 * Whether the instance is beyond one of the thresholds. Those on consumables count for
 * load_thresholds only.
 */
bool load_alarm(const struct cluster *cluster, uint32_t instance, const struct pairs *thresholds, bool consumables_too,
		struct alarm *alarm);

/* Whether it is beyond this one of them. */
bool load_alarm_on(const struct cluster *cluster, uint32_t instance, const struct pair *threshold, bool consumables_too,
		   struct alarm *alarm);

/*
 * How many more slots the instance can take before a threshold on an adjusted load or on a
 * consumable is crossed, when each takes `need` (by number in cluster->consumables); UINT32_MAX:
 * any number. Of consumables counts what is left all the time from `begin` to `end`, or (NULL) now;
 * loads are the same at all times, and forgotten if not `with_loads`.
 */
struct load_when {
	int64_t begin, end;
};
uint32_t load_headroom(const struct cluster *cluster, uint32_t instance, const double *need,
		       const struct load_when *when, bool with_loads);

/* Is some load threshold about a consumable? */
bool load_thresholds_consume(const struct cluster *cluster);
/* Is some threshold about what the whole cluster shares? */
bool load_thresholds_are_global(const struct cluster *cluster);

#endif
