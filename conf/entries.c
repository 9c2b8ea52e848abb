/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/entries.h"

#include <stdbool.h>
#include <string.h>

static bool is_end(char c, const char *separators)
{
	return c == '\0' || strchr(separators, c);
}

char *entry_write(char *to, const char *text, const char *separators)
{
	while (*text) {
		size_t n = strspn(text, "\\");

		memset(to, '\\', 2 * n);
		to += is_end(text[n], separators) ? 2 * n : n;
		text += n;
		if (*text && is_end(*text, separators))
			*to++ = '\\';
		if (*text)
			*to++ = *text++;
	}
	return to;
}

size_t entry_length(const char *list, const char *separators)
{
	size_t n = strcspn(list, separators);

	if (!memchr(list, '\\', n))	/* the common case */
		return n;
	n = 0;
	while (!is_end(list[n], separators)) {
		size_t slashes = strspn(list + n, "\\");

		n += slashes;
		if (slashes % 2 == 1 && list[n] && is_end(list[n], separators))
			n++;
		else if (slashes == 0)
			n++;
	}
	return n;
}

void entry_read(char *entry, size_t n, const char *separators)
{
	char *to = entry;

	for (size_t i = 0; i < n;) {
		size_t slashes = 0;
		bool before_end;

		while (i + slashes < n && entry[i + slashes] == '\\')
			slashes++;
		i += slashes;
		before_end = i == n || strchr(separators, entry[i]);
		memset(to, '\\', slashes);
		to += before_end ? slashes / 2 + (i == n ? slashes % 2 : 0) : slashes;
		if (i < n)
			*to++ = entry[i++];
	}
	*to = '\0';
}
