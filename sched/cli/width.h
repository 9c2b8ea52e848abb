/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts as wide as they are on a terminal: most characters take one column of it, those of East
 * Asia and pictures two, marks on the character before them none. What is no printable UTF-8 is a
 * '?'.
 */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include <stdbool.h>

#include "sched/process/output.h"

size_t width_of(const char *text);

/*
 * A text in so many columns: filled up with blanks behind it, or before it, or cut to whole
 * characters, with `mark` in the place of what is left out; "" or what takes one column.
 */
void width_put(struct out *out, const char *text, size_t columns, bool right, const char *mark);

/* As it is, whatever it takes. */
void width_put_all(struct out *out, const char *text);

#endif
