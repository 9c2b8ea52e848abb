/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/index.h"

static inline uint32_t key_of(const void *keys, uint32_t row)
{
	return ((const uint32_t *)keys)[row];
}

uint32_t index_find(const struct index *x, const uint32_t *keys, uint32_t key)
{
	uint32_t row;

	index_search(row, x, key, keys[row] == key);
	return row;
}

int index_reserve(struct index *x, const uint32_t *keys)
{
	return index_make_room(x, x->used + 1, key_of, keys);
}

int index_reserve_rows(struct index *x, const uint32_t *keys, size_t rows)
{
	return index_make_room(x, rows, key_of, keys);
}

void index_insert(struct index *x, const uint32_t *keys, uint32_t row)
{
	index_put(x, keys[row], row);
}

void index_remove(struct index *x, const uint32_t *keys, uint32_t key)
{
	index_take_out(x, index_find(x, keys, key), key_of, keys);
}

void index_remove_row(struct index *x, const uint32_t *keys, uint32_t row)
{
	index_take_out(x, row, key_of, keys);
}

void index_clear(struct index *x)
{
	if (x->size > 0)
		memset(x->rows, 0xff, x->size * sizeof(*x->rows));
	x->used = 0;
}

void index_free(struct index *x)
{
	free(x->rows);
	*x = (struct index){ 0 };
}
