/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/associations.h"

static long double norm_usage_2009(long double usage, double capacity)
{
	long double part = capacity > 0.0 ? usage / capacity : 0.0L;

	return part < 1.0L ? part : 1.0L;
}

void usage_2009(struct association_tree *tree, double capacity)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		tree->items[i].norm_usage = norm_usage_2009(tree->items[i].usage, capacity);
		tree->items[i].effective_usage = classic_effective_usage(tree, i);
	}
}

void factors_2009(struct association_tree *tree)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct association *source = classic_factor_source(tree, i);

		tree->items[i].factor = (source->norm_shares - (double)source->effective_usage + 1.0) / 2.0;
		tree->items[i].level_fs = 0.0;
		tree->items[i].rank = 0;
	}
}
