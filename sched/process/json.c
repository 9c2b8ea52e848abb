/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/json.h"

#include "sched/process/escape.h"

#define SAFE_BYTES 256u

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

void json_text(struct out *out, const char *text)
{
	char *p = out_room(out, SAFE_BYTES + 2);
	size_t n = escape_safe(p + 1, text, SAFE_BYTES);

	*p = '"';
	out_take(out, p + 1 + n);
	if (text[n])
		escape_text(out, text + n, replace_json);
	out_bytes(out, "\"", 1);
}

/* Write the escape of a character below U+0020, a quote or a backslash. Returns its length. */
static size_t escape_plain(char *p, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt", hex[] = "0123456789ABCDEF";
	const char *pair = letters;

	while (*pair && (unsigned char)*pair != c)
		pair += 2;
	p[0] = '\\';
	if (*pair) {
		p[1] = pair[1];
		return 2;
	}
	memcpy(p + 1, "u00", 3);
	p[4] = hex[c >> 4];
	p[5] = hex[c & 15];
	return 6;
}

/* Return the length of the UTF-8 character at the beginning of a text; 0: there is none. */
static size_t character_bytes(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)*text;
	size_t n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;
	uint32_t code = n > 1 ? c & (0x7fu >> n) : c;

	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

void json_plain_text(struct out *out, const char *text)
{
	json_write_literal(out, "\"");
	while (*text) {
		char *p = out_room(out, SAFE_BYTES + 6), *most = p + SAFE_BYTES;
		size_t n = 1;

		for (; *text && p < most; text += n) {
			unsigned char c = (unsigned char)*text;

			n = character_bytes(text);
			if (c < 0x20 || c == '"' || c == '\\')
				p += escape_plain(p, c);
			else if (n)
				p = (char *)memcpy(p, text, n) + n;
			else
				p = stpcpy(p, "\xef\xbf\xbd");
			n = n ? n : 1;
		}
		out_take(out, p);
	}
	json_write_literal(out, "\"");
}

size_t json_text_bytes(const char *text)
{
	size_t bytes = 0, n;

	for (size_t left = strlen(text); left > 0; text += n, left -= n) {
		char space[8];
		const char *written;

		n = escape_character((const unsigned char *)text, left);
		written = replace_json((unsigned char)*text, n, space);
		n = n ? n : 1;
		bytes += written ? strlen(written) : n;
	}
	return bytes;
}

void json_text_or_null(struct out *out, const char *text)
{
	if (*text)
		json_text(out, text);
	else
		out_bytes(out, "null", 4);
}

char *json_put_short(char *p, const char *text, size_t most)
{
	size_t n = escape_safe(p + 1, text, most - 2);

	if (text[n])
		return NULL;
	*p = p[n + 1] = '"';
	return p + n + 2;
}
