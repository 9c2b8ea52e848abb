/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/quota/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/timeline/timeline.h"

static uint32_t hash_key(const struct quota_key *key)
{
	uint64_t hash = key->limit;

	for (int k = 0; k < QUOTA_KINDS; k++)
		hash = (hash ^ hash >> 29 ^ key->part[k]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash >> 32);
}

static int reserve(struct quota_counts *c)
{
	size_t capacity = c->capacity ? 2 * c->capacity : 64;

	if (c->n == c->capacity) {
		if (capacity > UINT32_MAX || array_grow(&c->items, capacity, sizeof(*c->items)) ||
		    array_grow(&c->hashes, capacity, sizeof(*c->hashes)))
			return -ENOMEM;
		c->capacity = capacity;
	}
	return index_reserve(&c->index, c->hashes);
}

int quota_counts_get(struct quota_counts *c, const struct quota_key *key, struct quota_count **count)
{
	uint32_t hash = hash_key(key), row;

	index_search(row, &c->index, hash, c->hashes[row] == hash && memcmp(&c->items[row].key, key, sizeof(*key)) == 0);
	if (row == INDEX_NONE) {
		if (reserve(c))
			return -ENOMEM;
		row = (uint32_t)c->n++;
		c->hashes[row] = hash;
		c->items[row] = (struct quota_counted){ .key = *key, .count = { .line = TIMELINE_EMPTY } };
		index_insert(&c->index, c->hashes, row);
	}
	*count = &c->items[row].count;
	return 0;
}

void quota_counts_clear(struct quota_counts *c)
{
	index_clear(&c->index);
	c->n = 0;
}

void quota_counts_free(struct quota_counts *c)
{
	index_free(&c->index);
	free(c->hashes);
	free(c->items);
	*c = (struct quota_counts){ 0 };
}
