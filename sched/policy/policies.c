/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policies.h"

#include <errno.h>
#include <stdio.h>
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

static size_t index_of(const char *algorithm)
{
	size_t i = 0;

	while (i < POLICIES && strcmp(algorithm, kinds[i]->name) != 0)
		i++;
	return i;
}

static size_t chosen(const struct cell *cell)
{
	size_t i = index_of(cell->sched.algorithm);

	return i < POLICIES ? i : 0;
}

const struct policy_kind *policies_kind(size_t i)
{
	return i < POLICIES ? kinds[i] : NULL;
}

const struct policy_kind *policies_find(const char *algorithm)
{
	return policies_kind(index_of(algorithm));
}

const struct policy_kind *policies_of(const struct cell *cell)
{
	return kinds[chosen(cell)];
}

const char *policies_names(char text[POLICIES_NAMES_BYTES], const char *last)
{
	for (size_t i = 0, n = 0; i < POLICIES && n < POLICIES_NAMES_BYTES; i++)
		n += (size_t)snprintf(text + n, POLICIES_NAMES_BYTES - n, "%s%s",
				      i == 0		  ? ""
				      : i + 1 < POLICIES ? ", "
							  : last,
				      kinds[i]->name);
	return text;
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
