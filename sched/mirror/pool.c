/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

#define FREE UINT32_MAX

void pool_create(struct pool *p, size_t key_bytes)
{
	*p = (struct pool){ .key_bytes = key_bytes };
}

void pool_destroy(struct pool *p)
{
	free(p->keys);
	free(p->holders);
	free(p->slots);
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

static size_t slot_of(const struct pool *p, const void *key, uint32_t hash)
{
	size_t slot = hash & (p->size - 1);

	while (p->slots[slot].id != FREE &&
	       (p->slots[slot].hash != hash || memcmp(pool_key(p, p->slots[slot].id), key, p->key_bytes) != 0))
		slot = (slot + 1) & (p->size - 1);
	return slot;
}

uint32_t pool_find(const struct pool *p, const void *key)
{
	return p->size == 0 ? FREE : p->slots[slot_of(p, key, hash_of(key, p->key_bytes))].id;
}

static int reserve_ids(struct pool *p)
{
	size_t capacity = p->capacity ? 2 * p->capacity : 64;

	if (p->nfree > 0 || p->n < p->capacity)
		return 0;
	if (array_grow(&p->keys, capacity, p->key_bytes) || array_grow(&p->holders, capacity, sizeof(uint32_t)) ||
	    array_grow(&p->free_ids, capacity, sizeof(uint32_t)))
		return -ENOMEM;
	p->capacity = capacity;
	return 0;
}

static int reserve_slots(struct pool *p)
{
	size_t old_size = p->size, size = old_size ? 2 * old_size : 128;
	struct pool_slot *old = p->slots, *slots;

	if (2 * (p->used + 1) <= old_size)
		return 0;
	slots = malloc(size * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	memset(slots, 0xff, size * sizeof(*slots));
	p->slots = slots;
	p->size = size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].id != FREE)
			slots[slot_of(p, pool_key(p, old[i].id), old[i].hash)] = old[i];
	free(old);
	return 0;
}

int pool_reserve(struct pool *p)
{
	return reserve_ids(p) || reserve_slots(p) ? -ENOMEM : 0;
}

uint32_t pool_hold(struct pool *p, const void *key, bool *is_new)
{
	uint32_t hash = hash_of(key, p->key_bytes), id;
	size_t slot;

	*is_new = false;
	if (pool_reserve(p))
		return FREE;
	slot = slot_of(p, key, hash);
	if (p->slots[slot].id != FREE) {
		p->holders[p->slots[slot].id]++;
		return p->slots[slot].id;
	}
	id = p->nfree > 0 ? p->free_ids[--p->nfree] : (uint32_t)p->n++;
	memcpy(p->keys + (size_t)id * p->key_bytes, key, p->key_bytes);
	p->holders[id] = 1;
	p->slots[slot] = (struct pool_slot){ id, hash };
	p->used++;
	*is_new = true;
	return id;
}

/* Close the gap, so that what was pushed behind it by probing is still found. */
static void slots_remove(struct pool *p, uint32_t id)
{
	size_t mask = p->size - 1, gap = slot_of(p, pool_key(p, id), hash_of(pool_key(p, id), p->key_bytes));

	for (size_t next = (gap + 1) & mask; p->slots[next].id != FREE; next = (next + 1) & mask) {
		size_t wanted = p->slots[next].hash & mask;

		if (((next - wanted) & mask) >= ((next - gap) & mask)) {
			p->slots[gap] = p->slots[next];
			gap = next;
		}
	}
	p->slots[gap].id = FREE;
	p->used--;
}

bool pool_drop(struct pool *p, uint32_t id)
{
	if (--p->holders[id] > 0)
		return false;
	slots_remove(p, id);
	memset(p->keys + (size_t)id * p->key_bytes, 0xff, p->key_bytes);
	p->free_ids[p->nfree++] = id;
	return true;
}
