/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the texts of strings.c lie: a region of the segment with the texts, which only grows, and
 * one with their offsets by id. Both have their address space from the start and get memory as they
 * grow. Generations show an arena without copying it.
 */
#ifndef SHM_ARENA_H
#define SHM_ARENA_H

#include "shm/generation.h"

struct region {
	uint64_t offset, bytes, populated;
};

struct arena {
	struct region text, ids;
	uint64_t used;				/* bytes of text */
	uint64_t first, last;			/* generations that show it; 0 = none yet */
	struct arena *older;
};

/* Address space for that many bytes of text and ids at the least. NULL: no memory. */
struct arena *arena_make(struct segment *segment, uint64_t text_bytes, uint64_t nids);
void arena_free(struct segment *segment, struct arena *arena);

/* Memory for ids below nids. 0, -ENOMEM. */
int arena_reach(struct segment *segment, struct arena *arena, uint32_t nids);

/*
 * Add a text of `bytes` with its NUL under an id. 0, -ENOMEM: full, or no memory; nothing has
 * changed.
 */
int arena_put(struct segment *segment, struct arena *arena, uint32_t id, const char *text, size_t bytes);

/* The text of an id that was put. */
const char *arena_text(const struct segment *segment, const struct arena *arena, uint32_t id);

/* May a reader be in a generation that shows it? */
bool arena_shown(const struct segment *segment, const struct arena *arena);

/* Show it, with ids below nids, in the generation being filled. */
void arena_show(struct arena *arena, struct generation_writer *writer, uint32_t nids);

#endif
