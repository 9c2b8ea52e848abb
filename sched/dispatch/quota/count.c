/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/quota/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/timeline/timeline.h"

static uint32_t hash_key(const struct quota_key *key)
{
	uint64_t hash = key->limit;

	for (int k = 0; k < QUOTA_KINDS; k++)
		hash = (hash ^ hash >> 29 ^ key->part[k]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash >> 32);
}

static int reserve(struct quota_counts *counts)
{
	size_t capacity = counts->capacity ? 2 * counts->capacity : 64;

	if (counts->n == counts->capacity) {
		if (capacity > UINT32_MAX || array_grow(&counts->items, capacity, sizeof(*counts->items)) ||
		    array_grow(&counts->hashes, capacity, sizeof(*counts->hashes)))
			return -ENOMEM;
		counts->capacity = capacity;
	}
	return index_reserve(&counts->index, counts->hashes);
}

int quota_counts_get(struct quota_counts *counts, const struct quota_key *key, struct quota_count **count)
{
	uint32_t hash = hash_key(key), row;

	index_search(row, &counts->index, hash,
		     counts->hashes[row] == hash && memcmp(&counts->items[row].key, key, sizeof(*key)) == 0);
	if (row == INDEX_NONE) {
		if (reserve(counts))
			return -ENOMEM;
		row = (uint32_t)counts->n++;
		counts->hashes[row] = hash;
		counts->items[row] = (struct quota_counted){ .key = *key, .count = { .line = TIMELINE_EMPTY } };
		index_insert(&counts->index, counts->hashes, row);
	}
	*count = &counts->items[row].count;
	return 0;
}

void quota_counts_clear(struct quota_counts *counts)
{
	index_clear(&counts->index);
	counts->n = 0;
}

void quota_counts_free(struct quota_counts *counts)
{
	index_free(&counts->index);
	free(counts->hashes);
	free(counts->items);
	*counts = (struct quota_counts){ 0 };
}
