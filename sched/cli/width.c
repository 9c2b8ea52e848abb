/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/width.h"

#include <stdint.h>

#include "sched/process/escape.h"

static const struct { uint32_t from, to; uint8_t columns; } others[] = {
	{ 0x0300, 0x036f, 0 }, { 0x1100, 0x115f, 2 }, { 0x200b, 0x200f, 0 }, { 0x20d0, 0x20ff, 0 }, { 0x2e80, 0x303e, 2 }, { 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 }, { 0xfe00, 0xfe0f, 0 }, { 0xfe20, 0xfe2f, 0 }, { 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 },
	{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
};

/* Return the character of valid UTF-8 that begins here. */
static uint32_t character(const unsigned char *p, size_t bytes)
{
	uint32_t c = bytes == 1 ? p[0] : bytes == 2 ? p[0] & 0x1f : bytes == 3 ? p[0] & 0x0f : p[0] & 0x07;

	for (size_t k = 1; k < bytes; k++)
		c = c << 6 | (p[k] & 0x3f);
	return c;
}

struct glyph {				/* a character or an invalid byte */
	size_t bytes, columns;
	bool valid;
};

static struct glyph glyph_at(const char *text, size_t left)
{
	struct glyph glyph = { .bytes = escape_character((const unsigned char *)text, left), .columns = 1 };

	glyph.valid = glyph.bytes > 0;
	if (!glyph.valid) {
		glyph.bytes = 1;
		return glyph;
	}
	if (glyph.bytes > 1) {
		uint32_t c = character((const unsigned char *)text, glyph.bytes);

		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			if (c >= others[k].from && c <= others[k].to)
				glyph.columns = others[k].columns;
	}
	return glyph;
}

size_t width_of(const char *text)
{
	size_t columns = 0, left = strlen(text);

	while (left > 0) {
		const struct glyph glyph = glyph_at(text, left);

		columns += glyph.columns;
		text += glyph.bytes;
		left -= glyph.bytes;
	}
	return columns;
}

static void put_blanks(struct out *out, size_t n)
{
	for (; n > 0; n -= n < 64 ? n : 64)
		out_bytes(out, "                                                                ", n < 64 ? n : 64);
}

/* Write as much as fits into `columns`. Return the number of columns used. */
static size_t put_some(struct out *out, const char *text, size_t columns)
{
	size_t taken = 0, left = strlen(text);

	while (left > 0) {
		const struct glyph glyph = glyph_at(text, left);

		if (taken + glyph.columns > columns)
			break;
		if (glyph.valid)
			out_bytes(out, text, glyph.bytes);
		else
			out_bytes(out, "?", 1);
		taken += glyph.columns;
		text += glyph.bytes;
		left -= glyph.bytes;
	}
	return taken;
}

void width_put(struct out *out, const char *text, size_t columns, bool right, const char *mark)
{
	size_t width = width_of(text), before = right && width < columns ? columns - width : 0;
	bool marked = width > columns && columns > 1 && *mark;

	put_blanks(out, before);
	before += put_some(out, text, columns - marked);
	if (marked)
		out_text(out, mark);
	put_blanks(out, columns - before - marked);
}

void width_put_all(struct out *out, const char *text)
{
	put_some(out, text, SIZE_MAX / 2);
}
