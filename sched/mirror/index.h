/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a key to the row that has it in a column of keys. Open addressing, multiplicative hash,
 * linear probing: the same table that readers search in the segment (TABLE_INDEX), so publishing it
 * is a copy. Empty slots are UINT32_MAX.
 */
#ifndef SCHED_MIRROR_INDEX_H
#define SCHED_MIRROR_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "shm/facts.h"

#define INDEX_NONE UINT32_MAX

struct index {			/* zero-initialise */
	uint32_t *rows;
	size_t size;		/* power of two, 0 before the first insertion */
	size_t used;
	unsigned shift;		/* 32 - log2(size) */
};

/* INDEX_NONE when no row has the key. */
uint32_t index_find(const struct index *x, const uint32_t *keys, uint32_t key);
/* Room for one more row, so that the next index_insert() cannot fail. -ENOMEM. */
int index_reserve(struct index *x, const uint32_t *keys);
/* The key keys[row] must not be there yet. */
void index_insert(struct index *x, const uint32_t *keys, uint32_t row);
/* The key must be there. */
void index_remove(struct index *x, const uint32_t *keys, uint32_t key);
void index_free(struct index *x);

/* The same over the job numbers of the job table. */
uint32_t index_find_job(const struct index *x, const struct facts *facts, uint32_t number);
int index_reserve_job(struct index *x, const struct facts *facts);
void index_insert_job(struct index *x, const struct facts *facts, uint32_t row);
void index_remove_job(struct index *x, const struct facts *facts, uint32_t number);

#endif
