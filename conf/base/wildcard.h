/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison of names with patterns in Grid Engine's notation: * is any text, ? any byte, [a-z],
 * [!a-z] and [^a-z] are sets with classes like [:digit:], and a byte after \ means itself. The
 * result is that of fnmatch(3) in the C locale. Patterns come from users, and fnmatch(3) needs
 * minutes for some of them. This function takes at most pattern x text steps, and usually about as
 * many as the text has bytes.
 */
#ifndef CONF_BASE_WILDCARD_H
#define CONF_BASE_WILDCARD_H

#include <stdbool.h>
#include <stdint.h>

/* limit on the size of a pattern; a pattern of this size or more matches nothing */
#define WILDCARD_BYTES 1024

enum wildcard_flags { WILDCARD_IGNORE_CASE = 1, WILDCARD_NO_ESCAPE = 2 };

bool wildcard_match(const char *pattern, const char *text, int flags);

/*
 * Steps that comparisons of this thread have taken so far. They limit the cost of a request and are
 * checked by tests.
 */
extern _Thread_local uint64_t wildcard_steps;

#endif
