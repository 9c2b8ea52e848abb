/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/grant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/cluster/cluster.h"

void grant_clear(struct grant *grant)
{
	grant->n = 0;
	grant->pe = UINT32_MAX;
	grant->slots = grant->violations = 0;
	grant->unadjusted = false;
}

int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head)
{
	size_t at;

	for (size_t i = 0; i < grant->n; i++)
		if (grant->entries[i].instance == instance) {
			grant->entries[i].slots += slots;
			return 0;
		}
	if (grant->n == grant->capacity) {
		size_t capacity = 2 * grant->capacity + 4;

		if (array_grow(&grant->entries, capacity, sizeof(*grant->entries)))
			return -ENOMEM;
		grant->capacity = capacity;
	}
	at = at_head ? 0 : grant->n;
	memmove(&grant->entries[at + 1], &grant->entries[at], (grant->n - at) * sizeof(*grant->entries));
	grant->entries[at] = (struct grant_entry){ instance, slots };
	grant->n++;
	return 0;
}

static bool counts_hosts(const struct cluster *cluster)
{
	bool any = false;

	for (size_t k = 0; k < cluster->nconsumables; k++)
		any |= cluster->columns[cluster->consumables[k]].complex->consumable == CONSUMABLE_HOST;
	return any;
}

/* Return whether no entry before entry i is on its host. The search takes time for large jobs. */
static bool is_first_on_host(const struct cluster *cluster, const struct grant *grant, size_t i)
{
	uint32_t host = cluster->instances[grant->entries[i].instance].host;
	size_t before = 0;

	while (before < i && cluster->instances[grant->entries[before].instance].host != host)
		before++;
	return before == i;
}

struct grant_share grant_share(const struct cluster *cluster, const struct grant *grant, size_t i)
{
	return (struct grant_share){ grant->entries[i].slots, i == 0,
				     !counts_hosts(cluster) || is_first_on_host(cluster, grant, i) };
}

double grant_share_amount(const struct complex *complex, double need, struct grant_share share)
{
	switch (complex->consumable) {
	case CONSUMABLE_JOB:
		return share.is_master ? need : 0.0;
	case CONSUMABLE_HOST:
		return share.is_first ? need : 0.0;
	default:
		return need * share.slots;
	}
}

void grant_free(struct grant *grant)
{
	free(grant->entries);
	*grant = (struct grant){ 0 };
}
