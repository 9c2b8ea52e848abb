/* SPDX-License-Identifier: Apache-2.0 */
/* After a start: which instances are full, suspended or overloaded now, and leave the list. */
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/tag.h"

static bool shares_load(const struct dispatch *dispatch)
{
	return dispatch->cell->sched.job_load_adjustments.n > 0;
}

/*
 * Without job_load_adjustments nobody looks at thresholds again. With them, what is left of
 * consumables counts until the instance has been overloaded once; load counts on the hosts that got
 * something.
 */
static bool is_overloaded(const struct dispatch *dispatch, uint32_t i, struct alarm *alarm)
{
	const struct queue_instance *instance = &dispatch->cluster.instances[i];
	const struct queue_profile *profile = &dispatch->cluster.profiles[instance->profile];

	return load_alarm(&dispatch->cluster, i, &profile->load_thresholds, !instance->was_overloaded, alarm) ||
	       load_alarm(&dispatch->cluster, i, &profile->suspend_thresholds, false, alarm);
}

/* Was its host looked at already for what has just been given? */
static bool is_reviewed(const struct dispatch *dispatch, uint32_t instance)
{
	return dispatch->cluster.hosts[dispatch->cluster.instances[instance].host].reviewed == dispatch->starts;
}

/*
 * Instances of the list that the start may have made full or overloaded, in its order: on the hosts
 * used, or, where all share something, all. And those that are tagged.
 */
static size_t touched(struct dispatch *dispatch, const struct grant *grant)
{
	const struct cluster *cluster = &dispatch->cluster;
	size_t n = 0;

	dispatch->starts++;
	for (size_t k = 0; k < grant->n; k++)
		n = ranking_add_host(dispatch, cluster->instances[grant->entries[k].instance].host, dispatch->touched,
				     n);
	for (size_t h = 0; h < cluster->nhosts && shares_load(dispatch) && dispatch->global_thresholds; h++)
		n = ranking_add_host(dispatch, (uint32_t)h, dispatch->touched, n);
	for (size_t k = 0; k < dispatch->ntagged && shares_load(dispatch); k++)
		if (!is_reviewed(dispatch, dispatch->tagged[k]) && queue_list_has(&dispatch->list, dispatch->tagged[k]))
			dispatch->touched[n++] = dispatch->tagged[k];
	ranking_order(dispatch, dispatch->touched, n);
	return n;
}

static void instance_review(struct dispatch *dispatch, uint32_t i)
{
	struct alarm alarm;

	bool is_lost = tag_of(dispatch, i) == TAG_LATER;

	if (is_reviewed(dispatch, i) && is_overloaded(dispatch, i, &alarm)) {
		instance_tell(dispatch, WHY_OVERLOADED, &alarm, i, NULL);
		dispatch->cluster.instances[i].was_overloaded = true;
		is_lost = true;
	}
	if (!is_lost)
		return;
	tag_take(dispatch, i);
	ranking_drop(dispatch, i);
}

static void subordinates_suspend(struct dispatch *dispatch, uint32_t instance, uint32_t queue)
{
	struct cluster *cluster = &dispatch->cluster;

	for (uint32_t i = cluster->hosts[cluster->instances[instance].host].first_instance; i != NONE;
	     i = cluster->instances[i].next_on_host) {
		if (cluster->instances[i].queue != queue || !queue_list_has(&dispatch->list, i) ||
		    cluster->instances[i].state != INSTANCE_OPEN)
			continue;
		instance_tell(dispatch, WHY_DISABLED, NULL, i, "S");
		cluster->instances[i].is_subordinated = true;
	}
}

/*
 * queue_conf(5), subordinate_list: queues below those in which the task has begun. They take no
 * jobs, but for one that wants a reservation: it, and the jobs until the next start or reservation,
 * find them open in Grid Engine.
 */
static void suspend(struct dispatch *dispatch, const struct grant *grant)
{
	const struct cluster *cluster = &dispatch->cluster;

	for (size_t k = 0; k < grant->n; k++) {
		uint32_t i = grant->entries[k].instance;
		const struct queue_profile *profile = &cluster->profiles[cluster->instances[i].profile];

		for (size_t s = 0; s < profile->nsubordinates; s++) {
			const struct subordinate_queue *below = &profile->subordinates[s];
			double used =
				column_offer((struct column *)&cluster->columns[cluster->slots], LEVEL_QUEUE, i)->used;

			if (below->slots == 0 ? instance_is_full(dispatch, i) : used >= below->slots)
				subordinates_suspend(dispatch, i, below->queue);
		}
	}
}

/*
 * Subordinate ones are set aside, then full ones, then those that are newly overloaded or tagged;
 * where job_load_adjustments were lost nobody looks at the latter.
 */
void dispatch_review(struct dispatch *dispatch, const struct grant *grant, bool begins)
{
	size_t n = touched(dispatch, grant);

	if (begins)
		suspend(dispatch, grant);
	for (size_t k = 0; k < n; k++)
		if (dispatch->cluster.instances[dispatch->touched[k]].is_subordinated)
			ranking_set_aside(dispatch, dispatch->touched[k]);
	for (size_t k = 0; k < n; k++)
		if (instance_is_full(dispatch, dispatch->touched[k])) {
			instance_tell(dispatch, WHY_FULL, NULL, dispatch->touched[k], NULL);
			ranking_set_aside(dispatch, dispatch->touched[k]);
		}
	ranking_split(dispatch);
	for (size_t k = 0; k < n && shares_load(dispatch) && !grant->unadjusted; k++)
		if (queue_list_has(&dispatch->list, dispatch->touched[k]))
			instance_review(dispatch, dispatch->touched[k]);
}

void dispatch_load(struct dispatch *dispatch, const struct grant *grant)
{
	for (size_t k = 0; k < grant->n; k++) {
		uint32_t host = dispatch->cluster.instances[grant->entries[k].instance].host;

		if (shares_load(dispatch) && dispatch->cell->sched.load_adjustment_decay_time > 0)
			load_correct_host(&dispatch->cluster, host, 1.0, grant->entries[k].slots);
		ranking_host_changed(dispatch, host);
	}
}
