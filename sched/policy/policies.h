/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known policies and the active one.
 *
 *     policies_create(&policies);
 *     policies_prepare(&policies, run, cell)	if this fails, nothing has changed
 *     policies_replace(&policies, run)		run->cell is that cell now
 *     policies_destroy(&policies, run);
 */
#ifndef SCHED_POLICY_POLICIES_H
#define SCHED_POLICY_POLICIES_H

#include "sched/policy/policy.h"

#define POLICIES_MOST 8

struct policies {
	struct policy *known[POLICIES_MOST];	/* in the order of the table in policies.c */
	size_t n;
	struct policy *in_force;
	struct row_keeper keepers[POLICIES_MOST];	/* policies that keep rows */
	size_t nkeepers;
};

/* Create all known policies. -ENOMEM. Call policies_destroy() in any case. */
int policies_create(struct policies *policies);
void policies_destroy(struct policies *policies, struct run *run);
int policies_prepare(struct policies *policies, struct run *run, const struct cell *cell);
void policies_replace(struct policies *policies, struct run *run);

#endif
