/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered records that are alike for many jobs, counted by their holders: each distinct key once, under a number that stays
 * as long as somebody holds it. Keys are plain words without padding.
 */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool_slot {
	uint32_t id;			/* UINT32_MAX: free */
	uint32_t hash;			/* of its key; here, so that keys are fetched only when they are likely equal */
};

struct pool {
	unsigned char *keys;		/* key_bytes each */
	uint32_t *holders;		/* 0: free */
	struct pool_slot *slots;	/* open addressing */
	uint32_t *free_ids;
	size_t key_bytes, n, capacity, nfree, used, size;
};

/* What a record needs besides its key is the caller's, in arrays by number. */
void pool_create(struct pool *p, size_t key_bytes);
void pool_destroy(struct pool *p);

/* Room for one more key, so that the next pool_hold() cannot fail and gives a number below `capacity`. -ENOMEM. */
int pool_reserve(struct pool *p);
/*
 * The number of a key, held once more. *is_new tells that it had no holder before. -> UINT32_MAX: no memory.
 */
uint32_t pool_hold(struct pool *p, const void *key, bool *is_new);
/* The number of a key that somebody holds; UINT32_MAX: nobody does. */
uint32_t pool_find(const struct pool *p, const void *key);
/* One holder less; true if that was the last one: the number may be given out again. */
bool pool_drop(struct pool *p, uint32_t id);
const void *pool_key(const struct pool *p, uint32_t id);
static inline bool pool_alive(const struct pool *p, uint32_t id)
{
	return id < p->n && p->holders[id] > 0;
}

#endif
