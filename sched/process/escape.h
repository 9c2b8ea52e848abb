/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escaping of strings from users and from shared memory for a terminal or a document. Control
 * characters and invalid UTF-8 never get into the output.
 */
#ifndef SCHED_PROCESS_ESCAPE_H
#define SCHED_PROCESS_ESCAPE_H

#include "sched/process/output.h"

/*
 * Return the number of bytes of the valid UTF-8 character at the beginning of a text of n >= 1
 * bytes. 0: there is none, or it controls a terminal.
 */
size_t escape_character(const unsigned char *text, size_t n);

/* Return whether a character is printable ASCII. */
static inline bool escape_is_simple(char c)
{
	return (unsigned char)(c - 0x20) < 0x5f;
}

/*
 * Copy characters to `p` that need no escape in any format, up to `most` bytes. Returns their
 * number. Most texts are short and are copied completely.
 */
static inline size_t escape_safe(char *p, const char *text, size_t most)
{
	size_t k = 0;

	for (; k < most && escape_is_simple(text[k]) && text[k] != '"' && text[k] != '\\' && text[k] != '&' &&
	       text[k] != '<' && text[k] != '>' && text[k] != '\'';
	     k++)
		p[k] = text[k];
	return k;
}

/*
 * Return the replacement for a character of `bytes` bytes that begins with `c`, or for a byte that
 * is not a character (`bytes` is 0). NULL: the character is not replaced. `space` is a buffer of 8
 * bytes for the result.
 */
typedef const char *escape_replacement(unsigned char c, size_t bytes, char *space);

/* Write the text, replacing characters if necessary. */
void escape_text(struct out *out, const char *text, escape_replacement *replace);

#endif
