/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 64

/* A column of keys: one array, or the job numbers in their chunks. */
struct keys {
	const uint32_t *flat;
	const struct facts *facts;
};

static inline uint32_t key_of(struct keys keys, uint32_t row)
{
	return keys.flat ? keys.flat[row] : facts_of(keys.facts, row)->number[row % CHUNK_JOBS];
}

static inline size_t home(const struct index *x, uint32_t key)
{
	return (uint32_t)(key * 2654435761u) >> x->shift;
}

static inline size_t slot_of(const struct index *x, struct keys keys, uint32_t key)
{
	size_t slot = home(x, key);

	while (x->rows[slot] != INDEX_NONE && key_of(keys, x->rows[slot]) != key)
		slot = (slot + 1) & (x->size - 1);
	return slot;
}

static inline uint32_t find(const struct index *x, struct keys keys, uint32_t key)
{
	return x->size == 0 ? INDEX_NONE : x->rows[slot_of(x, keys, key)];
}

static inline int reserve(struct index *x, struct keys keys)
{
	size_t size = x->size ? 2 * x->size : SMALLEST;
	struct index larger = { .rows = NULL, .size = size, .used = x->used };

	if (2 * (x->used + 1) <= x->size)
		return 0;
	larger.rows = malloc(size * sizeof(*larger.rows));
	if (!larger.rows)
		return -ENOMEM;
	memset(larger.rows, 0xff, size * sizeof(*larger.rows));
	larger.shift = (unsigned)__builtin_clz((uint32_t)(size - 1));
	for (size_t i = 0; i < x->size; i++)
		if (x->rows[i] != INDEX_NONE)
			larger.rows[slot_of(&larger, keys, key_of(keys, x->rows[i]))] = x->rows[i];
	free(x->rows);
	*x = larger;
	return 0;
}

static inline void insert(struct index *x, struct keys keys, uint32_t row)
{
	x->rows[slot_of(x, keys, key_of(keys, row))] = row;
	x->used++;
}

/* Close the gap: whatever was pushed behind it by probing moves up. */
static inline void take_out(struct index *x, struct keys keys, uint32_t key)
{
	size_t mask = x->size - 1, gap = slot_of(x, keys, key);

	for (size_t next = (gap + 1) & mask; x->rows[next] != INDEX_NONE; next = (next + 1) & mask) {
		size_t wanted = home(x, key_of(keys, x->rows[next]));

		if (((next - wanted) & mask) >= ((next - gap) & mask)) {
			x->rows[gap] = x->rows[next];
			gap = next;
		}
	}
	x->rows[gap] = INDEX_NONE;
	x->used--;
}

uint32_t index_find(const struct index *x, const uint32_t *keys, uint32_t key)
{
	return find(x, (struct keys){ .flat = keys }, key);
}

int index_reserve(struct index *x, const uint32_t *keys)
{
	return reserve(x, (struct keys){ .flat = keys });
}

void index_insert(struct index *x, const uint32_t *keys, uint32_t row)
{
	insert(x, (struct keys){ .flat = keys }, row);
}

void index_remove(struct index *x, const uint32_t *keys, uint32_t key)
{
	take_out(x, (struct keys){ .flat = keys }, key);
}

uint32_t index_find_job(const struct index *x, const struct facts *facts, uint32_t number)
{
	return find(x, (struct keys){ .facts = facts }, number);
}

int index_reserve_job(struct index *x, const struct facts *facts)
{
	return reserve(x, (struct keys){ .facts = facts });
}

void index_insert_job(struct index *x, const struct facts *facts, uint32_t row)
{
	insert(x, (struct keys){ .facts = facts }, row);
}

void index_remove_job(struct index *x, const struct facts *facts, uint32_t number)
{
	take_out(x, (struct keys){ .facts = facts }, number);
}

void index_free(struct index *x)
{
	free(x->rows);
	*x = (struct index){ 0 };
}
