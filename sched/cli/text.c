/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/text.h"

#include <stdint.h>

#include "sched/process/escape.h"
#include "sched/process/digits.h"

/* Write the rest of a column from its first byte that is not plain text. */
static char *column_rest(char *p, char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - p) + 3), k = 0;

	while (k < n && p < end) {
		size_t bytes = escape_character((const unsigned char *)text + k, n - k);

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

	while (p < end && escape_is_simple(*text))
		*p++ = *text++;
	if (p < end && *text)
		p = column_rest(p, end, text);
	return text_pad(start, p, width);
}

static const char *replace_plain(unsigned char c, size_t bytes, char *space)
{
	(void)c;
	(void)space;
	return bytes ? NULL : "?";
}

void text_plain(struct out *out, const char *text)
{
	escape_text(out, text, replace_plain);
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

void text_xml(struct out *out, const char *text)
{
	escape_text(out, text, replace_xml);
}

void text_ranges(struct out *out, const struct fl_range *ranges, size_t n)
{
	for (size_t k = 0; k < n && !out->error; k++) {
		const struct fl_range range = ranges[k];
		char *p = out_room(out, 64);

		if (k)
			*p++ = ',';
		p = digits_u64(p, range.min);
		if (range.max > range.min) {
			bool two = range.max - range.min == range.step;

			*p++ = two ? ',' : '-';
			p = digits_u64(p, range.max);
			if (!two) {
				*p++ = ':';
				p = digits_u64(p, range.step);
			}
		}
		out_take(out, p);
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
