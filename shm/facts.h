/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of the rows that change seldom, in chunks that generations share. The writer changes a
 * chunk in place as long as no generation shows it. Otherwise the writer changes a copy, and the
 * last generation that shows the old chunk frees it. A chunk without changed rows therefore costs a
 * generation nothing.
 *
 * The holders of a chunk are the struct facts that writes it and each directory that shows it.
 *
 * If shared memory is full, a chunk is changed in private memory until there is room to show it. No
 * change is lost.
 */
#ifndef SHM_FACTS_H
#define SHM_FACTS_H

#include "shm/generation.h"

struct facts {			/* zero-initialize all but the first two members */
	struct segment *segment;
	size_t chunk_bytes;
	void **chunks;
	size_t n, capacity;
};

/*
 * Make the chunk of a row writable. The chunk may be at most the next new one. Returns 0, or
 * -ENOMEM if private memory is exhausted too. After -ENOMEM nothing has changed.
 */
int facts_reserve(struct facts *facts, uint64_t row);

/*
 * Show all chunks in the generation that is being filled. `*shared` receives the number of chunks
 * that the generation `before` also shows. Returns 0 or -ENOMEM.
 */
int facts_show(struct facts *facts, struct generation_writer *writer, uint64_t before, size_t *shared);

void facts_free(struct facts *facts);

/*
 * Return the chunk of a row for reading. Between facts_reserve() and the next publication the chunk
 * may also be written.
 */
static inline void *facts_chunk(const struct facts *facts, uint32_t row)
{
	return facts->chunks[row / CHUNK_ROWS];
}

/* Functions for generation.c */

/* Allocate memory for chunk i of either part. Returns 0 if memory is exhausted. */
uint64_t chunk_alloc(struct segment *segment, size_t i, uint64_t bytes);
void facts_hold(struct segment *segment, uint64_t offset);
void facts_drop(struct segment *segment, uint64_t offset, uint64_t bytes);

#endif
