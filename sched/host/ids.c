/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/ids.h"

#include "conf/array.h"

static uint32_t hash_of(uint64_t id)
{
	return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32);
}

uint32_t ids_find(const struct ids *x, uint64_t id)
{
	uint32_t row;

	index_search(row, &x->index, hash_of(id), x->ids[row] == id);
	return row;
}

static int reserve(struct ids *x, size_t rows)
{
	size_t n = 2 * rows + 64;

	if (rows <= x->rows)
		return 0;
	if (array_grow(&x->ids, n, sizeof(*x->ids)) || array_grow(&x->hashes, n, sizeof(*x->hashes)))
		return -ENOMEM;
	x->rows = n;
	return 0;
}

int ids_put(struct ids *x, uint64_t id, uint32_t row)
{
	uint32_t was = ids_find(x, id);

	if (was == row)
		return 0;
	if (reserve(x, (size_t)row + 1) || (was == IDS_NONE && index_reserve(&x->index, x->hashes)))
		return -ENOMEM;
	ids_remove(x, id);
	x->ids[row] = id;
	x->hashes[row] = hash_of(id);
	index_insert(&x->index, x->hashes, row);
	return 0;
}

void ids_remove(struct ids *x, uint64_t id)
{
	uint32_t row = ids_find(x, id);

	if (row != IDS_NONE)
		index_remove_row(&x->index, x->hashes, row);
}

void ids_free(struct ids *x)
{
	index_free(&x->index);
	free(x->ids);
	free(x->hashes);
	*x = (struct ids){ 0 };
}
