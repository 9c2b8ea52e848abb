/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in the segment. Each distinct text is stored once, under a small number that does not
 * change as long as the text has a holder.
 *
 * The texts are in an arena in the segment that only grows, so that generations can share it. If
 * more than half of it is garbage, a new arena with only the living texts is made. Ids stay the
 * same. Later generations use the new arena, and the old one is freed when no directory shows a
 * generation of it any more. A freed id is assigned again only in a new arena, so a reader of an
 * old generation never sees another text under an id.
 */
#ifndef SHM_STRINGS_H
#define SHM_STRINGS_H

#include "shm/generation.h"

struct strings;

int strings_create(struct strings **strings, struct segment *segment);
/* Free the strings. Generations keep the texts that they show. NULL is a no-op. */
void strings_destroy(struct strings *strings);

/*
 * Return the id of a text and add one holder. Returns NONE for NULL, and NONE with errno ENOMEM if
 * memory is exhausted.
 */
uint32_t strings_hold(struct strings *strings, const char *text);
/* Add one holder to a held id. NONE is a no-op. */
void strings_hold_again(struct strings *strings, uint32_t id);
/* Remove one holder. NONE is a no-op. */
void strings_drop(struct strings *strings, uint32_t id);
/* Return the text of a held id, or "" for NONE. Valid until the next strings_ call. */
const char *strings_text(const struct strings *strings, uint32_t id);
/*
 * Return the number of holders of all texts, which shows leaks. The time is proportional to the
 * number of texts.
 */
uint64_t strings_holders(const struct strings *strings);
/* Return the id if the text has a holder, else NONE. Adds no holder. */
uint32_t strings_find(const struct strings *strings, const char *text);

/*
 * Show the arena in a generation (TABLE_STRINGS, TABLE_TEXT). The arena is compacted first if this
 * is worthwhile. Ids in the generation's tables must be held until this returns. Ids that are
 * dropped later stay readable in the generation. If there is no memory to compact, the arena is
 * used without compaction.
 */
int strings_publish(struct strings *strings, struct generation_writer *writer);

#endif
