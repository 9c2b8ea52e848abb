/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 64

static size_t home(const struct index *x, uint32_t key)
{
	return (uint32_t)(key * 2654435761u) >> x->shift;
}

static size_t slot_of(const struct index *x, const uint32_t *keys, uint32_t key)
{
	size_t slot = home(x, key);

	while (x->rows[slot] != INDEX_NONE && keys[x->rows[slot]] != key)
		slot = (slot + 1) & (x->size - 1);
	return slot;
}

uint32_t index_find(const struct index *x, const uint32_t *keys, uint32_t key)
{
	return x->size == 0 ? INDEX_NONE : x->rows[slot_of(x, keys, key)];
}

int index_reserve(struct index *x, const uint32_t *keys)
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
			larger.rows[slot_of(&larger, keys, keys[x->rows[i]])] = x->rows[i];
	free(x->rows);
	*x = larger;
	return 0;
}

void index_insert(struct index *x, const uint32_t *keys, uint32_t row)
{
	x->rows[slot_of(x, keys, keys[row])] = row;
	x->used++;
}

/* Close the gap: whatever was pushed behind it by probing moves up. */
void index_remove(struct index *x, const uint32_t *keys, uint32_t key)
{
	size_t mask = x->size - 1, gap = slot_of(x, keys, key);

	for (size_t next = (gap + 1) & mask; x->rows[next] != INDEX_NONE; next = (next + 1) & mask) {
		size_t wanted = home(x, keys[x->rows[next]]);

		if (((next - wanted) & mask) >= ((next - gap) & mask)) {
			x->rows[gap] = x->rows[next];
			gap = next;
		}
	}
	x->rows[gap] = INDEX_NONE;
	x->used--;
}

void index_free(struct index *x)
{
	free(x->rows);
	*x = (struct index){ 0 };
}
