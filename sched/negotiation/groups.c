/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups and their rounds. In each round, weight is allocated to groups, groups are served in
 * order, and weight that a group could not use is allocated again. Source: HTCondor's manual,
 * "Group Accounting".
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

#define KEY_OF_ROOT 3.4e38		/* default of GROUP_SORT_EXPR: by starvation */
#define KEY_WITHOUT_QUOTA 3.3e38

struct rounds {
	struct negotiator *n;
	struct group_result *results;
	size_t ngroups;
	bool any_surplus, regroup;
	double most;			/* largest weight that a group is missing */
	uint32_t round, served;
	uint32_t *order;
};

static double use_of(const struct negotiator *negotiator, size_t group)
{
	return negotiator->customers->items[group].weight_used;
}

static double missing(const struct rounds *rounds, const struct quota_group *group)
{
	double target = rounds->any_surplus ? group->allocated : group->quota;

	return target > group->usage ? target - group->usage : 0;
}

static double sort_key_evaluated(struct negotiator *negotiator, struct classad *ad, size_t group)
{
	const struct quota_group *quota_group = &negotiator->quotas[group];
	const char *name = negotiator->conf->groups[group].name;
	struct classad_value text = { .type = CLASSAD_STRING, .text = name, .bytes = strlen(name) }, value;
	struct classad_pair pair = { .my = ad };
	struct { const char *name; double value; bool manual;
	} numbers[] = {
		{ "GroupQuota", quota_group->quota, false },
		{ "GroupResourcesInUse", quota_group->usage, false },
		{ "GroupResourcesAllocated", quota_group->allocated, false },
		{ "GroupQuotaInUse", quota_group->usage, true },
		{ "GroupQuotaAllocated", quota_group->allocated, true },
	};
	double key;
	int rc = classad_set_value(ad, "AccountingGroup", &text);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && rc == 0; i++)
		if (!numbers[i].manual || negotiator->conf->follows == FOLLOWS_MANUAL)
			rc = classad_set_value(
				ad, numbers[i].name,
				&(struct classad_value){ .type = CLASSAD_REAL, .real = numbers[i].value });
	if (rc < 0)
		negotiator->rc = rc;
	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(negotiator->conf->group_sort.program, &pair, &negotiator->moments.room, &value);
	return classad_number(&value, &key) && !isnan(key) ? key : (double)FLT_MAX;
}

static void find_keys(struct rounds *rounds)
{
	struct negotiator *negotiator = rounds->n;
	struct classad *ad = negotiator->conf->group_sort.program ? classad_create() : NULL;

	if (negotiator->conf->group_sort.program && !ad)
		negotiator->rc = -ENOMEM;
	for (size_t i = 0; i < rounds->ngroups && negotiator->rc == 0; i++) {
		const struct quota_group *group = &negotiator->quotas[i];
		double *key = &rounds->results[i].sort_key;

		if (ad)
			*key = sort_key_evaluated(negotiator, ad, i);
		else if (i == 0)
			*key = KEY_OF_ROOT;
		else
			*key = group->quota > 0 ? group->usage / group->quota : KEY_WITHOUT_QUOTA;
	}
	classad_free(ad);
}

static int by_key(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct rounds *rounds = context;

	if (rounds->regroup && (i == 0 || j == 0) && i != j)
		return i == 0 ? 1 : -1;
	if (rounds->results[i].sort_key != rounds->results[j].sort_key)
		return rounds->results[i].sort_key < rounds->results[j].sort_key ? -1 : 1;
	return (i > j) - (i < j);
}

static void put_in_order(struct rounds *rounds)
{
	rounds->most = 0;
	for (size_t i = 0; i < rounds->ngroups; i++) {
		rounds->most = fmax(rounds->most, missing(rounds, &rounds->n->quotas[i]));
		rounds->order[i] = (uint32_t)i;
	}
	find_keys(rounds);
	qsort_r(rounds->order, rounds->ngroups, sizeof(*rounds->order), by_key, rounds);
}

/* Return how much more a group may get if an ancestor is a hard limit. */
static double capped(struct rounds *rounds, uint32_t group, double more)
{
	struct negotiator *negotiator = rounds->n;

	for (uint32_t g = group; ; g = negotiator->quotas[g].parent) {
		negotiator->tree_used[g] = negotiator->customers->items[g].tree_used;
		if (g == 0)
			break;
	}
	return quotas_cap(negotiator->quotas, group, negotiator->tree_used, more, &rounds->results[group].capped_by);
}

/* Return the weight that the group may use while groups get `handed` more at most. */
static double group_limit(struct rounds *rounds, uint32_t group, double handed)
{
	const struct negotiator *negotiator = rounds->n;
	const struct quota_group *quota_group = &negotiator->quotas[group];
	double target = fmax(quota_group->allocated, quota_group->quota),
	       delta = target > quota_group->usage ? target - quota_group->usage : 0, limit = target;

	/* HTCondor divides by zero if no group is missing anything: no more for this group. */
	if (delta > 0 && rounds->most > 0)
		limit = fmin(target, quota_group->usage + delta * (handed / rounds->most));
	else if (delta > 0 && negotiator->conf->follows == FOLLOWS_PROGRAM)
		limit = 0;
	if (!negotiator->conf->use_slot_weights)
		limit = floor(limit);
	rounds->results[group].capped_by = NONE;
	return negotiator->conf->strict_enforce_quota
		       ? capped(rounds, group, limit - quota_group->usage) + quota_group->usage
		       : limit;
}

static void record(struct rounds *rounds, uint32_t group, double uncut, double limit)
{
	struct cycle_result *result = rounds->n->result;

	if (room_for(&result->services, &result->room.services, result->nservices + 1, sizeof(*result->services)) < 0) {
		rounds->n->rc = -ENOMEM;
		return;
	}
	result->services[result->nservices++] = (struct service){ group, rounds->round, uncut, limit };
	rounds->results[group].limit = limit > 0 ? limit : 0;
	if (rounds->results[group].order == 0)
		rounds->results[group].order = ++rounds->served;
}

static void group_serve(struct rounds *rounds, uint32_t group, double handed)
{
	struct negotiator *negotiator = rounds->n;
	const struct quota_group *quota_group = &negotiator->quotas[group];
	struct pie_limits limits = { .group = group, .of_group = !(rounds->regroup && group == 0) };
	double uncut;

	if (quota_group->allocated <= 0 ||
	    (quota_group->usage >= quota_group->allocated && !negotiator->conf->consider_preemption) ||
	    negotiator->groups[group].n == 0)
		return;
	uncut = group_limit(rounds, group, handed);
	limits.quota = negotiator->conf->follows == FOLLOWS_MANUAL ? uncut : trunc(fmin(uncut, INT_MAX));
	limits.autoregroup = !limits.of_group;
	record(rounds, group, uncut, limits.quota);
	if (negotiator->rc == 0)
		pie_with_floors(negotiator, &negotiator->groups[group], &limits);
}

/* Limits: extreme quotas and rates would make a cycle last for hours. */
enum { TURNS_MOST = 100000, ROUNDS_MOST = 1000 };

static void serve(struct rounds *rounds)
{
	struct negotiator *negotiator = rounds->n;
	double handed = 0, rate = fmax(negotiator->conf->round_robin_rate, rounds->most / TURNS_MOST);

	do {
		handed = fmin(handed + rate, rounds->most);
		for (size_t i = 0; i < rounds->ngroups && negotiator->rc == 0; i++)
			group_serve(rounds, rounds->order[i], handed);
	} while (handed < rounds->most && negotiator->rc == 0);
}

static void allocate(struct rounds *rounds)
{
	struct negotiator *negotiator = rounds->n;

	quotas_allocate(negotiator->quotas, rounds->ngroups);
	if (!negotiator->conf->use_slot_weights)
		quotas_round(negotiator->quotas, rounds->ngroups, negotiator->quota_order);
	if (rounds->regroup)
		negotiator->quotas[0].quota = negotiator->quotas[0].allocated = negotiator->pool.counted;
	for (size_t i = 0; i < rounds->ngroups && rounds->round == 1; i++)
		rounds->results[i].first_allocated = negotiator->quotas[i].allocated;
}

/*
 * Return whether all groups have their allocation. A group that could not use its own is set to
 * demand no more than it has.
 */
static bool all_met(struct rounds *rounds)
{
	struct negotiator *negotiator = rounds->n;
	double met = 0, allocated = 0;

	for (size_t i = 0; i < rounds->ngroups; i++) {
		struct quota_group *group = &negotiator->quotas[i];

		group->usage = use_of(negotiator, i);
		met += fmin(group->usage, group->allocated);
		allocated += group->allocated;
	}
	if (met >= allocated)
		return true;
	for (size_t i = 0; i < rounds->ngroups; i++)
		if (negotiator->quotas[i].usage < negotiator->quotas[i].allocated)
			negotiator->quotas[i].demand = fmin(negotiator->quotas[i].demand, negotiator->quotas[i].usage);
	return false;
}

static void results_write(struct rounds *rounds)
{
	for (size_t i = 0; i < rounds->ngroups; i++) {
		rounds->results[i].quota = rounds->n->quotas[i];
		rounds->results[i].tree_used = rounds->n->customers->items[i].tree_used;
	}
}

/* Set the static parts from the configuration, the weight in use and the demand. */
static void begin(struct rounds *rounds)
{
	struct negotiator *negotiator = rounds->n;
	struct quota_rules rules = { negotiator->conf->oversubscription, negotiator->conf->use_slot_weights };

	for (size_t i = 0; i < rounds->ngroups; i++) {
		const struct condor_group *group = &negotiator->conf->groups[i];
		struct quota_group *quota_group = &negotiator->quotas[i];

		quota_group->parent = group->parent;
		quota_group->first_child = group->first_child;
		quota_group->nchildren = group->nchildren;
		quota_group->configured = group->quota;
		quota_group->is_static = group->is_static;
		quota_group->accepts_surplus = group->accepts_surplus || i == 0;
		quota_group->autoregroup = group->autoregroup;
		quota_group->usage = use_of(negotiator, i);
		rounds->any_surplus |= i > 0 && group->accepts_surplus;
		rounds->regroup |= group->autoregroup;
		rounds->results[i].requested = quota_group->demand;
	}
	quotas_assign(negotiator->quotas, rounds->ngroups, negotiator->pool.counted, &rules);
}

void groups_negotiate(struct negotiator *negotiator)
{
	struct rounds rounds = { .n = negotiator,
				 .results = negotiator->result->groups,
				 .ngroups = negotiator->conf->ngroups,
				 .order = negotiator->group_order };

	begin(&rounds);
	for (rounds.round = 1; rounds.round <= negotiator->conf->max_allocation_rounds && rounds.round <= ROUNDS_MOST &&
			       negotiator->rc == 0;
	     rounds.round++) {
		uint64_t begin = negotiator->in->clock_ns ? negotiator->in->clock_ns(negotiator->in->context) : 0;

		negotiator->result->rounds = rounds.round;
		allocate(&rounds);
		put_in_order(&rounds);
		if (negotiator->in->clock_ns)
			negotiator->result->quota_ns += negotiator->in->clock_ns(negotiator->in->context) - begin;
		if (negotiator->rc == 0)
			serve(&rounds);
		results_write(&rounds);
		if (all_met(&rounds))
			break;
	}
	for (size_t i = 0; i < rounds.ngroups && !negotiator->conf->use_slot_weights; i++)
		if (negotiator->quotas[i].served)
			negotiator->quotas[i].last_served = negotiator->cycle;
}
