/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/footprint.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"

static int jobs_reserve(struct footprints *f)
{
	size_t capacity = f->capacity ? 2 * f->capacity : 64;

	if (f->n == f->capacity) {
		if (array_grow(&f->numbers, capacity, sizeof(*f->numbers)) || array_grow(&f->owners, capacity, sizeof(*f->owners)) ||
		    array_grow(&f->bytes, capacity, sizeof(*f->bytes)))
			return -ENOMEM;
		f->capacity = capacity;
	}
	return index_reserve(&f->by_number, f->numbers);
}

/* The user's row, made if there is none; UINT32_MAX: no memory. */
static uint32_t user_row(struct footprints *f, uint32_t uid)
{
	uint32_t row = index_find(&f->by_uid, f->uids, uid);
	size_t capacity = f->users_capacity ? 2 * f->users_capacity : 16;

	if (row != INDEX_NONE)
		return row;
	if (f->nusers == f->users_capacity) {
		if (array_grow(&f->uids, capacity, sizeof(*f->uids)) || array_grow(&f->sums, capacity, sizeof(*f->sums)))
			return UINT32_MAX;
		f->users_capacity = capacity;
	}
	if (index_reserve(&f->by_uid, f->uids))
		return UINT32_MAX;
	row = (uint32_t)f->nusers++;
	f->uids[row] = uid;
	f->sums[row] = 0;
	index_insert(&f->by_uid, f->uids, row);
	return row;
}

int footprint_set(struct footprints *f, uint32_t number, uint32_t uid, uint32_t bytes)
{
	uint32_t owner = user_row(f, uid), row;

	if (owner == UINT32_MAX || jobs_reserve(f))
		return -ENOMEM;
	row = index_find(&f->by_number, f->numbers, number);
	if (row == INDEX_NONE) {
		row = (uint32_t)f->n++;
		f->numbers[row] = number;
		index_insert(&f->by_number, f->numbers, row);
	} else {
		f->sums[f->owners[row]] -= f->bytes[row];
	}
	f->owners[row] = owner;
	f->bytes[row] = bytes;
	f->sums[owner] += bytes;
	return 0;
}

/* The last one takes its row. */
void footprint_drop(struct footprints *f, uint32_t number)
{
	uint32_t row = index_find(&f->by_number, f->numbers, number), last = (uint32_t)f->n - 1;

	if (row == INDEX_NONE)
		return;
	f->sums[f->owners[row]] -= f->bytes[row];
	index_remove(&f->by_number, f->numbers, number);
	f->n--;
	if (row == last)
		return;
	index_remove(&f->by_number, f->numbers, f->numbers[last]);
	f->numbers[row] = f->numbers[last];
	f->owners[row] = f->owners[last];
	f->bytes[row] = f->bytes[last];
	index_insert(&f->by_number, f->numbers, row);
}

uint32_t footprint_of_job(const struct footprints *f, uint32_t number)
{
	uint32_t row = index_find(&f->by_number, f->numbers, number);

	return row == INDEX_NONE ? 0 : f->bytes[row];
}

uint64_t footprint_of_user(const struct footprints *f, uint32_t uid)
{
	uint32_t row = index_find(&f->by_uid, f->uids, uid);

	return row == INDEX_NONE ? 0 : f->sums[row];
}

size_t footprint_jobs(const struct footprints *f, uint32_t uid, uint32_t *numbers, size_t most)
{
	uint32_t owner = index_find(&f->by_uid, f->uids, uid);
	size_t n = 0;

	for (size_t i = 0; owner != INDEX_NONE && i < f->n; i++)
		if (f->owners[i] == owner && n++ < most)
			numbers[n - 1] = f->numbers[i];
	return n;
}

void footprints_free(struct footprints *f)
{
	free(f->numbers);
	free(f->owners);
	free(f->bytes);
	index_free(&f->by_number);
	free(f->uids);
	free(f->sums);
	index_free(&f->by_uid);
	*f = (struct footprints){ 0 };
}
