/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered records that many jobs share, with reference counts. Each distinct key is stored once,
 * under a number that is valid as long as the record is held. Keys are plain words without padding.
 *
 * The data of a record besides its key is made before pool_hold(), so that a walk over the pool
 * sees only complete records. A record that may be refused is not held until it can no longer be
 * refused:
 *
 *     if (pool_reserve(p)) ...			-ENOMEM
 *     if (pool_find(p, key) == UINT32_MAX)	... make its data; an error changes nothing
 *     id = pool_hold(p, key, &is_new);		cannot fail
 *
 * Walk with pool_each(). Numbers between live records may contain old data.
 */
#ifndef SCHED_MIRROR_POOL_H
#define SCHED_MIRROR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/index.h"

struct pool {
	unsigned char *keys;		/* key_bytes each */
	uint32_t *hashes;		/* hash of each key */
	uint32_t *holders;		/* 0: free */
	uint32_t *free_ids;
	struct index index;
	size_t key_bytes, n, capacity, nfree, used;
};

/* Create a pool. The caller keeps the data of records besides the key, in arrays by number. */
void pool_create(struct pool *pool, size_t key_bytes);
void pool_destroy(struct pool *pool);
void pool_clear(struct pool *pool);	/* forget all holders; numbers begin at 0 again */

/*
 * Reserve memory for one more key, so that the next pool_hold() cannot fail and returns a number
 * below `capacity`. -ENOMEM.
 */
int pool_reserve(struct pool *pool);
/*
 * Hold the record of a key and return its number. *is_new is set if it had no holder before.
 * UINT32_MAX: no memory.
 */
uint32_t pool_hold(struct pool *pool, const void *key, bool *is_new);
/* Return the number of a key that is held. UINT32_MAX: not held. */
uint32_t pool_find(const struct pool *pool, const void *key);
/* Release a record. true: it was the last holder, and the number may be used again. */
bool pool_drop(struct pool *pool, uint32_t id);
/* Return the key of a held record. The key of a free number has all bits set. */
const void *pool_key(const struct pool *pool, uint32_t id);
static inline bool pool_alive(const struct pool *pool, uint32_t id)
{
	return id < pool->n && pool->holders[id] > 0;
}

/*
 * Give an empty pool the numbering of another pool, which had numbers below `n` and these free
 * ones. The last free number is used first. Records that are held first get the other numbers,
 * ascending. So data in the order of numbers has the order of the other pool. -EINVAL: impossible
 * numbers; -ENOMEM.
 */
int pool_arrange(struct pool *pool, size_t n, const uint32_t *free_ids, size_t nfree);

/* Return the first held record from `id` on. pool->n: none. */
static inline uint32_t pool_next(const struct pool *pool, uint32_t id)
{
	while (id < pool->n && pool->holders[id] == 0)
		id++;
	return id;
}

/* Walk over all held records by number. The body may drop the current one. */
#define pool_each(ID, POOL) for (uint32_t ID = pool_next((POOL), 0); ID < (POOL)->n; ID = pool_next((POOL), ID + 1))

#endif
