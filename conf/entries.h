/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists whose entries may contain any character. Entries are separated by a separator such as ",".
 * A separator in an entry is preceded by a backslash. Backslashes directly before a separator or at
 * the end of an entry are doubled. All other backslashes are unchanged:
 *
 *     a,b   x\y   c\        a\,b,x\y,c\\
 */
#ifndef CONF_ENTRIES_H
#define CONF_ENTRIES_H

#include <stddef.h>

/* Return the maximum size of a written entry. */
static inline size_t entry_most(size_t bytes)
{
	return 2 * bytes;
}

/* Write an entry without a terminating NUL and return its end. */
char *entry_write(char *to, const char *text, const char *separators);

/* Return the size of the first entry of `list`. */
size_t entry_length(const char *list, const char *separators);

/* Convert an entry of n bytes to its text, in place, and terminate it with a NUL. */
void entry_read(char *entry, size_t n, const char *separators);

#endif
