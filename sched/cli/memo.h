/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache of formatted strings. A million jobs share few owners, projects, names and requests. A
 * string is recognised by its address, which means the same text until the section ends. Call
 * memo_forget() at the start of each section. Only strings of the segment may be passed.
 */
#ifndef CLI_MEMO_H
#define CLI_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMO_BITS 13u
#define MEMO_BYTES 54u		/* longer strings are formatted each time */

struct memo {			/* zero-initialised by the caller */
	struct memo_entry {	/* a cache line */
		const char *text;
		uint8_t width, bytes;		/* width 0: JSON */
		char made[MEMO_BYTES];
	} entries[1u << MEMO_BITS];
	bool used;
};

/* Discard all entries. */
void memo_forget(struct memo *memo);

/* Write like text_column(), 0 < width <= MEMO_BYTES. `p` needs MEMO_BYTES of room. */
char *memo_column(struct memo *memo, char *p, const char *text, size_t width);

/*
 * Write like json_text() at `p`, which needs MEMO_BYTES of room. NULL: the string is long or has
 * escapes.
 */
char *memo_json(struct memo *memo, char *p, const char *text);

#endif
