/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of text from outside that may go to a terminal and into JSON. Only printable UTF-8 is
 * accepted. Invisible marks that change the text around them count as control characters: marks of
 * writing direction, which make one name look like another, and line separators.
 */
#ifndef CONF_BASE_UTF8_H
#define CONF_BASE_UTF8_H

#include <stddef.h>

/*
 * Return the bytes of the printable character (or tab) at the beginning of `s`, 1..4, or 0 if it is
 * a control character or not UTF-8.
 */
size_t utf8_length(const char *s);

/* Replace each byte that is not part of a printable character by '?' and return their number. */
size_t utf8_clean(char *s);

#endif
