/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts by their width on a terminal. Most characters take one column, East Asian characters and
 * emoji take two, combining marks take none. A byte that is not printable UTF-8 becomes '?'.
 */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include <stdbool.h>

#include "sched/process/output.h"

size_t width_of(const char *text);

/*
 * Write a text in a fixed number of columns. Short texts are padded on the right, or on the left
 * with `right`. Long texts are cut to whole characters, and `mark` replaces the rest. `mark` is ""
 * or takes one column.
 */
void width_put(struct out *out, const char *text, size_t columns, bool right, const char *mark);

/* Write the whole text, of any width. */
void width_put_all(struct out *out, const char *text);

#endif
