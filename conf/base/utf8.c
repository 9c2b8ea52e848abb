/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the length by the first byte. `*code` receives the byte's bits of the code point, `*least`
 * the smallest code point that needs that length.
 */
static size_t utf8_lead(unsigned char c, uint32_t *code, uint32_t *least)
{
	if (c >= 0xc0 && c < 0xe0)
		return *code = c & 0x1f, *least = 0x80, 2;
	if (c >= 0xe0 && c < 0xf0)
		return *code = c & 0x0f, *least = 0x800, 3;
	if (c >= 0xf0 && c < 0xf8)
		return *code = c & 0x07, *least = 0x10000, 4;
	return 0;
}

/*
 * Return true for code points that are not visible but change the text around them: direction
 * marks, embeddings, overrides and isolates, line separators, characters without width except
 * joiners, which scripts need, and tags.
 */
static bool is_hidden(uint32_t code)
{
	return code == 0x61c || code == 0x200b || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

size_t utf8_length(const char *s)
{
	unsigned char c = (unsigned char)*s;
	uint32_t code, least;
	size_t n, i;

	if (c < 0x80)
		return (c >= 0x20 && c != 0x7f) || c == '\t';
	n = utf8_lead(c, &code, &least);
	for (i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (n == 0 || code < least || code < 0xa0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    is_hidden(code))
		return 0;
	return n;
}

size_t utf8_clean(char *s)
{
	size_t replaced = 0, n;

	while (*s) {
		if ((unsigned char)*s - 0x20u < 0x5f) {
			/* the common case: printable ASCII */
			s++;
			continue;
		}
		n = utf8_length(s);
		if (n == 0) {
			*s = '?';
			replaced++;
			n = 1;
		}
		s += n;
	}
	return replaced;
}
