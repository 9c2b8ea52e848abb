/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POPULATE_BYTES (64u << 10)		/* Step in which an arena grows */

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int region_alloc(struct segment *segment, struct region *region, uint64_t bytes)
{
	region->bytes = round_up(bytes, EXTENT_BYTES);
	region->offset = segment_alloc(segment, region->bytes);
	region->populated = 0;
	return region->offset ? 0 : -ENOMEM;
}

static int region_reach(struct segment *segment, struct region *region, uint64_t bytes)
{
	if (bytes <= region->populated)
		return 0;
	if (bytes > region->bytes)
		return -ENOMEM;
	uint64_t upto = round_up(bytes, POPULATE_BYTES);
	int rc = segment_populate(segment, region->offset + region->populated, upto - region->populated);

	if (!rc)
		region->populated = upto;
	return rc;
}

void arena_free(struct segment *segment, struct arena *arena)
{
	if (arena->text.offset)
		segment_free(segment, arena->text.offset, arena->text.bytes);
	if (arena->ids.offset)
		segment_free(segment, arena->ids.offset, arena->ids.bytes);
	free(arena);
}

struct arena *arena_make(struct segment *segment, uint64_t text_bytes, uint64_t nids)
{
	struct arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		return NULL;
	if (region_alloc(segment, &arena->text, text_bytes) ||
	    region_alloc(segment, &arena->ids, nids * sizeof(uint32_t))) {
		arena_free(segment, arena);
		return NULL;
	}
	return arena;
}

int arena_put(struct segment *segment, struct arena *arena, uint32_t id, const char *text, size_t bytes)
{
	if (arena->used + bytes > UINT32_MAX || region_reach(segment, &arena->text, arena->used + bytes) ||
	    region_reach(segment, &arena->ids, ((uint64_t)id + 1) * sizeof(uint32_t)))
		return -ENOMEM;
	memcpy(segment->base + arena->text.offset + arena->used, text, bytes);
	((uint32_t *)(segment->base + arena->ids.offset))[id] = (uint32_t)arena->used;
	arena->used += bytes;
	return 0;
}

bool arena_shown(const struct segment *segment, const struct arena *arena)
{
	return arena->first && generation_shown(segment, arena->first, arena->last);
}

int arena_reach(struct segment *segment, struct arena *arena, uint32_t nids)
{
	return region_reach(segment, &arena->ids, nids * sizeof(uint32_t));
}

const char *arena_text(const struct segment *segment, const struct arena *arena, uint32_t id)
{
	const uint32_t *offsets = (const uint32_t *)(segment->base + arena->ids.offset);

	return (const char *)segment->base + arena->text.offset + offsets[id];
}

void arena_show(struct arena *arena, struct generation_writer *writer, uint32_t nids)
{
	if (!arena->first)
		arena->first = writer->gen;
	arena->last = writer->gen;
	generation_borrow(writer, TABLE_STRINGS, arena->ids.offset, arena->used ? nids : 0, sizeof(uint32_t));
	generation_borrow(writer, TABLE_TEXT, arena->text.offset, arena->used, 1);
}
