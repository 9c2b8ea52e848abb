/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings as they were formatted before: a million jobs have few owners, projects, names and
 * requests between them. A string is known again by its address, which means the same text until
 * the section ends: begin each section with memo_forget(). Strings that do not come from the
 * segment must not be given.
 */
#ifndef CLI_MEMO_H
#define CLI_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMO_BITS 13u
#define MEMO_BYTES 54u		/* longer ones are formatted each time */

struct memo {			/* zero-initialise */
	struct memo_entry {	/* a cache line */
		const char *text;
		uint8_t width, bytes;		/* width 0: JSON */
		char made[MEMO_BYTES];
	} entries[1u << MEMO_BITS];
	bool used;
};

/* What is known now means nothing from here on. */
void memo_forget(struct memo *memo);

/* text_column(), 0 < width <= MEMO_BYTES; MEMO_BYTES of room. */
char *memo_column(struct memo *memo, char *p, const char *text, size_t width);

/* json_text() at p, where room for MEMO_BYTES is; NULL: not a short string without escapes. */
char *memo_json(struct memo *memo, char *p, const char *text);

#endif
