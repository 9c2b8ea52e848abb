/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the rows that changes seldom, in chunks that generations share: the writer changes a
 * chunk in place as long as no generation shows it; else it changes a copy and leaves the old one
 * to the generations, the last of which gives it back. So a chunk whose rows did not change costs a
 * generation nothing.
 *
 * Who holds a chunk: the struct facts that writes it, and each directory that shows it.
 *
 * When shared memory is full, a chunk is changed in private memory until there is room to show it:
 * nothing is lost.
 */
#ifndef SHM_FACTS_H
#define SHM_FACTS_H

#include "shm/generation.h"

struct facts {			/* zero-initialise, but for the first two */
	struct segment *segment;
	size_t chunk_bytes;
	void **chunks;
	size_t n, capacity;
};

/*
 * Make the chunk of a row, the next new one at most, and let it be written. -ENOMEM, also of
 * private memory: nothing has changed.
 */
int facts_reserve(struct facts *facts, uint64_t row);

/*
 * Show all chunks in the generation being filled. *shared: how many of them the generation `before`
 * shows, too. -ENOMEM.
 */
int facts_show(struct facts *facts, struct generation_writer *writer, uint64_t before, size_t *shared);

void facts_free(struct facts *facts);

/*
 * The chunk of a row, for reading; between facts_reserve() and the next publication for writing,
 * too.
 */
static inline void *facts_chunk(const struct facts *facts, uint32_t row)
{
	return facts->chunks[row / CHUNK_ROWS];
}

/* For generation.c */

/* Memory for chunk i of either part. 0: no memory. */
uint64_t chunk_alloc(struct segment *segment, size_t i, uint64_t bytes);
void facts_hold(struct segment *segment, uint64_t offset);
void facts_drop(struct segment *segment, uint64_t offset, uint64_t bytes);

#endif
