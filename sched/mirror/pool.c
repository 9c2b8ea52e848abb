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

void pool_clear(struct pool *p)
{
	index_clear(&p->index);
	p->n = p->nfree = p->used = 0;
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

static int arrange(struct pool *p, unsigned char *is_free, size_t n, const uint32_t *free_ids, size_t nfree)
{
	for (size_t i = 0; i < nfree; i++) {
		if (free_ids[i] >= n || is_free[free_ids[i]])
			return -EINVAL;
		is_free[free_ids[i]] = 1;
		p->free_ids[i] = free_ids[i];
	}
	p->nfree = nfree;
	for (size_t id = n; id-- > 0;)
		if (!is_free[id])
			p->free_ids[p->nfree++] = (uint32_t)id;
	memset(p->keys, 0xff, n * p->key_bytes);
	memset(p->holders, 0, n * sizeof(*p->holders));
	p->n = n;
	return 0;
}

int pool_arrange(struct pool *p, size_t n, const uint32_t *free_ids, size_t nfree)
{
	unsigned char *is_free;
	int rc;

	if (p->n > 0 || nfree > n || n >= INDEX_NONE)
		return -EINVAL;
	if (n == 0)
		return 0;
	if (n > p->capacity) {
		if (array_grow(&p->keys, n, p->key_bytes) || array_grow(&p->hashes, n, sizeof(uint32_t)) ||
		    array_grow(&p->holders, n, sizeof(uint32_t)) || array_grow(&p->free_ids, n, sizeof(uint32_t)))
			return -ENOMEM;
		p->capacity = n;
	}
	is_free = calloc(n, 1);
	rc = is_free ? arrange(p, is_free, n, free_ids, nfree) : -ENOMEM;
	free(is_free);
	if (rc)
		p->nfree = 0;
	return rc;
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
