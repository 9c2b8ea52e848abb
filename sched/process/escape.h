/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that come from users and from shared memory, on their way to a terminal or a document: no
 * control character and no invalid UTF-8 gets through.
 */
#ifndef SCHED_PROCESS_ESCAPE_H
#define SCHED_PROCESS_ESCAPE_H

#include "sched/process/output.h"

/*
 * Bytes of the valid UTF-8 character that begins a text of n >= 1 bytes; 0 when there is none, or
 * when it controls a terminal.
 */
size_t escape_character(const unsigned char *text, size_t n);

/* Printable ASCII. */
static inline bool escape_is_simple(char c)
{
	return (unsigned char)(c - 0x20) < 0x5f;
}

/*
 * Copies to p what needs no escape in any format, up to `most` bytes; returns how many. Most texts
 * are short and all of it.
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
 * What stands for a character of `bytes` bytes that begins with c, or for a byte that is no
 * character (`bytes` is 0); NULL: the character itself. `space` is 8 bytes to put it in.
 */
typedef const char *escape_replacement(unsigned char c, size_t bytes, char *space);

/* The whole text, each character replaced where it has to be. */
void escape_text(struct out *out, const char *text, escape_replacement *replace);

#endif
