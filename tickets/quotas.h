/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTCondor's hierarchical group quotas: what each accounting group may use. Sources: HTCondor's
 * manual, "Group Accounting" and "Accounting Groups with Hierarchical Group Quotas"; where it and
 * the program differ, the program (fairlead-condor(5)).
 *
 * Groups are in breadth-first order, the root first, siblings next to each other by name; the array
 * is the caller's. Weights of slots, >= 0 and finite. No function recurses or takes memory.
 *
 *     quotas_assign()        static and dynamic quotas become weights of the pool: once a cycle
 *     quotas_allocate()      demand is met by quotas, and by what others leave: each round
 *     quotas_round()         whole slots, where slots have no weights: behind it
 */
#ifndef TICKETS_QUOTAS_H
#define TICKETS_QUOTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quota_group {
	/* what the caller sets */
	uint32_t parent;		/* an earlier one; of the root itself */
	uint32_t first_child, nchildren;
	double configured;		/* static: weight; dynamic: part, 0..1 */
	bool is_static, accepts_surplus, autoregroup;
	double usage;			/* weight in use of its own submitters, when the round began */
	double demand;			/* weight running and idle of its own submitters */
	int64_t last_served;		/* cycle, of its last `served`; for quotas_round() */
	/* found */
	double quota, subtree_quota;
	double allocated;		/* of this round */
	double unmet;			/* of its own demand */
	double wanted;			/* the same, with what those below want that may be given more */
	bool served; /* quotas_round() has given it a slot, or it wants none: now is its last_served */
	/* of the functions' own */
	double gift, open, left;
	int64_t tree_served;
};

struct quota_rules {
	bool oversubscription;		/* NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION */
	bool weights;			/* NEGOTIATOR_USE_SLOT_WEIGHTS; the caller's */
};

/* quota, subtree_quota of all, from the weight of the pool. */
void quotas_assign(struct quota_group *groups, size_t n, double pool, const struct quota_rules *rules);
/* allocated, unmet, wanted of all, from `demand`, bottom up; returns what nobody takes. */
double quotas_allocate(struct quota_group *groups, size_t n);
/*
 * Behind it, without weights only: allocated, unmet, wanted become whole, and served is known.
 * Returns how far off whole numbers the largest value was; more than 1e-5 is worth a warning.
 * `order`: room for n numbers.
 */
double quotas_round(struct quota_group *groups, size_t n, uint32_t *order);

/*
 * NEGOTIATOR_STRICT_ENFORCE_QUOTA: how much more a group may get than it used when the round began,
 * at most `wanted`; `tree_used` is the weight that each group's subtree uses now. *capped_by: the
 * group whose quota it is, or UINT32_MAX.
 */
double quotas_cap(const struct quota_group *groups, uint32_t group, const double *tree_used, double wanted,
		  uint32_t *capped_by);

#endif
