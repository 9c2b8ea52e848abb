/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known policies, and the one in force.
 *
 *     policies_create(&policies);
 *     policies_prepare(&policies, run, cell)	may fail, then nothing has changed
 *     policies_replace(&policies, run)		run->cell is that cell now
 *     policies_destroy(&policies, run);
 */
#ifndef SCHED_POLICY_POLICIES_H
#define SCHED_POLICY_POLICIES_H

#include "sched/policy/policy.h"

#define POLICIES_MOST 8

struct policies {
	struct policy *known[POLICIES_MOST];	/* those of the table in policies.c */
	size_t n;
	struct policy *in_force;
	struct row_keeper keepers[POLICIES_MOST];	/* those that keep rows */
	size_t nkeepers;
};

/* -ENOMEM. policies_destroy() in any case. */
int policies_create(struct policies *policies);
void policies_destroy(struct policies *policies, struct run *run);
int policies_prepare(struct policies *policies, struct run *run, const struct cell *cell);
void policies_replace(struct policies *policies, struct run *run);

#endif
