/* SPDX-License-Identifier: Apache-2.0 */
/* After a start: which instances are full or overloaded now, and leave the list. */
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"

static bool shares_load(const struct dispatch *d)
{
	return d->cell->sched.job_load_adjustments.n > 0;
}

/*
 * Without job_load_adjustments nobody looks at thresholds again. With them, what is left of
 * consumables counts until the instance has been overloaded once; load counts on the hosts that got
 * something.
 */
static bool is_overloaded(const struct dispatch *d, uint32_t i, struct alarm *alarm)
{
	const struct queue_instance *instance = &d->cluster.instances[i];
	const struct queue_profile *p = &d->cluster.profiles[instance->profile];

	return load_alarm(&d->cluster, i, &p->load_thresholds, !instance->was_overloaded, alarm) ||
	       load_alarm(&d->cluster, i, &p->suspend_thresholds, false, alarm);
}

/*
 * What the last parallel search, the job's own or one in vain before it, has found taken by others
 * goes as well: not what anyone would want, but recordings of 8.1.9 have it, and which jobs start
 * depends on it.
 */
static bool is_taken(const struct dispatch *d, uint32_t i)
{
	return parallel_found_taken(d, d->cluster.instances[i].host);
}

/*
 * Instances of the list that the start may have made full or overloaded, in its order: on the hosts
 * used, or, where all share something, all.
 */
static size_t touched(struct dispatch *d, const struct grant *g)
{
	const struct cluster *c = &d->cluster;
	size_t n = 0;

	d->starts++;
	for (size_t k = 0; k < g->n; k++)
		n = ranking_add_host(d, c->instances[g->entries[k].instance].host, d->touched, n);
	for (size_t h = 0; h < c->nhosts && shares_load(d) && (d->global_thresholds || d->any_taken); h++)
		if (d->global_thresholds || parallel_found_taken(d, (uint32_t)h))
			n = ranking_add_host(d, (uint32_t)h, d->touched, n);
	ranking_order(d, d->touched, n);
	return n;
}

static void instance_review(struct dispatch *d, uint32_t i)
{
	struct alarm alarm;

	if (is_overloaded(d, i, &alarm)) {
		instance_tell(d, WHY_OVERLOADED, &alarm, i, NULL);
		d->cluster.instances[i].was_overloaded = true;
		ranking_drop(d, i);
	} else if (is_taken(d, i)) {
		ranking_drop(d, i);
	}
}

/*
 * Full ones are set aside, then those that are newly overloaded or taken; where job_load_adjustments
 * were lost nobody looks at the latter.
 */
static void review(struct dispatch *d, const struct grant *g)
{
	size_t n = touched(d, g);

	for (size_t k = 0; k < n; k++)
		if (instance_is_full(d, d->touched[k])) {
			instance_tell(d, WHY_FULL, NULL, d->touched[k], NULL);
			ranking_set_aside(d, d->touched[k]);
		}
	ranking_split(d);
	for (size_t k = 0; k < n && shares_load(d) && !g->unadjusted; k++)
		if (queue_list_has(&d->list, d->touched[k]))
			instance_review(d, d->touched[k]);
}

void dispatch_review(struct dispatch *d, const struct grant *g)
{
	for (size_t k = 0; k < g->n; k++) {
		uint32_t host = d->cluster.instances[g->entries[k].instance].host;

		if (shares_load(d) && d->cell->sched.load_adjustment_decay_time > 0)
			load_correct_host(&d->cluster, host, 1.0, g->entries[k].slots);
		ranking_host_changed(d, host);
	}
	review(d, g);
}
