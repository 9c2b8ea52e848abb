/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in the segment: each distinct text once, under a small number that stays the same as long
 * as somebody holds it.
 *
 * The texts lie in an arena in the segment that only grows, so that generations can share it. When
 * more of it is garbage than in use, a new arena with only the living texts is made (ids stay the
 * same), later generations use that one, and the old arena is freed when no directory shows a
 * generation of it any more. A freed id is given out again only in a new arena: no reader of an old
 * generation ever sees another text under an id.
 */
#ifndef SHM_STRINGS_H
#define SHM_STRINGS_H

#include "shm/generation.h"

struct strings;

int strings_create(struct strings **strings, struct segment *segment);
void strings_destroy(struct strings *strings);	/* what generations show stays; NULL is a no-op */

/*
 * The id of a text, counted once more. NULL gives NONE. NONE and errno ENOMEM when there is no
 * memory.
 */
uint32_t strings_hold(struct strings *strings, const char *text);
/* An id that is held, counted once more. NONE is a no-op. */
void strings_hold_again(struct strings *strings, uint32_t id);
/* One holder less. NONE is a no-op. */
void strings_drop(struct strings *strings, uint32_t id);
/* The text of a held id; "" for NONE. Valid until the next strings_ call. */
const char *strings_text(const struct strings *strings, uint32_t id);
/* All holders of all texts: what leaks shows in it. Takes as long as there are texts. */
uint64_t strings_holders(const struct strings *strings);
/* The id if the text is held by anybody, else NONE; counts nothing. */
uint32_t strings_find(const struct strings *strings, const char *text);

/*
 * Make the arena visible in a generation (TABLE_STRINGS, TABLE_TEXT); compacts before that when it
 * pays. Ids that the generation's tables name must be held until this returns; those dropped later
 * stay readable in it. No memory to compact is no error.
 */
int strings_publish(struct strings *strings, struct generation_writer *writer);

#endif
