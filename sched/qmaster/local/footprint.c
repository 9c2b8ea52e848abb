/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/footprint.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"

static int jobs_reserve(struct footprints *footprints)
{
	size_t capacity = footprints->capacity ? 2 * footprints->capacity : 64;

	if (footprints->n == footprints->capacity) {
		if (array_grow(&footprints->numbers, capacity, sizeof(*footprints->numbers)) ||
		    array_grow(&footprints->owners, capacity, sizeof(*footprints->owners)) ||
		    array_grow(&footprints->bytes, capacity, sizeof(*footprints->bytes)))
			return -ENOMEM;
		footprints->capacity = capacity;
	}
	return index_reserve(&footprints->by_number, footprints->numbers);
}

/* Return the row of a user, which is made if necessary. UINT32_MAX: memory is exhausted. */
static uint32_t user_row(struct footprints *footprints, uint32_t uid)
{
	uint32_t row = index_find(&footprints->by_uid, footprints->uids, uid);
	size_t capacity = footprints->users_capacity ? 2 * footprints->users_capacity : 16;

	if (row != INDEX_NONE)
		return row;
	if (footprints->nusers == footprints->users_capacity) {
		if (array_grow(&footprints->uids, capacity, sizeof(*footprints->uids)) ||
		    array_grow(&footprints->sums, capacity, sizeof(*footprints->sums)))
			return UINT32_MAX;
		footprints->users_capacity = capacity;
	}
	if (index_reserve(&footprints->by_uid, footprints->uids))
		return UINT32_MAX;
	row = (uint32_t)footprints->nusers++;
	footprints->uids[row] = uid;
	footprints->sums[row] = 0;
	index_insert(&footprints->by_uid, footprints->uids, row);
	return row;
}

int footprint_set(struct footprints *footprints, uint32_t number, uint32_t uid, uint32_t bytes)
{
	uint32_t owner = user_row(footprints, uid), row;

	if (owner == UINT32_MAX || jobs_reserve(footprints))
		return -ENOMEM;
	row = index_find(&footprints->by_number, footprints->numbers, number);
	if (row == INDEX_NONE) {
		row = (uint32_t)footprints->n++;
		footprints->numbers[row] = number;
		index_insert(&footprints->by_number, footprints->numbers, row);
	} else {
		footprints->sums[footprints->owners[row]] -= footprints->bytes[row];
	}
	footprints->owners[row] = owner;
	footprints->bytes[row] = bytes;
	footprints->sums[owner] += bytes;
	return 0;
}

/* Remove a job. The last job moves into its row. */
void footprint_drop(struct footprints *footprints, uint32_t number)
{
	uint32_t row = index_find(&footprints->by_number, footprints->numbers, number),
		 last = (uint32_t)footprints->n - 1;

	if (row == INDEX_NONE)
		return;
	footprints->sums[footprints->owners[row]] -= footprints->bytes[row];
	index_remove(&footprints->by_number, footprints->numbers, number);
	footprints->n--;
	if (row == last)
		return;
	index_remove(&footprints->by_number, footprints->numbers, footprints->numbers[last]);
	footprints->numbers[row] = footprints->numbers[last];
	footprints->owners[row] = footprints->owners[last];
	footprints->bytes[row] = footprints->bytes[last];
	index_insert(&footprints->by_number, footprints->numbers, row);
}

uint32_t footprint_of_job(const struct footprints *footprints, uint32_t number)
{
	uint32_t row = index_find(&footprints->by_number, footprints->numbers, number);

	return row == INDEX_NONE ? 0 : footprints->bytes[row];
}

uint64_t footprint_of_user(const struct footprints *footprints, uint32_t uid)
{
	uint32_t row = index_find(&footprints->by_uid, footprints->uids, uid);

	return row == INDEX_NONE ? 0 : footprints->sums[row];
}

size_t footprint_jobs(const struct footprints *footprints, uint32_t uid, uint32_t *numbers, size_t most)
{
	uint32_t owner = index_find(&footprints->by_uid, footprints->uids, uid);
	size_t n = 0;

	for (size_t i = 0; owner != INDEX_NONE && i < footprints->n; i++)
		if (footprints->owners[i] == owner && n++ < most)
			numbers[n - 1] = footprints->numbers[i];
	return n;
}

void footprints_free(struct footprints *footprints)
{
	free(footprints->numbers);
	free(footprints->owners);
	free(footprints->bytes);
	index_free(&footprints->by_number);
	free(footprints->uids);
	free(footprints->sums);
	index_free(&footprints->by_uid);
	*footprints = (struct footprints){ 0 };
}
