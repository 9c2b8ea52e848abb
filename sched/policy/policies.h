/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known policies and the active one.
 *
 *     policies_create(&policies);
 *     policies_prepare(&policies, run, cell)	if this fails, nothing has changed
 *     policies_replace(&policies, run)		run->cell is that cell now
 *     policies_destroy(&policies, run);
 *
 * Rooms without a struct policies find the members of a policy with policies_of().
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

/* Return the i-th known policy. NULL: there are no more. */
const struct policy_kind *policies_kind(size_t i);
/* Return the policy that a value of `algorithm` names. NULL: it names none. */
const struct policy_kind *policies_find(const char *algorithm);
/* Return the policy that a cell selects: the first one if its `algorithm` names none. */
const struct policy_kind *policies_of(const struct cell *cell);
#define POLICIES_NAMES_BYTES 128
/*
 * Write the names of all policies with ", " between them, but `last` before the last one. Return
 * `text`.
 */
const char *policies_names(char text[POLICIES_NAMES_BYTES], const char *last);

#endif
