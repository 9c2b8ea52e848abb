/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fill a generation and publish it with one store. Single writer.
 *
 *     struct generation_writer w;
 *     if (generation_begin(&w, segment) == 0) {
 *             memcpy(w.directory->head, ...);
 *             void *chunk = generation_results(&w, i, bytes), *table = generation_table(&w, id, n, bytes_each);
 *             generation_publish(&w);         or generation_abandon(&w)
 *     }
 *
 * Until publish, readers keep seeing the generation before. A writer that dies or abandons leaves
 * that one in force. Tables keep their memory from one use of a directory to the next and grow or
 * shrink as requested.
 */
#ifndef SHM_GENERATION_H
#define SHM_GENERATION_H

#include "shm/segment.h"

struct generation_writer {
	struct segment *segment;
	struct generation *directory;	/* being filled: head, rows are the caller's to set */
	uint64_t gen;			/* its number */
	uint64_t table_bytes[MAX_TABLES];
	size_t nresults;		/* chunks requested so far */
};

/*
 * Choose a directory nobody reads, else evict the readers of the oldest one. Never waits. The
 * tables are empty, head and rows are zero.
 */
int generation_begin(struct generation_writer *writer, struct segment *segment);

/*
 * Room for `count` records of `bytes_each` in table id < USER_TABLES, populated; contents
 * undefined, aligned for any type. Sets the table's count. NULL: no memory, also not for count 0. A
 * second call for the same table in one generation may move it and loses what was in it.
 */
void *generation_table(struct generation_writer *writer, unsigned id, uint64_t count, size_t bytes_each);

/*
 * Chunk i of the results, populated, contents undefined; to be requested in order 0, 1, ..., all of
 * the same size. NULL: no memory, out of order, another size, or i >= MAX_CHUNKS.
 */
void *generation_results(struct generation_writer *writer, size_t i, size_t bytes);

/*
 * Show a chunk of facts (facts.h) of that many bytes as chunk i; it is held until the directory is
 * used again. All chunks of a segment are of the same size.
 */
void generation_facts(struct generation_writer *writer, size_t i, uint64_t offset, size_t bytes);

/* The newest complete one, 0 before the first. */
uint64_t generation_current(const struct segment *segment);

/* Is `offset` chunk i of the facts in a generation that is still to be seen? */
bool generation_shows(const struct segment *segment, uint64_t gen, size_t i, uint64_t offset);

/*
 * One table of another generation's memory made visible in this one (the string arenas): no copy,
 * not freed with it.
 */
void generation_borrow(struct generation_writer *writer, unsigned id, uint64_t offset, uint64_t count,
		       size_t bytes_each);

/* Sets its bytes and makes it current. */
void generation_publish(struct generation_writer *writer);
void generation_abandon(struct generation_writer *writer);

/*
 * Is one of the generations first..last still to be seen in a directory, or about to be published?
 * For memory that several generations share (arena.c): as long as it is, a reader there, also one
 * without a slot, would take what it reads for good.
 */
bool generation_shown(const struct segment *segment, uint64_t first, uint64_t last);

/*
 * Free the bookkeeping, and the memory of the generations that are neither current nor read; called
 * by segment_close(). The current one stays for readers.
 */
void generation_close(struct segment *segment);

#endif
