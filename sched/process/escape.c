/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/escape.h"

#define SAFE_BYTES 256u

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t escape_character(const unsigned char *s, size_t n)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	/* U+0080 to U+009F are control characters */
	if (s[0] >= 0xc2 && s[0] <= 0xdf && n >= 2)
		return is_tail(s[1]) && !(s[0] == 0xc2 && s[1] < 0xa0) ? 2 : 0;
	if ((s[0] & 0xf0) == 0xe0 && n >= 3 && is_tail(s[1]) && is_tail(s[2])) {
		unsigned code = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);

		return code >= 0x800 && (code < 0xd800 || code > 0xdfff) && code < 0xfffe ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4 && n >= 4 && is_tail(s[1]) && is_tail(s[2]) && is_tail(s[3])) {
		unsigned code = (s[0] & 7u) << 18 | (s[1] & 0x3fu) << 12;

		return code >= 0x10000 && code <= 0x10ffff ? 4 : 0;
	}
	return 0;
}

/*
 * Write a text with replacements. It is read once, byte by byte up to a length that was measured
 * before, because it may change while it is read if the section was evicted.
 */
static void text_replaced(struct out *out, const char *text, escape_replacement *replace)
{
	size_t n = strlen(text);

	for (size_t k = 0; k < n;) {
		unsigned char c = (unsigned char)text[k];
		size_t bytes = escape_character((const unsigned char *)text + k, n - k);
		char space[8];
		const char *instead = replace(c, bytes, space);
		char *p = out_room(out, sizeof(space));

		if (instead)
			p = stpcpy(p, instead);
		else
			for (size_t i = 0; i < bytes; i++)
				*p++ = text[k + i];
		out_take(out, p);
		k += bytes ? bytes : 1;
	}
}

void escape_text(struct out *out, const char *text, escape_replacement *replace)
{
	char *p = out_room(out, SAFE_BYTES);
	size_t n = escape_safe(p, text, SAFE_BYTES);

	out_take(out, p + n);
	if (text[n])
		text_replaced(out, text + n, replace);
}
