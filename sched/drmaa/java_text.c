/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of Java, which are UTF-16, and exceptions. */
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/java.h"

#define REPLACEMENT 0xfffd
#define NO_MEMORY "java/lang/OutOfMemoryError"

void java_throw(java j, const char *class, const char *message)
{
	java_object found;

	if ((*j)->exception_check(j))
		return;
	found = (*j)->find_class(j, class);
	if (!found) {		/* replace the exception about the missing class */
		(*j)->exception_clear(j);
		found = (*j)->find_class(j, "java/lang/InternalError");
	}
	if (found)
		(*j)->throw_new(j, found, message);
}

/* Conversion to UTF-8 */

static uint32_t utf16_next(const uint16_t **text, const uint16_t *end)
{
	uint32_t unit = *(*text)++;

	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	if (unit > 0xdbff || *text == end || **text < 0xdc00 || **text > 0xdfff)
		return REPLACEMENT;
	return 0x10000 + ((unit - 0xd800) << 10) + (*(*text)++ - 0xdc00u);
}

static char *utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

char *java_text(java j, java_object string)
{
	int32_t length = string ? (*j)->string_length(j, string) : 0;
	uint16_t *units = string ? malloc(((size_t)length + 1) * sizeof(*units)) : NULL;
	char *text = units ? malloc(3 * (size_t)length + 1) : NULL, *to = text;

	if (!string) {
		java_throw(j, "java/lang/NullPointerException", "a string is expected, not null");
	} else if (!text) {
		java_throw(j, NO_MEMORY, "out of memory for a string");
	} else {
		(*j)->string_copy(j, string, 0, length, units);
		for (const uint16_t *unit = units, *end = units + length; unit < end; )
			to = utf8_put(to, utf16_next(&unit, end));
		*to = '\0';
	}
	if (text && strlen(text) != (size_t)(to - text)) {
		java_throw(j, "java/lang/IllegalArgumentException", "a string contains a character 0");
		free(text);
		text = NULL;
	}
	free(units);
	return text;
}

/* Conversion from UTF-8 */

/* Return the number of bytes after a first byte; -1: it is invalid. */
static int followers_of(unsigned char first)
{
	if (first < 0x80)
		return 0;
	return first >= 0xc2 && first <= 0xdf	? 1
	       : first >= 0xe0 && first <= 0xef ? 2
	       : first >= 0xf0 && first <= 0xf4 ? 3
						: -1;
}

static uint32_t utf8_next(const char **text)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)*text;
	int n = followers_of(*byte);
	uint32_t c = n > 0 ? *byte & (0x3fu >> n) : *byte;

	++*text;
	if (n < 0)
		return REPLACEMENT;
	for (int k = 1; k <= n; k++) {
		if ((byte[k] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (byte[k] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return REPLACEMENT;
	*text += n;
	return c;
}

java_object java_string(java j, const char *text)
{
	uint16_t *units = malloc((strlen(text) + 1) * sizeof(*units)), *to = units;
	java_object string;

	if (!units) {
		java_throw(j, NO_MEMORY, "out of memory for a string");
		return NULL;
	}
	while (*text) {
		uint32_t c = utf8_next(&text);

		if (c < 0x10000) {
			*to++ = (uint16_t)c;
		} else {
			*to++ = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			*to++ = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		}
	}
	string = (*j)->new_string(j, units, (int32_t)(to - units));
	free(units);
	return string;
}

java_object java_strings(java j, char *const *texts, size_t n)
{
	java_object class = (*j)->find_class(j, "java/lang/String");
	java_object array = class ? (*j)->new_array(j, (int32_t)n, class, NULL) : NULL;

	for (size_t k = 0; array && k < n; k++) {
		java_object string = java_string(j, texts[k]);

		if (!string)
			return NULL;
		(*j)->array_set(j, array, (int32_t)k, string);
		(*j)->delete_local(j, string);
	}
	return array;
}
