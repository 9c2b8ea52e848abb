/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair-share and association priority: computed over the tree at a pass; each class gets its terms
 * from the tree.
 */
#include <errno.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"

/* Compute shares and factors, except the values computed before usage changed (period.c). */
static int compute(struct multifactor *multifactor)
{
	const struct slurm_conf *conf = multifactor->conf;
	const struct fair_tree_options options = { .merge_ties = conf->ties == TIES_DOCUMENTED,
						   .newest_first = conf->siblings == SIBLINGS_NEWEST_FIRST,
						   .places = conf->siblings == SIBLINGS_BY_NAME ? multifactor->shown_at
												: NULL };
	bool oblivious = conf->method == FAIRSHARE_DEPTH_OBLIVIOUS;

	if (multifactor->tree.n == 0)
		return 0;
	if (conf->method == FAIRSHARE_FAIR_TREE)
		return fair_tree(&multifactor->tree, &options);
	classic_shares(&multifactor->tree);
	if (conf->method == FAIRSHARE_2009) {
		factors_2009(&multifactor->tree);
	} else {
		classic_user_usage(&multifactor->tree, oblivious);
		classic_factors(&multifactor->tree, conf->damping);
	}
	return 0;
}

static struct class_terms terms_of(const struct multifactor *multifactor, const struct run *run, uint32_t class_id)
{
	const struct class_key *key = classes_key(&run->mirror->classes, class_id);

	return (struct class_terms){ .made = run->mirror->classes.made[class_id],
				     .association = multifactor_association(multifactor, run, key->account, key->owner,
									    NONE) };
}

static int reserve(struct multifactor *multifactor, size_t n)
{
	size_t old = multifactor->classes_capacity;

	if (n <= old)
		return 0;
	if (array_reserve(&multifactor->classes_capacity, n, COLUMN(multifactor->classes)))
		return -ENOMEM;
	memset(multifactor->classes + old, 0, (multifactor->classes_capacity - old) * sizeof(*multifactor->classes));
	return 0;
}

void multifactor_class_terms(const struct multifactor *multifactor, struct class_terms *terms)
{
	const struct slurm_conf *conf = multifactor->conf;

	terms->assoc = terms->fairshare = 0.0;
	if (terms->association == NONE)
		return;
	if (conf->weight_assoc)
		terms->assoc = conf->weight_assoc * multifactor->assoc_factors[terms->association];
	if (conf->weight_fairshare && !conf->no_storage)
		terms->fairshare = conf->weight_fairshare * multifactor->tree.items[terms->association].factor;
}

int multifactor_tickets(struct multifactor *multifactor, struct run *run)
{
	const struct classes *classes = &run->mirror->classes;

	if ((multifactor->is_pass || multifactor->stale) && compute(multifactor))
		return -ENOMEM;
	multifactor->stale = false;
	if (reserve(multifactor, classes->pool.n))
		return -ENOMEM;
	pool_each(id, &classes->pool) {
		if (multifactor->classes[id].made != classes->made[id])
			multifactor->classes[id] = terms_of(multifactor, run, id);
		multifactor_class_terms(multifactor, &multifactor->classes[id]);
	}
	return 0;
}
