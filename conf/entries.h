/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a list with separators between, ",": any character may be in one. A separator that
 * belongs to an entry has a backslash before it, and backslashes that stand directly before a
 * separator, or at the entry's end, are written twice. All others are what they are:
 *
 *     a,b   x\y   c\        a\,b,x\y,c\\
 */
#ifndef CONF_ENTRIES_H
#define CONF_ENTRIES_H

#include <stddef.h>

/* Most bytes that an entry takes. */
static inline size_t entry_most(size_t bytes)
{
	return 2 * bytes;
}

/* Writes one, without a NUL behind it; returns where it ends. */
char *entry_write(char *to, const char *text, const char *separators);

/* Bytes of the entry that `list` begins with. */
size_t entry_length(const char *list, const char *separators);

/* Makes of n bytes of a list what was written, in place, with a NUL behind it. */
void entry_read(char *entry, size_t n, const char *separators);

#endif
