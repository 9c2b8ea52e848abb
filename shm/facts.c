/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Allocate memory for a chunk on the node whose workers compute chunk i. */
uint64_t chunk_alloc(struct segment *segment, size_t i, uint64_t bytes)
{
	uint64_t offset = segment_alloc_on(segment, (unsigned)(i % segment_nodes(segment)), bytes);

	if (offset && segment_populate(segment, offset, bytes)) {
		segment_free(segment, offset, bytes);
		return 0;
	}
	return offset;
}

void facts_hold(struct segment *segment, uint64_t offset)
{
	segment->facts_holders[offset / EXTENT_BYTES]++;
}

void facts_drop(struct segment *segment, uint64_t offset, uint64_t bytes)
{
	if (--segment->facts_holders[offset / EXTENT_BYTES] == 0)
		segment_free(segment, offset, bytes);
}

static bool is_private(const struct facts *facts, size_t i)
{
	const uint8_t *chunk = facts->chunks[i], *base = facts->segment->base;

	return chunk < base || chunk >= base + facts->segment->file_bytes;
}

static uint64_t offset_of(const struct facts *facts, size_t i)
{
	return (uint64_t)((uint8_t *)facts->chunks[i] - facts->segment->base);
}

static void *chunk_make_shared(struct facts *facts, size_t i)
{
	struct segment *segment = facts->segment;
	uint64_t offset;

	if (!segment->facts_holders && !(segment->facts_holders = calloc(segment->nextents, 1)))
		return NULL;
	offset = chunk_alloc(segment, i, facts->chunk_bytes);
	if (!offset)
		return NULL;
	facts_hold(segment, offset);
	return segment->base + offset;
}

static void *chunk_make(struct facts *facts, size_t i)
{
	void *chunk = chunk_make_shared(facts, i);

	return chunk ? chunk : malloc(facts->chunk_bytes);
}

static void chunk_free(struct facts *facts, size_t i)
{
	if (is_private(facts, i))
		free(facts->chunks[i]);
	else
		facts_drop(facts->segment, offset_of(facts, i), facts->chunk_bytes);
}

static int chunk_replace(struct facts *facts, size_t i, void *copy)
{
	if (!copy)
		return -ENOMEM;
	memcpy(copy, facts->chunks[i], facts->chunk_bytes);
	chunk_free(facts, i);
	facts->chunks[i] = copy;
	return 0;
}

static int chunk_append(struct facts *facts)
{
	size_t capacity = 2 * facts->capacity + 8;
	void **larger;

	if (facts->n == facts->capacity) {
		larger = realloc(facts->chunks, capacity * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		facts->chunks = larger;
		facts->capacity = capacity;
	}
	facts->chunks[facts->n] = chunk_make(facts, facts->n);
	if (!facts->chunks[facts->n])
		return -ENOMEM;
	facts->n++;
	return 0;
}

int facts_reserve(struct facts *facts, uint64_t row)
{
	size_t i = row / CHUNK_ROWS;

	if (i >= MAX_CHUNKS)
		return -ENOMEM;
	if (i == facts->n)
		return chunk_append(facts);
	if (is_private(facts, i) || facts->segment->facts_holders[offset_of(facts, i) / EXTENT_BYTES] == 1)
		return 0;
	return chunk_replace(facts, i, chunk_make(facts, i));
}

int facts_show(struct facts *facts, struct generation_writer *writer, uint64_t before, size_t *shared)
{
	*shared = 0;
	for (size_t i = 0; i < facts->n; i++) {
		if (is_private(facts, i) && chunk_replace(facts, i, chunk_make_shared(facts, i)))
			return -ENOMEM;
		generation_facts(writer, i, offset_of(facts, i), facts->chunk_bytes);
		*shared += generation_shows(facts->segment, before, i, offset_of(facts, i));
	}
	return 0;
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		chunk_free(facts, i);
	free(facts->chunks);
	*facts = (struct facts){ .segment = facts->segment, .chunk_bytes = facts->chunk_bytes };
}
