/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policies.h"

#include <errno.h>
#include <string.h>

#include "sched/policy/gridengine/gridengine.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/policy/userprio/userprio.h"

/* The first policy is active if `algorithm` names none of them. */
static const struct policy_kind *const kinds[] = {
	&gridengine_policy,
	&multifactor_policy,
	&userprio_policy,
};

#define POLICIES (sizeof(kinds) / sizeof(*kinds))
_Static_assert(POLICIES <= POLICIES_MOST, "POLICIES_MOST is too small");

static size_t chosen(const struct cell *cell)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (strcmp(cell->sched.algorithm, kinds[i]->name) == 0)
			return i;
	return 0;
}

int policies_create(struct policies *policies)
{
	*policies = (struct policies){ 0 };
	for (size_t i = 0; i < POLICIES; i++) {
		policies->known[i] = kinds[i]->create();
		if (!policies->known[i])
			return -ENOMEM;
		policies->n++;
		policies->known[i]->kind = kinds[i];
		if (kinds[i]->rows)
			policies->keepers[policies->nkeepers++] =
				(struct row_keeper){ policies->known[i], kinds[i]->rows };
	}
	return 0;
}

void policies_destroy(struct policies *policies, struct run *run)
{
	while (policies->n > 0) {
		struct policy *last = policies->known[--policies->n];

		last->kind->destroy(last, run);
	}
	*policies = (struct policies){ 0 };
}

int policies_prepare(struct policies *policies, struct run *run, const struct cell *cell)
{
	for (size_t i = 0; i < policies->n; i++)
		if (kinds[i]->prepare && kinds[i]->prepare(policies->known[i], run, i == chosen(cell) ? cell : NULL))
			return -ENOMEM;
	return 0;
}

void policies_replace(struct policies *policies, struct run *run)
{
	size_t in_force = chosen(run->cell);

	for (size_t i = 0; i < policies->n; i++)
		if (kinds[i]->replace)
			kinds[i]->replace(policies->known[i], run, i == in_force ? run->cell : NULL);
	policies->in_force = policies->known[in_force];
}
