/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/text.h"

#include <stdint.h>

#include "sched/process/digits.h"

#define SAFE_BYTES 256u

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * Bytes of the valid UTF-8 character that begins a text of n >= 1 bytes; 0 when there is none, or
 * when it controls a terminal.
 */
static size_t character(const unsigned char *s, size_t n)
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

static bool is_simple(char c)
{
	return (unsigned char)(c - 0x20) < 0x5f;
}

/* The rest of a column from its first byte on that is not simple. */
static char *column_rest(char *p, char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - p) + 3), k = 0;

	while (k < n && p < end) {
		size_t bytes = character((const unsigned char *)text + k, n - k);

		if (bytes > (size_t)(end - p))
			break;
		if (!bytes)
			*p++ = '?';
		for (size_t i = 0; i < bytes; i++)
			*p++ = text[k + i];
		k += bytes ? bytes : 1;
	}
	return p;
}

char *text_column(char *p, const char *text, size_t width)
{
	char *start = p, *end = p + width;

	while (p < end && is_simple(*text))
		*p++ = *text++;
	if (p < end && *text)
		p = column_rest(p, end, text);
	return text_pad(start, p, width);
}

/* Needs no escape anywhere. */
static bool is_safe(char c)
{
	return is_simple(c) && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>' && c != '\'';
}

/*
 * What stands for a character that needs an escape, or for a byte that is no character (`bytes` is
 * 0); NULL: the character itself. `space` is 8 bytes to put it in.
 */
typedef const char *replacement(unsigned char c, size_t bytes, char *space);

/*
 * The text is read once, byte by byte below a length that was measured before: it may be changing
 * under us when our section has been evicted.
 */
static void text_replaced(struct out *o, const char *text, replacement *replace)
{
	size_t n = strlen(text);

	for (size_t k = 0; k < n;) {
		unsigned char c = (unsigned char)text[k];
		size_t bytes = character((const unsigned char *)text + k, n - k);
		char space[8];
		const char *instead = replace(c, bytes, space);
		char *p = out_room(o, sizeof(space));

		if (instead)
			p = stpcpy(p, instead);
		else
			for (size_t i = 0; i < bytes; i++)
				*p++ = text[k + i];
		out_take(o, p);
		k += bytes ? bytes : 1;
	}
}

/* Copies what is safe, up to `most`; returns how much. Most texts are short and all of it. */
static inline size_t text_safe(char *p, const char *text, size_t most)
{
	size_t k = 0;

	for (; k < most && is_safe(text[k]); k++)
		p[k] = text[k];
	return k;
}

static void text_escaped(struct out *o, const char *text, replacement *replace)
{
	char *p = out_room(o, SAFE_BYTES);
	size_t n = text_safe(p, text, SAFE_BYTES);

	out_take(o, p + n);
	if (text[n])
		text_replaced(o, text + n, replace);
}

static const char *replace_plain(unsigned char c, size_t bytes, char *space)
{
	(void)c;
	(void)space;
	return bytes ? NULL : "?";
}

void text_plain(struct out *o, const char *text)
{
	text_escaped(o, text, replace_plain);
}

static const char *replace_json(unsigned char c, size_t bytes, char *space)
{
	static const char hex[] = "0123456789abcdef";

	if (c == '"')
		return "\\\"";
	if (c == '\\')
		return "\\\\";
	if (bytes)
		return NULL;
	if (c >= 0x20 && c != 0x7f)
		return "\xef\xbf\xbd";
	memcpy(space, "\\u00", 4);
	space[4] = hex[c >> 4];
	space[5] = hex[c & 15];
	space[6] = '\0';
	return space;
}

void text_json(struct out *o, const char *text)
{
	char *p = out_room(o, SAFE_BYTES + 2);
	size_t n = text_safe(p + 1, text, SAFE_BYTES);

	*p = '"';
	out_take(o, p + 1 + n);
	if (text[n])
		text_replaced(o, text + n, replace_json);
	out_bytes(o, "\"", 1);
}

char *text_json_short(char *p, const char *text, size_t most)
{
	size_t n = text_safe(p + 1, text, most - 2);

	if (text[n])
		return NULL;
	*p = p[n + 1] = '"';
	return p + n + 2;
}

static const char *replace_xml(unsigned char c, size_t bytes, char *space)
{
	(void)space;
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&apos;";
	}
	return bytes ? NULL : "?";
}

void text_xml(struct out *o, const char *text)
{
	text_escaped(o, text, replace_xml);
}

void text_ranges(struct out *o, const struct fl_range *ranges, size_t n)
{
	for (size_t k = 0; k < n && !o->error; k++) {
		const struct fl_range r = ranges[k];
		char *p = out_room(o, 64);

		if (k)
			*p++ = ',';
		p = digits_u64(p, r.min);
		if (r.max > r.min) {
			bool two = r.max - r.min == r.step;

			*p++ = two ? ',' : '-';
			p = digits_u64(p, r.max);
			if (!two) {
				*p++ = ':';
				p = digits_u64(p, r.step);
			}
		}
		out_take(o, p);
	}
}

char *text_duration(char *p, double seconds)
{
	uint64_t s = seconds >= 1 && seconds < 1e15 ? (uint64_t)seconds : 0;

	p = digits_u64(p, s / 86400);
	*p++ = ':';
	p = digits_two(p, (unsigned)(s / 3600 % 24));
	*p++ = ':';
	p = digits_two(p, (unsigned)(s / 60 % 60));
	*p++ = ':';
	return digits_two(p, (unsigned)(s % 60));
}
