/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/index.h"

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

int index_reserve(struct index *index, const uint32_t *keys)
{
	return index_make_room(index, index->used + 1, key_of, keys);
}

int index_reserve_rows(struct index *index, const uint32_t *keys, size_t rows)
{
	return index_make_room(index, rows, key_of, keys);
}

void index_insert(struct index *index, const uint32_t *keys, uint32_t row)
{
	index_put(index, keys[row], row);
}

void index_remove(struct index *index, const uint32_t *keys, uint32_t key)
{
	index_take_out(index, index_find(index, keys, key), key_of, keys);
}

void index_remove_row(struct index *index, const uint32_t *keys, uint32_t row)
{
	index_take_out(index, row, key_of, keys);
}

void index_clear(struct index *index)
{
	if (index->size > 0)
		memset(index->rows, 0xff, index->size * sizeof(*index->rows));
	index->used = 0;
}

void index_free(struct index *index)
{
	free(index->rows);
	*index = (struct index){ 0 };
}
