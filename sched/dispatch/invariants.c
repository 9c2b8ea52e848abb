/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/invariants.h"

#include <math.h>
#include <stddef.h>

/* Compare with tolerance. Sums of fractions are rounded: 10 x 0.6 may be slightly more than 6. */
static bool within(double used, double limit)
{
	return used <= limit + 1e-9 * fmax(fabs(limit), 1.0);
}

static bool object_holds(const struct supply *supply, const struct category *category, enum level level,
			 uint32_t object)
{
	const struct cluster *cluster = &supply->cluster;

	for (size_t k = 0; k < cluster->nconsumables; k++) {
		struct column *column = &cluster->columns[cluster->consumables[k]];
		const struct offer *offer = category_offer(cluster, category, column, level, object);

		if (!offer || !offer->fixed_text || (category->need[k] == 0 && column->complex->relop != RELOP_EXCL))
			continue;
		if (column->complex->relop == RELOP_EXCL ? offer->fixed != 0 && offer->used > 0 && offer->shared > 0
							 : !within(offer->used, offer->fixed))
			return false;
	}
	return true;
}

static bool quotas_hold(const struct supply *supply, const struct category *category,
			const struct category_pe *with, uint32_t instance)
{
	const struct queue_instance *queue_instance = &supply->cluster.instances[instance];
	size_t n =
		quota_rules(supply->quotas, &with->view, queue_instance->queue, queue_instance->host, supply->hits);
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(supply->quotas, supply->hits[h], &with->view, queue_instance->queue,
					       queue_instance->host, k, &limit) == 0;
		     k++)
			if (limit_use(supply, category, limit.complex, 1, true) > 0 &&
			    !within(limit.count->used, limit.value))
				return false;
	return true;
}

bool invariants_hold(const struct supply *supply, const struct category *category, const struct grant *grant)
{
	const struct category_pe *with = category_pe_of(category, grant->pe);
	bool holds = object_holds(supply, category, LEVEL_GLOBAL, 0);

	for (size_t i = 0; i < grant->n && holds; i++)
		holds = object_holds(supply, category, LEVEL_HOST,
				     supply->cluster.instances[grant->entries[i].instance].host) &&
			object_holds(supply, category, LEVEL_QUEUE, grant->entries[i].instance) &&
			quotas_hold(supply, category, with, grant->entries[i].instance);
	return holds &&
	       (grant->pe == UINT32_MAX || supply->pes[grant->pe].used <= supply->cell->pes[grant->pe].slots);
}
