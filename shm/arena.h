/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the texts of strings.c. One region of the segment has the texts and only grows. The
 * other has their offsets by id. Both reserve their address space when they are made and get memory
 * as they grow. Generations show an arena without copying it.
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
	/* range of generations that show the arena; 0 = none yet */
	uint64_t first, last;
	struct arena *older;
};

/*
 * Create an arena with address space for at least `text_bytes` bytes of text and `nids` ids.
 * Returns NULL if memory is exhausted.
 */
struct arena *arena_make(struct segment *segment, uint64_t text_bytes, uint64_t nids);
void arena_free(struct segment *segment, struct arena *arena);

/* Provide memory for all ids below `nids`. Returns 0 or -ENOMEM. */
int arena_reach(struct segment *segment, struct arena *arena, uint32_t nids);

/*
 * Add a text under an id. `bytes` includes the NUL. Returns 0, or -ENOMEM if the arena is full or
 * memory is exhausted. After -ENOMEM nothing has changed.
 */
int arena_put(struct segment *segment, struct arena *arena, uint32_t id, const char *text, size_t bytes);

/* Return the text that arena_put() has stored under the id. */
const char *arena_text(const struct segment *segment, const struct arena *arena, uint32_t id);

/* Return true if a reader may be in a generation that shows the arena. */
bool arena_shown(const struct segment *segment, const struct arena *arena);

/* Show the arena, with the ids below `nids`, in the generation that is being filled. */
void arena_show(struct arena *arena, struct generation_writer *writer, uint32_t nids);

#endif
