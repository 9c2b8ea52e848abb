/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policies.h"

#include <errno.h>
#include <string.h>

#include "sched/policy/gridengine/gridengine.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/policy/userprio/userprio.h"

/* The first one is in force where `algorithm` names none of them. */
static const struct policy_kind *const kinds[] = {
	&gridengine_policy,
	&multifactor_policy,
	&userprio_policy,
};

#define POLICIES (sizeof(kinds) / sizeof(*kinds))
_Static_assert(POLICIES <= POLICIES_MOST, "there is room for all of them");

static size_t chosen(const struct cell *cell)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (strcmp(cell->sched.algorithm, kinds[i]->name) == 0)
			return i;
	return 0;
}

int policies_create(struct policies *p)
{
	*p = (struct policies){ 0 };
	for (size_t i = 0; i < POLICIES; i++) {
		p->known[i] = kinds[i]->create();
		if (!p->known[i])
			return -ENOMEM;
		p->n++;
		p->known[i]->kind = kinds[i];
		if (kinds[i]->rows)
			p->keepers[p->nkeepers++] = (struct row_keeper){ p->known[i], kinds[i]->rows };
	}
	return 0;
}

void policies_destroy(struct policies *p, struct run *run)
{
	while (p->n > 0) {
		struct policy *last = p->known[--p->n];

		last->kind->destroy(last, run);
	}
	*p = (struct policies){ 0 };
}

int policies_prepare(struct policies *p, struct run *run, const struct cell *cell)
{
	for (size_t i = 0; i < p->n; i++)
		if (kinds[i]->prepare && kinds[i]->prepare(p->known[i], run, i == chosen(cell) ? cell : NULL))
			return -ENOMEM;
	return 0;
}

void policies_replace(struct policies *p, struct run *run)
{
	size_t in_force = chosen(run->cell);

	for (size_t i = 0; i < p->n; i++)
		if (kinds[i]->replace)
			kinds[i]->replace(p->known[i], run, i == in_force ? run->cell : NULL);
	p->in_force = p->known[in_force];
}
