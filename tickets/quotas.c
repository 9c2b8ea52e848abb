/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In breadth-first order parents stand before their children, and each level of a subtree is one
 * piece of the array. So one pass forward works top-down, one backward bottom-up.
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
 * Static quotas have the first right, dynamic ones are parts of what they leave. Parts are scaled
 * down when they come to more than the whole, and never up.
 */
static void assign_children(struct quota_group *groups, struct quota_group *g, const struct quota_rules *rules)
{
	struct quota_group *child = groups + g->first_child, *end = child + g->nchildren;
	double fixed = 0.0, parts = 0.0, to_fixed, to_parts, sum = 0.0;

	for (struct quota_group *c = child; c < end; c++)
		*(c->is_static ? &fixed : &parts) += c->configured;
	to_fixed = rules->oversubscription ? fixed : fmin(fixed, g->subtree_quota);
	to_parts = positive(g->subtree_quota - to_fixed);
	for (struct quota_group *c = child; c < end; c++) {
		c->subtree_quota = c->configured * (c->is_static ? to_fixed / (fixed > 0.0 ? fixed : 1.0) : to_parts / fmax(parts, 1.0));
		sum += c->subtree_quota;
	}
	g->quota = rules->oversubscription && g != groups ? g->subtree_quota : positive(g->subtree_quota - sum);
}

void quotas_assign(struct quota_group *groups, size_t n, double pool, const struct quota_rules *rules)
{
	if (n == 0)
		return;
	groups[0].subtree_quota = positive(pool);
	for (size_t i = 0; i < n; i++) {
		struct quota_group *g = &groups[i];

		if (g->subtree_quota > 0.0) {
			assign_children(groups, g, rules);
			continue;
		}
		g->quota = g->subtree_quota = 0.0;
		for (uint32_t c = 0; c < g->nchildren; c++)
			groups[g->first_child + c].subtree_quota = 0.0;
	}
}

/* Sharing: a group shares what it has to give with those below it, as if it were one of them */

struct quota_members {
	struct quota_group *group, *children;
	uint32_t n;			/* children, and the group itself, the last */
};

static struct quota_members members_of(struct quota_group *groups, struct quota_group *g)
{
	return (struct quota_members){ g, groups + g->first_child, g->nchildren + 1 };
}

/* Who takes part: NULL, if that one does not. */
static struct quota_group *member(const struct quota_members *m, uint32_t k)
{
	struct quota_group *c = k + 1 < m->n ? m->children + k : m->group;

	return (c == m->group || c->accepts_surplus) && c->open > 0.0 ? c : NULL;
}

/* Nothing is given yet; children ask for all below them, too. */
static void members_begin(const struct quota_members *m)
{
	for (uint32_t k = 0; k + 1 < m->n; k++) {
		m->children[k].gift = 0.0;
		m->children[k].open = m->children[k].wanted;
	}
	m->group->gift = 0.0;
	m->group->open = m->group->unmet;
}

static void member_take(struct quota_group *c, double amount)
{
	c->gift += amount;
	c->open -= amount;
}

/* What is the group's own it keeps; what is its children's they share with those below them. */
static void members_end(const struct quota_members *m)
{
	m->group->allocated += m->group->gift;
	m->group->unmet -= m->group->gift;
	m->group->gift = 0.0;
}

/* Shares out an amount and returns the rest; `order` is for those that need it. */
typedef double members_share(struct quota_group *groups, const struct quota_members *m, double amount, uint32_t *order);

static double group_share(struct quota_group *groups, struct quota_group *g, double amount, members_share *share, uint32_t *order)
{
	struct quota_members m = members_of(groups, g);
	double rest;

	if (amount <= 0.0)
		return 0.0;
	if (g->wanted <= 0.0)
		return amount;
	members_begin(&m);
	rest = share(groups, &m, amount, order);
	members_end(&m);
	return rest;
}

/* Down the whole subtree of g, level by level; returns what nobody takes. */
static double tree_share(struct quota_group *groups, struct quota_group *g, double amount, members_share *share, uint32_t *order)
{
	double rest = group_share(groups, g, amount, share, order);
	struct quota_group *begin = g, *end = g + 1;

	while (begin < end) {
		struct quota_group *below = NULL, *below_end = NULL;

		for (struct quota_group *p = begin; p < end; p++) {
			if (p != g && p->gift > 0.0)
				group_share(groups, p, p->gift, share, order);
			if (p->nchildren == 0)
				continue;
			below = below ? below : groups + p->first_child;
			below_end = groups + p->first_child + p->nchildren;
		}
		begin = below;
		end = below_end;
	}
	return rest;
}

/* Surplus */

static double share_weight(const struct quota_members *m, const struct quota_group *c, bool by_quota)
{
	return !by_quota ? 1.0 : c == m->group ? c->quota : c->subtree_quota;
}

/*
 * In proportion to quotas, or to equal parts, among those who want more; nobody gets more than
 * that. Each time somebody has enough, and is out the next time, or all is given away.
 */
static double surplus_split(const struct quota_members *m, double amount, bool by_quota)
{
	bool enough = true;

	while (amount > 0.0 && enough) {
		double all = 0.0, given = 0.0;

		for (uint32_t k = 0; k < m->n; k++)
			if (member(m, k))
				all += share_weight(m, member(m, k), by_quota);
		if (all <= 0.0)
			break;
		enough = false;
		for (uint32_t k = 0; k < m->n; k++) {
			struct quota_group *c = member(m, k);
			double part = c ? amount * (share_weight(m, c, by_quota) / all) : 0.0;

			if (!c)
				continue;
			enough |= part > c->open;
			part = fmin(part, c->open);
			member_take(c, part);
			given += part;
		}
		amount = positive(amount - given);
	}
	return enough ? amount : 0.0;
}

static double surplus_share(struct quota_group *groups, const struct quota_members *m, double amount, uint32_t *order)
{
	double wanted = m->group->wanted, rest;

	(void)groups;
	(void)order;
	if (amount >= wanted) {
		for (uint32_t k = 0; k < m->n; k++)
			if (member(m, k))
				member_take(member(m, k), member(m, k)->open);
		m->group->wanted = 0.0;
		return amount - wanted;
	}
	rest = surplus_split(m, amount, true);
	if (rest > 0.0)
		rest = surplus_split(m, rest, false);
	m->group->wanted = positive(wanted - (amount - rest));
	return rest;
}

double quotas_allocate(struct quota_group *groups, size_t n)
{
	double rest = 0.0;

	for (size_t i = n; i-- > 0;) {
		struct quota_group *g = &groups[i];
		double surplus;

		g->allocated = fmin(g->demand, g->quota);
		g->unmet = g->wanted = g->demand - g->allocated;
		surplus = g->quota - g->allocated;
		for (struct quota_group *c = groups + g->first_child, *end = c + g->nchildren; c < end; c++) {
			surplus += c->left;
			if (c->accepts_surplus)
				g->wanted += c->wanted;
		}
		rest = g->left = tree_share(groups, g, surplus, surplus_share, NULL);
	}
	return rest;
}

/* Whole slots */

/* Who was served longest ago comes first; then who has the larger quota; then who wants more. */
static bool member_before(const struct quota_members *m, const struct quota_group *a, const struct quota_group *b)
{
	int64_t a_served = a == m->group ? a->last_served : a->tree_served, b_served = b == m->group ? b->last_served : b->tree_served;
	double a_quota = share_weight(m, a, true), b_quota = share_weight(m, b, true);

	if (a_served != b_served)
		return a_served < b_served;
	return a_quota != b_quota ? a_quota > b_quota : a->open > b->open;
}

/* Equals in the order of their names. */
static int member_compare(const void *a, const void *b, void *members)
{
	const struct quota_members *m = members;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (member_before(m, member(m, x), member(m, y)))
		return -1;
	return member_before(m, member(m, y), member(m, x)) || x > y ? 1 : -1;
}

/* Those who want more, best first. */
static uint32_t members_sort(struct quota_members m, uint32_t *order)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < m.n; k++)
		if (member(&m, k))
			order[n++] = k;
	qsort_r(order, n, sizeof(*order), member_compare, &m);
	return n;
}

static double whole_share(struct quota_group *groups, const struct quota_members *m, double amount, uint32_t *order)
{
	uint32_t n = members_sort(*m, order), wanting = n;
	double before = amount;

	(void)groups;
	while (amount >= 1.0 && wanting > 0) {
		double each = fmax(1.0, floor(amount / wanting));

		wanting = 0;
		for (uint32_t i = 0; i < n && amount >= 1.0; i++) {
			struct quota_group *c = member(m, order[i]);
			double part = c ? fmin(c->open, each) : 0.0;

			if (!c)
				continue;
			member_take(c, part);
			amount -= part;
			wanting += c->open > 0.0;
		}
	}
	m->group->served |= m->group->gift > 0.0;
	m->group->wanted = positive(m->group->wanted - (before - amount));
	return amount;
}

/*
 * Cuts what it was allocated to whole slots: how much that was, and in *off how far the rest is
 * from them.
 */
static double cut(struct quota_group *g, double *off)
{
	double fraction = g->allocated - floor(g->allocated), unmet = g->unmet + fraction;

	*off = fmax(*off, fabs(unmet - rint(unmet)));
	g->allocated = floor(g->allocated);
	g->unmet = g->wanted = rint(unmet);
	g->tree_served = g->unmet > 0.0 ? g->last_served : INT64_MAX;
	g->served = g->demand <= 0.0;
	return fraction;
}

double quotas_round(struct quota_group *groups, size_t n, uint32_t *order)
{
	double off = 0.0;

	for (size_t i = n; i-- > 0;) {
		struct quota_group *g = &groups[i];
		double collected = cut(g, &off);

		for (struct quota_group *c = groups + g->first_child, *end = c + g->nchildren; c < end; c++) {
			collected += c->left;
			if (!c->accepts_surplus || c->wanted <= 0.0)
				continue;
			g->wanted += c->wanted;
			if (g->tree_served > c->tree_served)
				g->tree_served = c->tree_served;
		}
		g->left = tree_share(groups, g, collected, whole_share, order);
	}
	return off;
}

/* The cap */

double quotas_cap(const struct quota_group *groups, uint32_t group, const double *tree_used, double wanted, uint32_t *capped_by)
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
