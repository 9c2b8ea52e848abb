/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a key to the row that has it: a hash table of row numbers, with open addressing, a
 * multiplicative hash and linear probing. Keys lie where their owner wants them:
 *
 *     index_find() ...        in a column of numbers, which are different
 *     index_search() ...      anywhere: a column has their hashes, an expression says which row it
 *                             is
 *
 * Of the job numbers' index readers search a copy in the segment (TABLE_INDEX), so publishing it is
 * a memcpy(3). Two tables are not this one: that of shm/strings.c, since shm/ knows nobody, and the
 * readers' own search, which trusts nothing that the segment says (sched/reader/jobs.c).
 */
#ifndef CONF_INDEX_H
#define CONF_INDEX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_NONE UINT32_MAX		/* no row; also marks a free slot */

struct index {			/* zero-initialise */
	uint32_t *rows;
	size_t size;		/* power of two, 0 before the first insertion */
	size_t used;
	unsigned shift;		/* 32 - log2(size) */
};

/* INDEX_NONE when no row has the key. */
uint32_t index_find(const struct index *index, const uint32_t *keys, uint32_t key);
/* Room for one more row, so that the next insertion cannot fail. -ENOMEM: nothing has changed. */
int index_reserve(struct index *index, const uint32_t *keys);
/* The same for so many rows in all. */
int index_reserve_rows(struct index *index, const uint32_t *keys, size_t rows);
/* No row may have the key keys[row] yet, unless it is a hash. */
void index_insert(struct index *index, const uint32_t *keys, uint32_t row);
/* The key must be there. */
void index_remove(struct index *index, const uint32_t *keys, uint32_t key);
/* The row must be there. */
void index_remove_row(struct index *index, const uint32_t *keys, uint32_t row);
/* No row is there any more; the room stays. */
void index_clear(struct index *index);
void index_free(struct index *index);

/* Where the search for a key begins. */
static inline size_t index_home(const struct index *index, uint32_t key)
{
	return (uint32_t)(key * 2654435761u) >> index->shift;
}

/*
 * ROW, a variable, becomes the row for which IS_IT, an expression that looks at ROW, holds, among
 * those that were put in with the key or hash KEY, and maybe others. INDEX_NONE: there is none.
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
 * The same with keys that lie neither in one array nor have a column of hashes. key_of() tells that
 * of a row; it is compiled in place.
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

/* Closes the gap: what was pushed behind it by probing moves up. */
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
