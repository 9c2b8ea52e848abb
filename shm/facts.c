/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* On the node whose workers compute chunk i. */
uint64_t chunk_alloc(struct segment *s, size_t i, uint64_t bytes)
{
	uint64_t offset = segment_alloc_on(s, (unsigned)(i % segment_nodes(s)), bytes);

	if (offset && segment_populate(s, offset, bytes)) {
		segment_free(s, offset, bytes);
		return 0;
	}
	return offset;
}

void facts_hold(struct segment *s, uint64_t offset)
{
	s->facts_holders[offset / EXTENT_BYTES]++;
}

void facts_drop(struct segment *s, uint64_t offset, uint64_t bytes)
{
	if (--s->facts_holders[offset / EXTENT_BYTES] == 0)
		segment_free(s, offset, bytes);
}

static bool is_private(const struct facts *f, size_t i)
{
	const uint8_t *chunk = f->chunks[i], *base = f->segment->base;

	return chunk < base || chunk >= base + f->segment->file_bytes;
}

static uint64_t offset_of(const struct facts *f, size_t i)
{
	return (uint64_t)((uint8_t *)f->chunks[i] - f->segment->base);
}

static void *chunk_make_shared(struct facts *f, size_t i)
{
	struct segment *s = f->segment;
	uint64_t offset;

	if (!s->facts_holders && !(s->facts_holders = calloc(s->nextents, 1)))
		return NULL;
	offset = chunk_alloc(s, i, f->chunk_bytes);
	if (!offset)
		return NULL;
	facts_hold(s, offset);
	return s->base + offset;
}

static void *chunk_make(struct facts *f, size_t i)
{
	void *chunk = chunk_make_shared(f, i);

	return chunk ? chunk : malloc(f->chunk_bytes);
}

static void chunk_free(struct facts *f, size_t i)
{
	if (is_private(f, i))
		free(f->chunks[i]);
	else
		facts_drop(f->segment, offset_of(f, i), f->chunk_bytes);
}

static int chunk_replace(struct facts *f, size_t i, void *copy)
{
	if (!copy)
		return -ENOMEM;
	memcpy(copy, f->chunks[i], f->chunk_bytes);
	chunk_free(f, i);
	f->chunks[i] = copy;
	return 0;
}

static int chunk_append(struct facts *f)
{
	size_t capacity = 2 * f->capacity + 8;
	void **larger;

	if (f->n == f->capacity) {
		larger = realloc(f->chunks, capacity * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		f->chunks = larger;
		f->capacity = capacity;
	}
	f->chunks[f->n] = chunk_make(f, f->n);
	if (!f->chunks[f->n])
		return -ENOMEM;
	f->n++;
	return 0;
}

int facts_reserve(struct facts *f, uint64_t row)
{
	size_t i = row / CHUNK_ROWS;

	if (i >= MAX_CHUNKS)
		return -ENOMEM;
	if (i == f->n)
		return chunk_append(f);
	if (is_private(f, i) || f->segment->facts_holders[offset_of(f, i) / EXTENT_BYTES] == 1)
		return 0;
	return chunk_replace(f, i, chunk_make(f, i));
}

int facts_show(struct facts *f, struct generation_writer *w, uint64_t before, size_t *shared)
{
	*shared = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (is_private(f, i) && chunk_replace(f, i, chunk_make_shared(f, i)))
			return -ENOMEM;
		generation_facts(w, i, offset_of(f, i), f->chunk_bytes);
		*shared += generation_shows(f->segment, before, i, offset_of(f, i));
	}
	return 0;
}

void facts_free(struct facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		chunk_free(f, i);
	free(f->chunks);
	*f = (struct facts){ .segment = f->segment, .chunk_bytes = f->chunk_bytes };
}
