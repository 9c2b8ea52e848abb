/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names against patterns as Grid Engine's users write them: * any text, ? any byte, [a-z], [!a-z]
 * and [^a-z] with classes like [:digit:], and \ before a byte that means itself. The same as
 * fnmatch(3) in the C locale, but for its cost: patterns come from users, and fnmatch(3) tries some
 * of them for minutes. Here a comparison takes at most pattern x text steps, and as a rule about as
 * many as the text has bytes.
 */
#ifndef CONF_WILDCARD_H
#define CONF_WILDCARD_H

#include <stdbool.h>
#include <stdint.h>

#define WILDCARD_BYTES 1024	/* a pattern has fewer: one that has not matches nothing */

enum wildcard_flags { WILDCARD_IGNORE_CASE = 1, WILDCARD_NO_ESCAPE = 2 };

bool wildcard_match(const char *pattern, const char *text, int flags);

/*
 * Steps that this thread's comparisons have taken so far: what a request may cost, and what tests
 * look at.
 */
extern _Thread_local uint64_t wildcard_steps;

#endif
