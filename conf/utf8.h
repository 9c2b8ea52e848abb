/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from outside may go to a terminal and into JSON: only printable UTF-8 gets that far. Marks
 * that are not seen but change what is seen around them count as control characters: those of
 * writing direction, which make one name look like another, and line separators.
 */
#ifndef CONF_UTF8_H
#define CONF_UTF8_H

#include <stddef.h>

/*
 * Bytes of the printable character (or tab) that `s` begins with, 1..4; 0 if it is a control
 * character or no UTF-8.
 */
size_t utf8_length(const char *s);

/*
 * Puts '?' in the place of each byte that is not part of a printable character. Returns how many
 * there were.
 */
size_t utf8_clean(char *s);

#endif
