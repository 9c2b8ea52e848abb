/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/ids.h"

#include "conf/base/columns.h"

static uint32_t hash_of(uint64_t id)
{
	return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32);
}

uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	uint32_t row;

	index_search(row, &ids->index, hash_of(id), ids->ids[row] == id);
	return row;
}

int ids_put(struct ids *ids, uint64_t id, uint32_t row)
{
	uint32_t was = ids_find(ids, id);

	if (was == row)
		return 0;
	if (array_reserve(&ids->rows, (size_t)row + 1, COLUMN(ids->ids), COLUMN(ids->hashes)) ||
	    (was == IDS_NONE && index_reserve(&ids->index, ids->hashes)))
		return -ENOMEM;
	ids_remove(ids, id);
	ids->ids[row] = id;
	ids->hashes[row] = hash_of(id);
	index_insert(&ids->index, ids->hashes, row);
	return 0;
}

void ids_remove(struct ids *ids, uint64_t id)
{
	uint32_t row = ids_find(ids, id);

	if (row != IDS_NONE)
		index_remove_row(&ids->index, ids->hashes, row);
}

void ids_free(struct ids *ids)
{
	index_free(&ids->index);
	free(ids->ids);
	free(ids->hashes);
	*ids = (struct ids){ 0 };
}
