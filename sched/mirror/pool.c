/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

void pool_create(struct pool *p, size_t key_bytes)
{
	*p = (struct pool){ .key_bytes = key_bytes };
}

void pool_destroy(struct pool *p)
{
	free(p->keys);
	free(p->hashes);
	free(p->holders);
	index_free(&p->index);
	free(p->free_ids);
	*p = (struct pool){ 0 };
}

static uint32_t hash_of(const void *key, size_t bytes)
{
	uint64_t h = 0xcbf29ce484222325u;
	uint32_t word;

	for (size_t i = 0; i + sizeof(word) <= bytes; i += sizeof(word)) {
		memcpy(&word, (const char *)key + i, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return (uint32_t)(h >> 32);
}

const void *pool_key(const struct pool *p, uint32_t id)
{
	return p->keys + (size_t)id * p->key_bytes;
}

static uint32_t find(const struct pool *p, const void *key, uint32_t hash)
{
	uint32_t id;

	index_search(id, &p->index, hash, p->hashes[id] == hash && memcmp(pool_key(p, id), key, p->key_bytes) == 0);
	return id;
}

uint32_t pool_find(const struct pool *p, const void *key)
{
	return find(p, key, hash_of(key, p->key_bytes));
}

int pool_reserve(struct pool *p)
{
	size_t capacity = p->capacity ? 2 * p->capacity : 64;

	if (p->nfree == 0 && p->n == p->capacity) {
		if (array_grow(&p->keys, capacity, p->key_bytes) || array_grow(&p->hashes, capacity, sizeof(uint32_t)) ||
		    array_grow(&p->holders, capacity, sizeof(uint32_t)) || array_grow(&p->free_ids, capacity, sizeof(uint32_t)))
			return -ENOMEM;
		p->capacity = capacity;
	}
	return index_reserve(&p->index, p->hashes);
}

uint32_t pool_hold(struct pool *p, const void *key, bool *is_new)
{
	uint32_t hash = hash_of(key, p->key_bytes), id = find(p, key, hash);

	*is_new = false;
	if (id != INDEX_NONE) {
		p->holders[id]++;
		return id;
	}
	if (pool_reserve(p))
		return INDEX_NONE;
	id = p->nfree > 0 ? p->free_ids[--p->nfree] : (uint32_t)p->n++;
	memcpy(p->keys + (size_t)id * p->key_bytes, key, p->key_bytes);
	p->hashes[id] = hash;
	p->holders[id] = 1;
	index_insert(&p->index, p->hashes, id);
	p->used++;
	*is_new = true;
	return id;
}

bool pool_drop(struct pool *p, uint32_t id)
{
	if (--p->holders[id] > 0)
		return false;
	index_remove_row(&p->index, p->hashes, id);
	p->used--;
	memset(p->keys + (size_t)id * p->key_bytes, 0xff, p->key_bytes);
	p->free_ids[p->nfree++] = id;
	return true;
}
