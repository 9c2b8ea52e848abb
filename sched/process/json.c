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
