/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered records that are alike for many jobs, counted by their holders: each distinct key once,
 * under a number that stays as long as somebody holds it. Keys are plain words without padding.
 *
 * What belongs to a record besides its key is made before pool_hold(): whoever walks over the pool
 * meets records that are complete. A record that may be refused is not held until nothing can
 * refuse it any more:
 *
 *     if (pool_reserve(p)) ...			-ENOMEM
 *     if (pool_find(p, key) == UINT32_MAX) ...	make what belongs to it; an error changes nothing
 *     id = pool_hold(p, key, &is_new);		cannot fail
 *
 * Walk with pool_each(): numbers between those of living records may be anybody's leftovers.
 */
#ifndef SCHED_MIRROR_POOL_H
#define SCHED_MIRROR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/index.h"

struct pool {
	unsigned char *keys;		/* key_bytes each */
	uint32_t *hashes;		/* of the keys */
	uint32_t *holders;		/* 0: free */
	uint32_t *free_ids;
	struct index index;
	size_t key_bytes, n, capacity, nfree, used;
};

/* What a record needs besides its key is the caller's, in arrays by number. */
void pool_create(struct pool *pool, size_t key_bytes);
void pool_destroy(struct pool *pool);
void pool_clear(struct pool *pool);	/* nobody holds anything any more; numbers begin anew */

/*
 * Room for one more key, so that the next pool_hold() cannot fail and gives a number below
 * `capacity`. -ENOMEM.
 */
int pool_reserve(struct pool *pool);
/*
 * The number of a key, held once more. *is_new tells that it had no holder before. -> UINT32_MAX:
 * no memory.
 */
uint32_t pool_hold(struct pool *pool, const void *key, bool *is_new);
/* The number of a key that somebody holds; UINT32_MAX: nobody does. */
uint32_t pool_find(const struct pool *pool, const void *key);
/* One holder less; true if that was the last one: the number may be given out again. */
bool pool_drop(struct pool *pool, uint32_t id);
/* of one that is held; else all its bits are set */
const void *pool_key(const struct pool *pool, uint32_t id);
static inline bool pool_alive(const struct pool *pool, uint32_t id)
{
	return id < pool->n && pool->holders[id] > 0;
}

/*
 * An empty pool gets the places of one that had numbers below `n` and of these `free` ones, of
 * which the last one is given out next: what is held first gets the others, ascending. So what
 * stands in the order of numbers stands as it did there. -EINVAL: these can't be; -ENOMEM.
 */
int pool_arrange(struct pool *pool, size_t n, const uint32_t *free_ids, size_t nfree);

/* The first record from `id` on that somebody holds; p->n: none. */
static inline uint32_t pool_next(const struct pool *pool, uint32_t id)
{
	while (id < pool->n && pool->holders[id] == 0)
		id++;
	return id;
}

/* All that somebody holds, by their numbers. The body may drop the one that it is given. */
#define pool_each(ID, POOL) for (uint32_t ID = pool_next((POOL), 0); ID < (POOL)->n; ID = pool_next((POOL), ID + 1))

#endif
