/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The read side, inline. One section costs two stores to the reader's own cache line. The ordering
 * argument is in readers.h.
 *
 *     struct view view;
 *     section_begin(&view, header, file_bytes, slot);
 *     ... view_table(), view_record(), view_facts(), view_string() ...
 *     if (section_end(&view, slot) == -ESTALE)        forget what was read
 *
 * The view_ functions trust nothing. A count or offset is loaded once and checked against the size
 * of the file, and only the checked copy is used. Bytes that are wrong or change meanwhile give
 * wrong numbers but never a pointer outside the mapping. The data may still change in an evicted
 * section. Copy a record with view_copy() before you use an index in it twice.
 */
#ifndef SHM_READ_H
#define SHM_READ_H

#include <errno.h>
#include <string.h>

#include "shm/readers.h"

/* Load a value once, so that the checked value is the one that is used. */
#define LOAD_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/* generation of a section; valid between section_begin() and section_end() */
struct view {
	const uint8_t *base;
	uint64_t file_bytes;
	const struct generation *directory;
	uint64_t gen;
};

static inline void view_of(struct view *view, const struct segment_header *header, uint64_t g)
{
	view->base = (const uint8_t *)header;
	view->directory = (const struct generation *)(view->base + PAGE_BYTES) + g % GENERATIONS;
	view->gen = g;
}

/*
 * Pin again after a publication has changed the current generation during the first pin. This is
 * rare and needs no loop.
 */
static inline void section_pin_again(struct view *view, const struct segment_header *header, struct reader_slot *slot,
				     uint64_t g)
{
	if (slot) {
		/* R3: pairs with W2 in table_look() */
		atomic_store_explicit(&slot->pin, g << 1, memory_order_seq_cst);
		/* R4: pairs with W1 in generation_publish() */
		g = atomic_load_explicit(&header->current, memory_order_seq_cst);
		atomic_store_explicit(&slot->pin, g << 1 | 1, memory_order_release);	/* R5 */
	}
	view_of(view, header, g);
}

/*
 * Begin a section. Reads in the section need not wait for R2, because the branch is predicted. They
 * would have to wait if their address came from R2.
 */
static inline void section_begin(struct view *view, const struct segment_header *header, uint64_t file_bytes,
				 struct reader_slot *slot)
{
	uint64_t g = atomic_load_explicit(&header->current, memory_order_relaxed), now;

	view->file_bytes = file_bytes;
	view_of(view, header, g);
	if (slot)
		/* R1: pairs with W2 in table_look() */
		atomic_store_explicit(&slot->pin, g << 1 | 1, memory_order_seq_cst);
	/* R2: pairs with W1 in generation_publish() */
	now = atomic_load_explicit(&header->current, memory_order_seq_cst);
	if (__builtin_expect(now != g, 0))
		section_pin_again(view, header, slot, now);
}

static inline int section_end(const struct view *view, struct reader_slot *slot)
{
	/* pairs with the release fence after gen = 0 in directory_clear() */
	atomic_thread_fence(memory_order_acquire);
	uint64_t now = atomic_load_explicit(&view->directory->gen, memory_order_relaxed);

	if (slot)
		atomic_store_explicit(&slot->pin, 0, memory_order_release);
	return now == view->gen ? 0 : -ESTALE;
}

/* Take a copy that no longer changes. */
static inline void view_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	__asm__ volatile("" ::: "memory");	/* the compiler must not read `from` again later */
}

/*
 * Return a table's records. `*count` is 0 if the table is empty or its offset or count is
 * impossible. Never returns NULL.
 */
static inline const void *view_table(const struct view *view, unsigned id, size_t record_bytes, uint64_t *count)
{
	uint64_t offset = LOAD_ONCE(view->directory->tables[id].offset);
	uint64_t n = LOAD_ONCE(view->directory->tables[id].count);

	if (offset % 8 || offset > view->file_bytes || n > (view->file_bytes - offset) / record_bytes)
		offset = n = 0;
	*count = n;
	return view->base + offset;
}

/* Return one record, or NULL if the index is out of range. */
static inline const void *view_record(const struct view *view, unsigned id, size_t record_bytes, uint64_t index)
{
	uint64_t count;
	const uint8_t *records = view_table(view, id, record_bytes, &count);

	return index < count ? records + index * record_bytes : NULL;
}

static inline const void *view_part(const struct view *view, const uint64_t offsets[MAX_CHUNKS], uint64_t row,
				    uint64_t at, uint64_t bytes)
{
	if (row >= LOAD_ONCE(view->directory->rows) || row / CHUNK_ROWS >= MAX_CHUNKS)
		return NULL;
	uint64_t offset = LOAD_ONCE(offsets[row / CHUNK_ROWS]);

	if (offset == 0 || offset % CACHELINE || offset > view->file_bytes || at % CACHELINE ||
	    at > view->file_bytes - offset || view->file_bytes - offset - at < bytes)
		return NULL;
	return view->base + offset + at;
}

/*
 * Return columns of one of the two parts of a row's chunk. They have `bytes` bytes, starting at
 * byte `at` of the chunk, and the row has index row % CHUNK_ROWS in them. Returns NULL if the row
 * does not exist or the columns exceed the file.
 */
static inline const void *view_facts(const struct view *view, uint64_t row, uint64_t at, uint64_t bytes)
{
	return view_part(view, view->directory->facts, row, at, bytes);
}

static inline const void *view_results(const struct view *view, uint64_t row, uint64_t at, uint64_t bytes)
{
	return view_part(view, view->directory->results, row, at, bytes);
}

/*
 * Return a string, or "" for NONE and for unknown ids. The string ends within the mapping or at the
 * zero page after it (map.h).
 */
static inline const char *view_string(const struct view *view, uint32_t id)
{
	uint64_t length;
	const uint32_t *offset = view_record(view, TABLE_STRINGS, sizeof(*offset), id);

	if (!offset)
		return "";
	uint32_t at = LOAD_ONCE(*offset);
	const char *text = view_table(view, TABLE_TEXT, 1, &length);

	return at < length ? text + at : "";
}

#endif
