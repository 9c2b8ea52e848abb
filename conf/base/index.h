/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash table from a key to the row that has it. It stores row numbers, with open addressing, a
 * multiplicative hash and linear probing. The owner of the table stores the keys:
 *
 *   index_find() ...    keys are different numbers in a column
 *   index_search() ...  keys are anywhere: a column has their hashes, and an expression selects
 *                       the row
 *
 * Readers search a copy of the index of job numbers in the segment (TABLE_INDEX), so publishing it
 * is a memcpy(3). Two other places have hash tables of their own: shm/strings.c, because shm/
 * includes no other room, and the search of the readers, which does not trust the segment
 * (sched/reader/jobs.c).
 */
#ifndef CONF_BASE_INDEX_H
#define CONF_BASE_INDEX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_NONE UINT32_MAX		/* no row; also marks a free slot */

struct index {			/* zero-initialize */
	uint32_t *rows;
	size_t size;		/* power of two, 0 before the first insertion */
	size_t used;
	unsigned shift;		/* 32 - log2(size) */
};

/* Return the row with the key, or INDEX_NONE. */
uint32_t index_find(const struct index *index, const uint32_t *keys, uint32_t key);
/*
 * Make room for one more row, so that the next insertion cannot fail. Returns 0, or -ENOMEM if
 * nothing has changed.
 */
int index_reserve(struct index *index, const uint32_t *keys);
/* Make room for `rows` rows in total. */
int index_reserve_rows(struct index *index, const uint32_t *keys, size_t rows);
/* Insert a row. No row may have the key keys[row] yet, unless keys are hashes. */
void index_insert(struct index *index, const uint32_t *keys, uint32_t row);
/* Remove the row with the key, which must exist. */
void index_remove(struct index *index, const uint32_t *keys, uint32_t key);
/* Remove the row, which must exist. */
void index_remove_row(struct index *index, const uint32_t *keys, uint32_t row);
/* Remove all rows and keep the memory. */
void index_clear(struct index *index);
void index_free(struct index *index);

/* Return the slot at which the search for a key begins. */
static inline size_t index_home(const struct index *index, uint32_t key)
{
	return (uint32_t)(key * 2654435761u) >> index->shift;
}

/*
 * Find a row. The variable ROW becomes the row for which the expression IS_IT, which reads ROW, is
 * true. Rows that were inserted with the key or hash KEY are tested, and possibly others. ROW
 * becomes INDEX_NONE if no row is found.
 */
#define index_search(ROW, X, KEY, IS_IT)							\
	do {											\
		const struct index *x_ = (X);							\
		size_t slot_ = x_->size > 0 ? index_home(x_, KEY) : 0;				\
												\
		while (((ROW) = x_->size > 0 ? x_->rows[slot_] : INDEX_NONE) != INDEX_NONE && !(IS_IT))	\
			slot_ = (slot_ + 1) & (x_->size - 1);					\
	} while (0)

/*
 * Variants for keys that are neither in one array nor have a column of hashes. key_of() returns the
 * key of a row and is compiled in place.
 */
typedef uint32_t index_key_of(const void *owner, uint32_t row);

static inline void index_put(struct index *index, uint32_t key, uint32_t row)
{
	size_t slot = index_home(index, key);

	while (index->rows[slot] != INDEX_NONE)
		slot = (slot + 1) & (index->size - 1);
	index->rows[slot] = row;
	index->used++;
}

static inline int index_make_room(struct index *index, size_t rows, index_key_of *key_of, const void *owner)
{
	struct index larger = { .size = index->size ? index->size : 64 };

	while (larger.size < 2 * rows)
		larger.size *= 2;
	if (larger.size == index->size)
		return 0;
	larger.rows = malloc(larger.size * sizeof(*larger.rows));
	if (!larger.rows)
		return -ENOMEM;
	memset(larger.rows, 0xff, larger.size * sizeof(*larger.rows));
	larger.shift = (unsigned)__builtin_clz((uint32_t)(larger.size - 1));
	for (size_t i = 0; i < index->size; i++)
		if (index->rows[i] != INDEX_NONE)
			index_put(&larger, key_of(owner, index->rows[i]), index->rows[i]);
	free(index->rows);
	*index = larger;
	return 0;
}

/* Remove a row and close the gap: entries after it that probing has displaced move up. */
static inline void index_take_out(struct index *index, uint32_t row, index_key_of *key_of, const void *owner)
{
	size_t mask = index->size - 1, gap = index_home(index, key_of(owner, row));

	while (index->rows[gap] != row)
		gap = (gap + 1) & mask;
	for (size_t next = (gap + 1) & mask; index->rows[next] != INDEX_NONE; next = (next + 1) & mask) {
		size_t home = index_home(index, key_of(owner, index->rows[next]));

		if (((next - home) & mask) >= ((next - gap) & mask)) {
			index->rows[gap] = index->rows[next];
			gap = next;
		}
	}
	index->rows[gap] = INDEX_NONE;
	index->used--;
}

#endif
