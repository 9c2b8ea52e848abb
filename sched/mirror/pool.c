/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"

void pool_create(struct pool *pool, size_t key_bytes)
{
	*pool = (struct pool){ .key_bytes = key_bytes };
}

void pool_destroy(struct pool *pool)
{
	free(pool->keys);
	free(pool->hashes);
	free(pool->holders);
	index_free(&pool->index);
	free(pool->free_ids);
	*pool = (struct pool){ 0 };
}

void pool_clear(struct pool *pool)
{
	index_clear(&pool->index);
	pool->n = pool->nfree = pool->used = 0;
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

const void *pool_key(const struct pool *pool, uint32_t id)
{
	return pool->keys + (size_t)id * pool->key_bytes;
}

static uint32_t find(const struct pool *pool, const void *key, uint32_t hash)
{
	uint32_t id;

	index_search(id, &pool->index, hash,
		     pool->hashes[id] == hash && memcmp(pool_key(pool, id), key, pool->key_bytes) == 0);
	return id;
}

uint32_t pool_find(const struct pool *pool, const void *key)
{
	return find(pool, key, hash_of(key, pool->key_bytes));
}

static int columns_reserve(struct pool *pool, size_t n)
{
	return array_reserve(&pool->capacity, n, COLUMN_OF(pool->keys, pool->key_bytes), COLUMN(pool->hashes),
			     COLUMN(pool->holders), COLUMN(pool->free_ids));
}

int pool_reserve(struct pool *pool)
{
	if (pool->nfree == 0 && columns_reserve(pool, pool->n + 1))
		return -ENOMEM;
	return index_reserve(&pool->index, pool->hashes);
}

uint32_t pool_hold(struct pool *pool, const void *key, bool *is_new)
{
	uint32_t hash = hash_of(key, pool->key_bytes), id = find(pool, key, hash);

	*is_new = false;
	if (id != INDEX_NONE) {
		pool->holders[id]++;
		return id;
	}
	if (pool_reserve(pool))
		return INDEX_NONE;
	id = pool->nfree > 0 ? pool->free_ids[--pool->nfree] : (uint32_t)pool->n++;
	memcpy(pool->keys + (size_t)id * pool->key_bytes, key, pool->key_bytes);
	pool->hashes[id] = hash;
	pool->holders[id] = 1;
	index_insert(&pool->index, pool->hashes, id);
	pool->used++;
	*is_new = true;
	return id;
}

static int arrange(struct pool *pool, unsigned char *is_free, size_t n, const uint32_t *free_ids, size_t nfree)
{
	for (size_t i = 0; i < nfree; i++) {
		if (free_ids[i] >= n || is_free[free_ids[i]])
			return -EINVAL;
		is_free[free_ids[i]] = 1;
		pool->free_ids[i] = free_ids[i];
	}
	pool->nfree = nfree;
	for (size_t id = n; id-- > 0;)
		if (!is_free[id])
			pool->free_ids[pool->nfree++] = (uint32_t)id;
	memset(pool->keys, 0xff, n * pool->key_bytes);
	memset(pool->holders, 0, n * sizeof(*pool->holders));
	pool->n = n;
	return 0;
}

int pool_arrange(struct pool *pool, size_t n, const uint32_t *free_ids, size_t nfree)
{
	unsigned char *is_free;
	int rc;

	if (pool->n > 0 || nfree > n || n >= INDEX_NONE)
		return -EINVAL;
	if (n == 0)
		return 0;
	if (columns_reserve(pool, n))
		return -ENOMEM;
	is_free = calloc(n, 1);
	rc = is_free ? arrange(pool, is_free, n, free_ids, nfree) : -ENOMEM;
	free(is_free);
	if (rc)
		pool->nfree = 0;
	return rc;
}

bool pool_drop(struct pool *pool, uint32_t id)
{
	if (--pool->holders[id] > 0)
		return false;
	index_remove_row(&pool->index, pool->hashes, id);
	pool->used--;
	memset(pool->keys + (size_t)id * pool->key_bytes, 0xff, pool->key_bytes);
	pool->free_ids[pool->nfree++] = id;
	return true;
}
