/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of dispatch, checked after each start: no instance gives more slots than it has,
 * no consumable goes below zero, no quota is exceeded. They can only fail by a defect of ours; then
 * the order is withheld. What a start does not use may be beyond its limit: somebody may have
 * lowered that while jobs ran.
 */
#include <math.h>
#include <stddef.h>

#include "sched/dispatch/dispatch.h"

/* Sums of fractions are rounded: 10 x 0.6 may be a little more than 6. */
static bool within(double used, double limit)
{
	return used <= limit + 1e-9 * fmax(fabs(limit), 1.0);
}

static bool object_holds(const struct dispatch *d, const struct category *category, enum level level, uint32_t object)
{
	const struct cluster *c = &d->cluster;

	for (size_t k = 0; k < c->nconsumables; k++) {
		struct column *column = &c->columns[c->consumables[k]];
		const struct offer *o = category_offer(c, category, column, level, object);

		if (!o || !o->fixed_text || (category->need[k] == 0 && column->complex->relop != RELOP_EXCL))
			continue;
		if (column->complex->relop == RELOP_EXCL ? o->fixed != 0 && o->used > 0 && o->shared > 0 : !within(o->used, o->fixed))
			return false;
	}
	return true;
}

static bool quotas_hold(const struct dispatch *d, const struct category *category, const struct category_pe *with, uint32_t instance)
{
	const struct queue_instance *i = &d->cluster.instances[instance];
	size_t n = quota_rules(d->quotas, &with->view, i->queue, i->host, d->hits);
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(d->quotas, d->hits[h], &with->view, i->queue, i->host, k, &limit) == 0; k++)
			if (limit_use(d, category, limit.complex, 1, true) > 0 && !within(limit.count->used, limit.value))
				return false;
	return true;
}

bool invariants_hold(const struct dispatch *d, const struct category *category, const struct grant *g)
{
	const struct category_pe *with = category_pe_of(category, g->pe);
	bool holds = object_holds(d, category, LEVEL_GLOBAL, 0);

	for (size_t i = 0; i < g->n && holds; i++)
		holds = object_holds(d, category, LEVEL_HOST, d->cluster.instances[g->entries[i].instance].host) &&
			object_holds(d, category, LEVEL_QUEUE, g->entries[i].instance) && quotas_hold(d, category, with, g->entries[i].instance);
	return holds && (g->pe == UINT32_MAX || d->pes[g->pe].used <= d->cell->pes[g->pe].slots);
}
