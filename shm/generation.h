/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fill a generation and publish it with one store. There is one writer.
 *
 *     struct generation_writer w;
 *     if (generation_begin(&w, segment) == 0) {
 *             memcpy(w.directory->head, ...);
 *             void *chunk = generation_results(&w, i, bytes), *table = generation_table(&w, id, n, bytes_each);
 *             generation_publish(&w);         or generation_abandon(&w)
 *     }
 *
 * Readers see the previous generation until the new one is published. If the writer dies or
 * abandons the new one, the previous one stays current. Tables keep their memory from one use of a
 * directory to the next and grow or shrink as requested.
 */
#ifndef SHM_GENERATION_H
#define SHM_GENERATION_H

#include "shm/segment.h"

struct generation_writer {
	struct segment *segment;
	struct generation *directory;	/* directory being filled; the caller sets head and rows */
	uint64_t gen;			/* number of the generation */
	uint64_t table_bytes[MAX_TABLES];
	size_t nresults;		/* chunks requested so far */
};

/*
 * Choose a directory that no reader uses, or evict the readers of the oldest one. Never waits. The
 * tables are empty; head and rows are zero.
 */
int generation_begin(struct generation_writer *writer, struct segment *segment);

/*
 * Allocate `count` records of `bytes_each` in table `id` and set the table's count. The records are
 * populated, aligned for any type, and have undefined contents. Returns NULL if memory is
 * exhausted, but never for count 0. A second call for the same table in one generation may move the
 * table and loses its contents. The tables of strings are allocated here only by a writer that
 * copies generations and does not use strings.h.
 */
void *generation_table(struct generation_writer *writer, unsigned id, uint64_t count, size_t bytes_each);

/*
 * Allocate chunk i of the results. It is populated and has undefined contents. Request chunks in
 * the order 0, 1, ..., all of the same size. Returns NULL if memory is exhausted, the order or the
 * size is wrong, or i >= MAX_CHUNKS.
 */
void *generation_results(struct generation_writer *writer, size_t i, size_t bytes);

/*
 * Show a chunk of facts (facts.h) of `bytes` bytes as chunk i. The chunk is held until the
 * directory is used again. All chunks of a segment have the same size.
 */
void generation_facts(struct generation_writer *writer, size_t i, uint64_t offset, size_t bytes);

/* Return the newest complete generation, 0 before the first. */
uint64_t generation_current(const struct segment *segment);

/* Return true if `offset` is chunk i of the facts in a generation that readers can still see. */
bool generation_shows(const struct segment *segment, uint64_t gen, size_t i, uint64_t offset);

/*
 * Show a table that is stored in the memory of another generation (string arenas). Nothing is
 * copied, and the memory is not freed with this generation.
 */
void generation_borrow(struct generation_writer *writer, unsigned id, uint64_t offset, uint64_t count,
		       size_t bytes_each);

/* Set the generation's `bytes` and make it current. */
void generation_publish(struct generation_writer *writer);
void generation_abandon(struct generation_writer *writer);

/*
 * Return true if one of the generations first..last is still shown by a directory or is about to be
 * published. This protects memory that several generations share (arena.c): while it is true, a
 * reader there, even one without a slot, would accept what it reads.
 */
bool generation_shown(const struct segment *segment, uint64_t first, uint64_t last);

/*
 * Free the bookkeeping and the memory of all generations that are neither current nor read. The
 * current one stays for readers. Called by segment_close().
 */
void generation_close(struct segment *segment);

#endif
