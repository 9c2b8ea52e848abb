/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/billable.h"

#include <string.h>

static bool competes(const struct billable_rule *rule, const char *name)
{
	if (strncmp(name, "gres/", 5) == 0)
		return !rule->max_with_gres_added;
	return strcmp(name, "cpu") == 0 || strcmp(name, "mem") == 0 || strcmp(name, "node") == 0;
}

double billable(const struct billable_rule *rule, const double *counts)
{
	bool any = rule->max || rule->max_with_gres_added;
	double sum = 0.0, dearest = 0.0;

	for (size_t i = 0; i < rule->n; i++) {
		double cost = rule->weights[i] * counts[i];

		if (!any || !competes(rule, rule->names[i]))
			sum += cost;
		else if (cost > dearest)
			dearest = cost;
	}
	return sum + dearest;
}
