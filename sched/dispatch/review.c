/* SPDX-License-Identifier: Apache-2.0 */
/* After a start: which instances are full, suspended or overloaded now, and leave the list. */
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/tag.h"

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

/* Was its host looked at already for what has just been given? */
static bool is_reviewed(const struct dispatch *d, uint32_t instance)
{
	return d->cluster.hosts[d->cluster.instances[instance].host].reviewed == d->starts;
}

/*
 * Instances of the list that the start may have made full or overloaded, in its order: on the hosts
 * used, or, where all share something, all. And those that are tagged.
 */
static size_t touched(struct dispatch *d, const struct grant *g)
{
	const struct cluster *c = &d->cluster;
	size_t n = 0;

	d->starts++;
	for (size_t k = 0; k < g->n; k++)
		n = ranking_add_host(d, c->instances[g->entries[k].instance].host, d->touched, n);
	for (size_t h = 0; h < c->nhosts && shares_load(d) && d->global_thresholds; h++)
		n = ranking_add_host(d, (uint32_t)h, d->touched, n);
	for (size_t k = 0; k < d->ntagged && shares_load(d); k++)
		if (!is_reviewed(d, d->tagged[k]) && queue_list_has(&d->list, d->tagged[k]))
			d->touched[n++] = d->tagged[k];
	ranking_order(d, d->touched, n);
	return n;
}

static void instance_review(struct dispatch *d, uint32_t i)
{
	struct alarm alarm;

	bool is_lost = tag_of(d, i) == TAG_LATER;

	if (is_reviewed(d, i) && is_overloaded(d, i, &alarm)) {
		instance_tell(d, WHY_OVERLOADED, &alarm, i, NULL);
		d->cluster.instances[i].was_overloaded = true;
		is_lost = true;
	}
	if (!is_lost)
		return;
	tag_take(d, i);
	ranking_drop(d, i);
}

static void subordinates_suspend(struct dispatch *d, uint32_t instance, uint32_t queue)
{
	struct cluster *c = &d->cluster;

	for (uint32_t i = c->hosts[c->instances[instance].host].first_instance; i != NONE; i = c->instances[i].next_on_host) {
		if (c->instances[i].queue != queue || !queue_list_has(&d->list, i) || c->instances[i].state != INSTANCE_OPEN)
			continue;
		instance_tell(d, WHY_DISABLED, NULL, i, "S");
		c->instances[i].is_subordinated = true;
	}
}

/*
 * queue_conf(5), subordinate_list: queues below those in which the task has begun. They take no
 * jobs, but for one that wants a reservation: it, and the jobs until the next start or reservation,
 * find them open in Grid Engine.
 */
static void suspend(struct dispatch *d, const struct grant *g)
{
	const struct cluster *c = &d->cluster;

	for (size_t k = 0; k < g->n; k++) {
		uint32_t i = g->entries[k].instance;
		const struct queue_profile *p = &c->profiles[c->instances[i].profile];

		for (size_t s = 0; s < p->nsubordinates; s++) {
			const struct subordinate_queue *below = &p->subordinates[s];
			double used = column_offer((struct column *)&c->columns[c->slots], LEVEL_QUEUE, i)->used;

			if (below->slots == 0 ? instance_is_full(d, i) : used >= below->slots)
				subordinates_suspend(d, i, below->queue);
		}
	}
}

/*
 * Subordinate ones are set aside, then full ones, then those that are newly overloaded or tagged;
 * where job_load_adjustments were lost nobody looks at the latter.
 */
void dispatch_review(struct dispatch *d, const struct grant *g, bool begins)
{
	size_t n = touched(d, g);

	if (begins)
		suspend(d, g);
	for (size_t k = 0; k < n; k++)
		if (d->cluster.instances[d->touched[k]].is_subordinated)
			ranking_set_aside(d, d->touched[k]);
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

void dispatch_load(struct dispatch *d, const struct grant *g)
{
	for (size_t k = 0; k < g->n; k++) {
		uint32_t host = d->cluster.instances[g->entries[k].instance].host;

		if (shares_load(d) && d->cell->sched.load_adjustment_decay_time > 0)
			load_correct_host(&d->cluster, host, 1.0, g->entries[k].slots);
		ranking_host_changed(d, host);
	}
}
