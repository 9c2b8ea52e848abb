/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair-share and association priority: computed over the tree at a pass, and for each class what it
 * gets of them.
 */
#include <errno.h>
#include <string.h>

#include "conf/array.h"
#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"

/* What has been looked at before usage changed (period.c) is not looked at again. */
static int compute(struct multifactor *m)
{
	const struct slurm_conf *conf = m->conf;
	const struct fair_tree_options options = { .merge_ties = conf->ties == TIES_DOCUMENTED,
						   .newest_first = conf->siblings == SIBLINGS_NEWEST_FIRST,
						   .places = conf->siblings == SIBLINGS_BY_NAME ? m->shown_at : NULL };
	bool oblivious = conf->method == FAIRSHARE_DEPTH_OBLIVIOUS;

	if (m->tree.n == 0)
		return 0;
	if (conf->method == FAIRSHARE_FAIR_TREE)
		return fair_tree(&m->tree, &options);
	classic_shares(&m->tree);
	if (conf->method == FAIRSHARE_2009) {
		factors_2009(&m->tree);
	} else {
		classic_user_usage(&m->tree, oblivious);
		classic_factors(&m->tree, conf->damping);
	}
	return 0;
}

static struct class_terms terms_of(const struct multifactor *m, const struct run *run, uint32_t class_id)
{
	const struct class_key *key = classes_key(&run->mirror->classes, class_id);

	return (struct class_terms){ .made = run->mirror->classes.made[class_id],
				     .association = multifactor_association(m, run, key->account, key->owner, NONE) };
}

static int reserve(struct multifactor *m, size_t n)
{
	size_t old = m->classes_capacity;

	if (n <= old)
		return 0;
	n += n / 4 + 64;
	if (array_grow(&m->classes, n, sizeof(*m->classes)))
		return -ENOMEM;
	memset(m->classes + old, 0, (n - old) * sizeof(*m->classes));
	m->classes_capacity = n;
	return 0;
}

void multifactor_class_terms(const struct multifactor *m, struct class_terms *terms)
{
	const struct slurm_conf *conf = m->conf;

	terms->assoc = terms->fairshare = 0.0;
	if (terms->association == NONE)
		return;
	if (conf->weight_assoc)
		terms->assoc = conf->weight_assoc * m->assoc_factors[terms->association];
	if (conf->weight_fairshare && !conf->no_storage)
		terms->fairshare = conf->weight_fairshare * m->tree.items[terms->association].factor;
}

int multifactor_tickets(struct multifactor *m, struct run *run)
{
	const struct classes *classes = &run->mirror->classes;

	if ((m->is_pass || m->stale) && compute(m))
		return -ENOMEM;
	m->stale = false;
	if (reserve(m, classes->pool.n))
		return -ENOMEM;
	pool_each(id, &classes->pool) {
		if (m->classes[id].made != classes->made[id])
			m->classes[id] = terms_of(m, run, id);
		multifactor_class_terms(m, &m->classes[id]);
	}
	return 0;
}
