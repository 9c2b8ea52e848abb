/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's hierarchical group quotas: how much each accounting group may use. Sources: HTCondor's
 * manual, "Group Accounting" and "Accounting Groups with Hierarchical Group Quotas"; where program
 * and manual differ, the program counts (fairlead-condor(5)).
 *
 * Groups are in breadth-first order, the root first, siblings next to each other and sorted by
 * name. The caller owns the array. Weights of slots are finite and >= 0. No function recurses or
 * allocates memory.
 *
 *     quotas_assign()        static and dynamic quotas become weights of the pool: once per cycle
 *     quotas_allocate()      allocate quotas to demand, and share the surplus: each round
 *     quotas_round()         whole slots, if slots have no weights: after quotas_allocate()
 */
#ifndef TICKETS_QUOTAS_H
#define TICKETS_QUOTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quota_group {
	/* input, set by the caller */
	uint32_t parent;		/* index of an earlier group; the root is its own parent */
	uint32_t first_child, nchildren;
	double configured;		/* static: weight; dynamic: fraction, 0..1 */
	bool is_static, accepts_surplus, autoregroup;
	/* weight used by its own submitters at the beginning of the round */
	double usage;
	double demand;			/* weight running and idle of its own submitters */
	int64_t last_served;		/* cycle of its last `served`; for quotas_round() */
	/* results */
	double quota, subtree_quota;
	double allocated;		/* in this round */
	double unmet;			/* part of its own demand */
	double wanted;			/* unmet, plus the same of groups below that accept more */
	/* quotas_round() has given it a slot, or it wants none: set last_served to this cycle */
	bool served;
	/* private */
	double gift, open, left;
	int64_t tree_served;
};

struct quota_rules {
	bool oversubscription;		/* NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION */
	bool weights;			/* NEGOTIATOR_USE_SLOT_WEIGHTS; used by the caller */
};

/* Set quota and subtree_quota of all groups from the weight of the pool. */
void quotas_assign(struct quota_group *groups, size_t n, double pool, const struct quota_rules *rules);
/*
 * Set allocated, unmet and wanted of all groups from `demand`, bottom up. Return the rest that no
 * group takes.
 */
double quotas_allocate(struct quota_group *groups, size_t n);
/*
 * Round to whole slots, after quotas_allocate() and only without weights: allocated, unmet and
 * wanted become whole numbers, and `served` is set. Return the largest distance of a value from a
 * whole number; more than 1e-5 is worth a warning. `order` needs room for n numbers.
 */
double quotas_round(struct quota_group *groups, size_t n, uint32_t *order);

/*
 * NEGOTIATOR_STRICT_ENFORCE_QUOTA: return how much more a group may get than it used at the
 * beginning of the round, at most `wanted`. `tree_used` is the weight that each group's subtree
 * uses now. *capped_by is set to the group with the limiting quota, or UINT32_MAX.
 */
double quotas_cap(const struct quota_group *groups, uint32_t group, const double *tree_used, double wanted,
		  uint32_t *capped_by);

#endif
