/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/review.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/instances.h"

int review_begin(struct review *review, struct supply *supply, struct searches *searches)
{
	const struct cluster *cluster = &supply->cluster;

	if (array_grow(&review->instances, cluster->ninstances + 1, sizeof(*review->instances)) ||
	    array_grow(&review->hosts, cluster->nhosts + 1, sizeof(*review->hosts)))
		return -ENOMEM;
	memset(review->hosts, 0, cluster->nhosts * sizeof(*review->hosts));
	review->starts = 0;
	review->supply = supply;
	review->searches = searches;
	review->global_thresholds = load_thresholds_are_global(cluster);
	return 0;
}

void review_free(struct review *review)
{
	free(review->instances);
	free(review->hosts);
}

static bool shares_load(const struct review *review)
{
	return review->supply->cell->sched.job_load_adjustments.n > 0;
}

/*
 * Return whether the instance has become overloaded. Only checked with job_load_adjustments. In
 * that case consumables count until the instance has been overloaded once, and load counts on the
 * hosts that were used. Suspend thresholds are checked once, when the run begins.
 */
static bool is_overloaded(const struct review *review, uint32_t i, struct alarm *alarm)
{
	const struct queue_instance *instance = &review->supply->cluster.instances[i];
	const struct queue_profile *profile = &review->supply->cluster.profiles[instance->profile];

	return load_alarm(&review->supply->cluster, i, &profile->load_thresholds, !instance->was_overloaded, alarm);
}

/* Return whether too little of a consumable is left for one of the load thresholds. */
static bool is_used_up(const struct review *review, uint32_t i, struct alarm *alarm)
{
	const struct cluster *cluster = &review->supply->cluster;
	const struct pairs *thresholds = &cluster->profiles[cluster->instances[i].profile].load_thresholds;

	for (size_t t = 0; t < thresholds->n; t++)
		if (load_alarm_on(cluster, i, &thresholds->items[t], true, alarm) && alarm->source == ALARM_CONSUMABLE)
			return true;
	return false;
}

/* Return whether the host of the instance was already checked for this grant. */
static bool is_reviewed(const struct review *review, uint32_t instance)
{
	return review->hosts[review->supply->cluster.instances[instance].host] == review->starts;
}

/* Append the instances of a host that are in the list, and return the new count. */
static size_t add_host(struct review *review, uint32_t host, size_t n)
{
	const struct cluster *cluster = &review->supply->cluster;

	if (review->hosts[host] == review->starts)
		return n;
	review->hosts[host] = review->starts;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		if (queue_list_has(&review->searches->ranking.list, i))
			review->instances[n++] = i;
	return n;
}

/*
 * List the instances that the start may have made full or overloaded, in the order of the queue
 * list. These are the instances on the used hosts, or all instances if a threshold is on a shared
 * resource. Tagged instances are added.
 */
static size_t touched(struct review *review, const struct grant *grant)
{
	const struct cluster *cluster = &review->supply->cluster;
	const struct tags *tags = &review->searches->tags;
	size_t n = 0;

	review->starts++;
	for (size_t k = 0; k < grant->n; k++)
		n = add_host(review, cluster->instances[grant->entries[k].instance].host, n);
	for (size_t h = 0; h < cluster->nhosts && shares_load(review) && review->global_thresholds; h++)
		n = add_host(review, (uint32_t)h, n);
	for (size_t k = 0; k < tags->n && shares_load(review); k++)
		if (!is_reviewed(review, tags->tagged[k]) &&
		    queue_list_has(&review->searches->ranking.list, tags->tagged[k]))
			review->instances[n++] = tags->tagged[k];
	ranking_order(&review->searches->ranking, review->instances, n);
	return n;
}

static void instance_review(struct review *review, uint32_t i)
{
	struct alarm alarm;
	bool is_tagged = tags_of(&review->searches->tags, i) == TAG_LATER,
	     is_over = (is_reviewed(review, i) && is_overloaded(review, i, &alarm)) ||
		       (is_tagged && is_used_up(review, i, &alarm));

	if (is_over) {
		instance_why(review->searches->why, &review->supply->cluster, WHY_OVERLOADED, &alarm, i, NULL);
		review->supply->cluster.instances[i].was_overloaded = true;
	}
	if (!is_tagged && !is_over)
		return;
	tags_take(&review->searches->tags, i);
	ranking_drop(&review->searches->ranking, i);
}

/*
 * Tag an instance that the start has overloaded by a consumable, without taking it out of the list.
 * The next job start or reservation does so, unless a search for a parallel job comes before and
 * clears the tag.
 */
static void instance_tag(struct review *review, uint32_t i)
{
	struct queue_instance *instance = &review->supply->cluster.instances[i];
	struct alarm alarm;

	if (!is_reviewed(review, i) || instance->was_overloaded || !is_used_up(review, i, &alarm))
		return;
	instance->was_overloaded = true;
	tags_set(&review->searches->tags, i, TAG_LATER);
}

static void subordinates_suspend(struct review *review, uint32_t instance, uint32_t queue)
{
	struct cluster *cluster = &review->supply->cluster;

	for (uint32_t i = cluster->hosts[cluster->instances[instance].host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		if (cluster->instances[i].queue != queue || !queue_list_has(&review->searches->ranking.list, i) ||
		    cluster->instances[i].state != INSTANCE_OPEN)
			continue;
		instance_why(review->searches->why, &review->supply->cluster, WHY_DISABLED, NULL, i, "S");
		cluster->instances[i].is_subordinated = true;
	}
}

/*
 * Suspend the subordinate queues of the queues in which the task begins: subordinate_list of
 * queue_conf(5). They accept no jobs, with one exception. In Grid Engine, a job that wants a
 * reservation finds them open, and so do the jobs after it until the next job start or reservation.
 */
static void suspend(struct review *review, const struct grant *grant)
{
	const struct cluster *cluster = &review->supply->cluster;

	for (size_t k = 0; k < grant->n; k++) {
		uint32_t i = grant->entries[k].instance;
		const struct queue_profile *profile = &cluster->profiles[cluster->instances[i].profile];

		for (size_t s = 0; s < profile->nsubordinates; s++) {
			const struct subordinate_queue *below = &profile->subordinates[s];
			double used =
				column_offer((struct column *)&cluster->columns[cluster->slots], LEVEL_QUEUE, i)->used;

			if (below->slots == 0 ? instance_is_full(&review->supply->cluster, i) : used >= below->slots)
				subordinates_suspend(review, i, below->queue);
		}
	}
}

/*
 * Subordinate instances are set aside first, then full ones, then those that are newly overloaded
 * or tagged. If job_load_adjustments were lost, the last group stays in the list, and loads are not
 * checked.
 */
void review_grant(struct review *review, const struct grant *grant, bool begins)
{
	size_t n = touched(review, grant);

	if (begins)
		suspend(review, grant);
	for (size_t k = 0; k < n; k++)
		if (review->supply->cluster.instances[review->instances[k]].is_subordinated)
			ranking_set_aside(&review->searches->ranking, review->instances[k]);
	for (size_t k = 0; k < n; k++)
		if (instance_is_full(&review->supply->cluster, review->instances[k])) {
			instance_why(review->searches->why, &review->supply->cluster, WHY_FULL, NULL,
				     review->instances[k], NULL);
			ranking_set_aside(&review->searches->ranking, review->instances[k]);
		}
	ranking_split(&review->searches->ranking);
	for (size_t k = 0; k < n && shares_load(review); k++)
		if (queue_list_has(&review->searches->ranking.list, review->instances[k]))
			(grant->unadjusted ? instance_tag : instance_review)(review, review->instances[k]);
}

void review_load(struct review *review, const struct grant *grant)
{
	for (size_t k = 0; k < grant->n; k++) {
		uint32_t host = review->supply->cluster.instances[grant->entries[k].instance].host;

		if (shares_load(review) && review->supply->cell->sched.load_adjustment_decay_time > 0)
			load_correct_host(&review->supply->cluster, host, 1.0, grant->entries[k].slots);
		ranking_host_changed(&review->searches->ranking, host);
	}
}
