/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In breadth-first order parents are before their children, and each level of a subtree is one
 * range of the array. Therefore a forward pass works top-down, and a backward pass bottom-up.
 */
#include "tickets/quotas.h"

#include <math.h>
#include <stdlib.h>

static double positive(double x)
{
	return x > 0.0 ? x : 0.0;
}

/* Quotas of the pool */

/*
 * Assign the quotas of children. Static quotas come first; dynamic quotas are fractions of the
 * rest. Quotas are scaled down if they exceed the whole, and never scaled up.
 */
static void assign_children(struct quota_group *groups, struct quota_group *group, const struct quota_rules *rules)
{
	struct quota_group *child = groups + group->first_child, *end = child + group->nchildren;
	double fixed = 0.0, parts = 0.0, to_fixed, to_parts, sum = 0.0;

	for (struct quota_group *quota_group = child; quota_group < end; quota_group++)
		*(quota_group->is_static ? &fixed : &parts) += quota_group->configured;
	to_fixed = rules->oversubscription ? fixed : fmin(fixed, group->subtree_quota);
	to_parts = positive(group->subtree_quota - to_fixed);
	for (struct quota_group *quota_group = child; quota_group < end; quota_group++) {
		quota_group->subtree_quota =
			quota_group->configured *
			(quota_group->is_static ? to_fixed / (fixed > 0.0 ? fixed : 1.0) : to_parts / fmax(parts, 1.0));
		sum += quota_group->subtree_quota;
	}
	group->quota = rules->oversubscription && group != groups ? group->subtree_quota
								  : positive(group->subtree_quota - sum);
}

void quotas_assign(struct quota_group *groups, size_t n, double pool, const struct quota_rules *rules)
{
	if (n == 0)
		return;
	groups[0].subtree_quota = positive(pool);
	for (size_t i = 0; i < n; i++) {
		struct quota_group *group = &groups[i];

		if (group->subtree_quota > 0.0) {
			assign_children(groups, group, rules);
			continue;
		}
		group->quota = group->subtree_quota = 0.0;
		for (uint32_t c = 0; c < group->nchildren; c++)
			groups[group->first_child + c].subtree_quota = 0.0;
	}
}

/* Sharing: a group shares a surplus among its children and itself */

struct quota_members {
	struct quota_group *group, *children;
	uint32_t n;			/* children, and the group itself as the last one */
};

static struct quota_members members_of(struct quota_group *groups, struct quota_group *group)
{
	return (struct quota_members){ group, groups + group->first_child, group->nchildren + 1 };
}

/* Return member k, or NULL if it is not considered. */
static struct quota_group *member(const struct quota_members *members, uint32_t k)
{
	struct quota_group *group = k + 1 < members->n ? members->children + k : members->group;

	return (group == members->group || group->accepts_surplus) && group->open > 0.0 ? group : NULL;
}

/* Begin without shares. Children also ask for everything below them. */
static void members_begin(const struct quota_members *members)
{
	for (uint32_t k = 0; k + 1 < members->n; k++) {
		members->children[k].gift = 0.0;
		members->children[k].open = members->children[k].wanted;
	}
	members->group->gift = 0.0;
	members->group->open = members->group->unmet;
}

static void member_take(struct quota_group *group, double amount)
{
	group->gift += amount;
	group->open -= amount;
}

/* Keep the group's own share. Children share theirs with the groups below them later. */
static void members_end(const struct quota_members *members)
{
	members->group->allocated += members->group->gift;
	members->group->unmet -= members->group->gift;
	members->group->gift = 0.0;
}

/* Share out an amount and return the rest. `order` is scratch, used by some functions. */
typedef double members_share(struct quota_group *groups, const struct quota_members *members, double amount,
			     uint32_t *order);

static double group_share(struct quota_group *groups, struct quota_group *group, double amount, members_share *share,
			  uint32_t *order)
{
	struct quota_members members = members_of(groups, group);
	double rest;

	if (amount <= 0.0)
		return 0.0;
	if (group->wanted <= 0.0)
		return amount;
	members_begin(&members);
	rest = share(groups, &members, amount, order);
	members_end(&members);
	return rest;
}

/* Share over the whole subtree of a group, level by level. Return the rest that no group takes. */
static double tree_share(struct quota_group *groups, struct quota_group *group, double amount, members_share *share,
			 uint32_t *order)
{
	double rest = group_share(groups, group, amount, share, order);
	struct quota_group *begin = group, *end = group + 1;

	while (begin < end) {
		struct quota_group *below = NULL, *below_end = NULL;

		for (struct quota_group *quota_group = begin; quota_group < end; quota_group++) {
			if (quota_group != group && quota_group->gift > 0.0)
				group_share(groups, quota_group, quota_group->gift, share, order);
			if (quota_group->nchildren == 0)
				continue;
			below = below ? below : groups + quota_group->first_child;
			below_end = groups + quota_group->first_child + quota_group->nchildren;
		}
		begin = below;
		end = below_end;
	}
	return rest;
}

/* Surplus */

static double share_weight(const struct quota_members *members, const struct quota_group *group, bool by_quota)
{
	return !by_quota ? 1.0 : group == members->group ? group->quota : group->subtree_quota;
}

/*
 * Split an amount among members that want more, in proportion to their quotas or in equal parts. A
 * member never gets more than it wants. In each round some member has enough and is excluded from
 * the next round, or the whole amount is used.
 */
static double surplus_split(const struct quota_members *members, double amount, bool by_quota)
{
	bool enough = true;

	while (amount > 0.0 && enough) {
		double all = 0.0, given = 0.0;

		for (uint32_t k = 0; k < members->n; k++)
			if (member(members, k))
				all += share_weight(members, member(members, k), by_quota);
		if (all <= 0.0)
			break;
		enough = false;
		for (uint32_t k = 0; k < members->n; k++) {
			struct quota_group *group = member(members, k);
			double part = group ? amount * (share_weight(members, group, by_quota) / all) : 0.0;

			if (!group)
				continue;
			enough |= part > group->open;
			part = fmin(part, group->open);
			member_take(group, part);
			given += part;
		}
		amount = positive(amount - given);
	}
	return enough ? amount : 0.0;
}

static double surplus_share(struct quota_group *groups, const struct quota_members *members, double amount,
			    uint32_t *order)
{
	double wanted = members->group->wanted, rest;

	(void)groups;
	(void)order;
	if (amount >= wanted) {
		for (uint32_t k = 0; k < members->n; k++)
			if (member(members, k))
				member_take(member(members, k), member(members, k)->open);
		members->group->wanted = 0.0;
		return amount - wanted;
	}
	rest = surplus_split(members, amount, true);
	if (rest > 0.0)
		rest = surplus_split(members, rest, false);
	members->group->wanted = positive(wanted - (amount - rest));
	return rest;
}

double quotas_allocate(struct quota_group *groups, size_t n)
{
	double rest = 0.0;

	for (size_t i = n; i-- > 0;) {
		struct quota_group *group = &groups[i];
		double surplus;

		group->allocated = fmin(group->demand, group->quota);
		group->unmet = group->wanted = group->demand - group->allocated;
		surplus = group->quota - group->allocated;
		for (struct quota_group *quota_group = groups + group->first_child,
					*end = quota_group + group->nchildren;
		     quota_group < end; quota_group++) {
			surplus += quota_group->left;
			if (quota_group->accepts_surplus)
				group->wanted += quota_group->wanted;
		}
		rest = group->left = tree_share(groups, group, surplus, surplus_share, NULL);
	}
	return rest;
}

/* Whole slots */

/*
 * Compare members: the one served longest ago comes first, then the larger quota, then the one that
 * wants more.
 */
static bool member_before(const struct quota_members *members, const struct quota_group *a, const struct quota_group *b)
{
	int64_t a_served = a == members->group ? a->last_served : a->tree_served,
		b_served = b == members->group ? b->last_served : b->tree_served;
	double a_quota = share_weight(members, a, true), b_quota = share_weight(members, b, true);

	if (a_served != b_served)
		return a_served < b_served;
	return a_quota != b_quota ? a_quota > b_quota : a->open > b->open;
}

/* Compare members for sorting. Equal ones are in the order of their names. */
static int member_compare(const void *a, const void *b, void *members)
{
	const struct quota_members *quota_members = members;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (member_before(quota_members, member(quota_members, x), member(quota_members, y)))
		return -1;
	return member_before(quota_members, member(quota_members, y), member(quota_members, x)) || x > y ? 1 : -1;
}

/* List the members that want more, best first. */
static uint32_t members_sort(struct quota_members members, uint32_t *order)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < members.n; k++)
		if (member(&members, k))
			order[n++] = k;
	qsort_r(order, n, sizeof(*order), member_compare, &members);
	return n;
}

static double whole_share(struct quota_group *groups, const struct quota_members *members, double amount,
			  uint32_t *order)
{
	uint32_t n = members_sort(*members, order), wanting = n;
	double before = amount;

	(void)groups;
	while (amount >= 1.0 && wanting > 0) {
		double each = fmax(1.0, floor(amount / wanting));

		wanting = 0;
		for (uint32_t i = 0; i < n && amount >= 1.0; i++) {
			struct quota_group *group = member(members, order[i]);
			double part = group ? fmin(group->open, each) : 0.0;

			if (!group)
				continue;
			member_take(group, part);
			amount -= part;
			wanting += group->open > 0.0;
		}
	}
	members->group->served |= members->group->gift > 0.0;
	members->group->wanted = positive(members->group->wanted - (before - amount));
	return amount;
}

/*
 * Cut the allocation to whole slots. Return how much was cut. *off is increased to the distance of
 * the rest from whole numbers.
 */
static double cut(struct quota_group *group, double *off)
{
	double fraction = group->allocated - floor(group->allocated), unmet = group->unmet + fraction;

	*off = fmax(*off, fabs(unmet - rint(unmet)));
	group->allocated = floor(group->allocated);
	group->unmet = group->wanted = rint(unmet);
	group->tree_served = group->unmet > 0.0 ? group->last_served : INT64_MAX;
	group->served = group->demand <= 0.0;
	return fraction;
}

double quotas_round(struct quota_group *groups, size_t n, uint32_t *order)
{
	double off = 0.0;

	for (size_t i = n; i-- > 0;) {
		struct quota_group *group = &groups[i];
		double collected = cut(group, &off);

		for (struct quota_group *quota_group = groups + group->first_child,
					*end = quota_group + group->nchildren;
		     quota_group < end; quota_group++) {
			collected += quota_group->left;
			if (!quota_group->accepts_surplus || quota_group->wanted <= 0.0)
				continue;
			group->wanted += quota_group->wanted;
			if (group->tree_served > quota_group->tree_served)
				group->tree_served = quota_group->tree_served;
		}
		group->left = tree_share(groups, group, collected, whole_share, order);
	}
	return off;
}

/* The cap */

double quotas_cap(const struct quota_group *groups, uint32_t group, const double *tree_used, double wanted,
		  uint32_t *capped_by)
{
	*capped_by = UINT32_MAX;
	for (uint32_t g = group;; g = groups[g].parent) {
		double limit = groups[g].is_static ? groups[g].configured : groups[g].subtree_quota;
		double room = positive(limit - tree_used[g]);

		if (!groups[g].accepts_surplus && room < wanted) {
			wanted = room;
			*capped_by = g;
		}
		if (g == groups[g].parent)
			return wanted;
	}
}
