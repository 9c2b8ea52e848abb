/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups in their rounds: what each may use is allocated, they are served in order, and what they
 * could not use is allocated anew. HTCondor's manual, "Group Accounting".
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

#define KEY_OF_ROOT 3.4e38		/* GROUP_SORT_EXPR's default: by starvation */
#define KEY_WITHOUT_QUOTA 3.3e38

struct rounds {
	struct negotiator *n;
	struct group_result *results;
	size_t ngroups;
	bool any_surplus, regroup;
	double most;			/* that is missing to any group */
	uint32_t round, served;
	uint32_t *order;
};

static double use_of(const struct negotiator *n, size_t group)
{
	return n->customers->items[group].weight_used;
}

static double missing(const struct rounds *r, const struct quota_group *g)
{
	double target = r->any_surplus ? g->allocated : g->quota;

	return target > g->usage ? target - g->usage : 0;
}

static double sort_key_evaluated(struct negotiator *n, struct classad *ad, size_t group)
{
	const struct quota_group *g = &n->quotas[group];
	const char *name = n->conf->groups[group].name;
	struct classad_value text = { .type = CLASSAD_STRING, .text = name, .bytes = strlen(name) }, value;
	struct classad_pair pair = { .my = ad };
	struct { const char *name; double value; bool manual; } numbers[] = {
		{ "GroupQuota", g->quota, false }, { "GroupResourcesInUse", g->usage, false },
		{ "GroupResourcesAllocated", g->allocated, false }, { "GroupQuotaInUse", g->usage, true },
		{ "GroupQuotaAllocated", g->allocated, true },
	};
	double key;
	int rc = classad_set_value(ad, "AccountingGroup", &text);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && rc == 0; i++)
		if (!numbers[i].manual || n->conf->follows == FOLLOWS_MANUAL)
			rc = classad_set_value(ad, numbers[i].name, &(struct classad_value){ .type = CLASSAD_REAL, .real = numbers[i].value });
	if (rc < 0)
		n->rc = rc;
	classad_room_reset(&n->moments.room);
	classad_evaluate(n->conf->group_sort.program, &pair, &n->moments.room, &value);
	return classad_number(&value, &key) && !isnan(key) ? key : (double)FLT_MAX;
}

static void find_keys(struct rounds *r)
{
	struct negotiator *n = r->n;
	struct classad *ad = n->conf->group_sort.program ? classad_create() : NULL;

	if (n->conf->group_sort.program && !ad)
		n->rc = -ENOMEM;
	for (size_t i = 0; i < r->ngroups && n->rc == 0; i++) {
		const struct quota_group *g = &n->quotas[i];
		double *key = &r->results[i].sort_key;

		if (ad)
			*key = sort_key_evaluated(n, ad, i);
		else if (i == 0)
			*key = KEY_OF_ROOT;
		else
			*key = g->quota > 0 ? g->usage / g->quota : KEY_WITHOUT_QUOTA;
	}
	classad_free(ad);
}

static int by_key(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct rounds *r = context;

	if (r->regroup && (i == 0 || j == 0) && i != j)
		return i == 0 ? 1 : -1;
	if (r->results[i].sort_key != r->results[j].sort_key)
		return r->results[i].sort_key < r->results[j].sort_key ? -1 : 1;
	return (i > j) - (i < j);
}

static void put_in_order(struct rounds *r)
{
	r->most = 0;
	for (size_t i = 0; i < r->ngroups; i++) {
		r->most = fmax(r->most, missing(r, &r->n->quotas[i]));
		r->order[i] = (uint32_t)i;
	}
	find_keys(r);
	qsort_r(r->order, r->ngroups, sizeof(*r->order), by_key, r);
}

/* How much more than it has a group may get, where a group above it is a hard cap. */
static double capped(struct rounds *r, uint32_t group, double more)
{
	struct negotiator *n = r->n;

	for (uint32_t g = group; ; g = n->quotas[g].parent) {
		n->tree_used[g] = n->customers->items[g].tree_used;
		if (g == 0)
			break;
	}
	return quotas_cap(n->quotas, group, n->tree_used, more, &r->results[group].capped_by);
}

/* What the group may use when so much of what is missing to the worst one is handed out. */
static double group_limit(struct rounds *r, uint32_t group, double handed)
{
	const struct negotiator *n = r->n;
	const struct quota_group *g = &n->quotas[group];
	double target = fmax(g->allocated, g->quota), delta = target > g->usage ? target - g->usage : 0, limit = target;

	/* Where no group misses anything HTCondor divides by zero, and this group gets nothing more. */
	if (delta > 0 && r->most > 0)
		limit = fmin(target, g->usage + delta * (handed / r->most));
	else if (delta > 0 && n->conf->follows == FOLLOWS_PROGRAM)
		limit = 0;
	if (!n->conf->use_slot_weights)
		limit = floor(limit);
	r->results[group].capped_by = NONE;
	return n->conf->strict_enforce_quota ? capped(r, group, limit - g->usage) + g->usage : limit;
}

static void record(struct rounds *r, uint32_t group, double uncut, double limit)
{
	struct cycle_result *result = r->n->result;

	if (room_for(&result->services, &result->room.services, result->nservices + 1, sizeof(*result->services)) < 0) {
		r->n->rc = -ENOMEM;
		return;
	}
	result->services[result->nservices++] = (struct service){ group, r->round, uncut, limit };
	r->results[group].limit = limit > 0 ? limit : 0;
	if (r->results[group].order == 0)
		r->results[group].order = ++r->served;
}

static void group_serve(struct rounds *r, uint32_t group, double handed)
{
	struct negotiator *n = r->n;
	const struct quota_group *g = &n->quotas[group];
	struct pie_limits limits = { .group = group, .of_group = !(r->regroup && group == 0) };
	double uncut;

	if (g->allocated <= 0 || (g->usage >= g->allocated && !n->conf->consider_preemption) || n->groups[group].n == 0)
		return;
	uncut = group_limit(r, group, handed);
	limits.quota = n->conf->follows == FOLLOWS_MANUAL ? uncut : trunc(fmin(uncut, INT_MAX));
	limits.autoregroup = !limits.of_group;
	record(r, group, uncut, limits.quota);
	if (n->rc == 0)
		pie_with_floors(n, &n->groups[group], &limits);
}

/* quotas and rates that nobody has would keep a cycle for hours */
enum { TURNS_MOST = 100000, ROUNDS_MOST = 1000 };

static void serve(struct rounds *r)
{
	struct negotiator *n = r->n;
	double handed = 0, rate = fmax(n->conf->round_robin_rate, r->most / TURNS_MOST);

	do {
		handed = fmin(handed + rate, r->most);
		for (size_t i = 0; i < r->ngroups && n->rc == 0; i++)
			group_serve(r, r->order[i], handed);
	} while (handed < r->most && n->rc == 0);
}

static void allocate(struct rounds *r)
{
	struct negotiator *n = r->n;

	quotas_allocate(n->quotas, r->ngroups);
	if (!n->conf->use_slot_weights)
		quotas_round(n->quotas, r->ngroups, n->quota_order);
	if (r->regroup)
		n->quotas[0].quota = n->quotas[0].allocated = n->pool.counted;
	for (size_t i = 0; i < r->ngroups && r->round == 1; i++)
		r->results[i].first_allocated = n->quotas[i].allocated;
}

/* Has everybody what was allocated? Who could not use it wants no more than it has got. */
static bool all_met(struct rounds *r)
{
	struct negotiator *n = r->n;
	double met = 0, allocated = 0;

	for (size_t i = 0; i < r->ngroups; i++) {
		struct quota_group *g = &n->quotas[i];

		g->usage = use_of(n, i);
		met += fmin(g->usage, g->allocated);
		allocated += g->allocated;
	}
	if (met >= allocated)
		return true;
	for (size_t i = 0; i < r->ngroups; i++)
		if (n->quotas[i].usage < n->quotas[i].allocated)
			n->quotas[i].demand = fmin(n->quotas[i].demand, n->quotas[i].usage);
	return false;
}

static void tell(struct rounds *r)
{
	for (size_t i = 0; i < r->ngroups; i++) {
		r->results[i].quota = r->n->quotas[i];
		r->results[i].tree_used = r->n->customers->items[i].tree_used;
	}
}

/* Static parts of the configuration, what is in use and what is asked for. */
static void begin(struct rounds *r)
{
	struct negotiator *n = r->n;
	struct quota_rules rules = { n->conf->oversubscription, n->conf->use_slot_weights };

	for (size_t i = 0; i < r->ngroups; i++) {
		const struct condor_group *c = &n->conf->groups[i];
		struct quota_group *g = &n->quotas[i];

		g->parent = c->parent;
		g->first_child = c->first_child;
		g->nchildren = c->nchildren;
		g->configured = c->quota;
		g->is_static = c->is_static;
		g->accepts_surplus = c->accepts_surplus || i == 0;
		g->autoregroup = c->autoregroup;
		g->usage = use_of(n, i);
		r->any_surplus |= i > 0 && c->accepts_surplus;
		r->regroup |= c->autoregroup;
		r->results[i].requested = g->demand;
	}
	quotas_assign(n->quotas, r->ngroups, n->pool.counted, &rules);
}

void groups_negotiate(struct negotiator *n)
{
	struct rounds r = { .n = n, .results = n->result->groups, .ngroups = n->conf->ngroups, .order = n->group_order };

	begin(&r);
	for (r.round = 1; r.round <= n->conf->max_allocation_rounds && r.round <= ROUNDS_MOST && n->rc == 0; r.round++) {
		uint64_t begin = n->in->clock_ns ? n->in->clock_ns(n->in->context) : 0;

		n->result->rounds = r.round;
		allocate(&r);
		put_in_order(&r);
		if (n->in->clock_ns)
			n->result->quota_ns += n->in->clock_ns(n->in->context) - begin;
		if (n->rc == 0)
			serve(&r);
		tell(&r);
		if (all_met(&r))
			break;
	}
	for (size_t i = 0; i < r.ngroups && !n->conf->use_slot_weights; i++)
		if (n->quotas[i].served)
			n->quotas[i].last_served = n->cycle;
}
