/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching is linear in most cases. After a mismatch only the last * takes one byte more. The part
 * of the pattern before it has matched as early as possible, which leaves the most text to the
 * rest. No part of the text is therefore compared with a part of the pattern twice. The end of all
 * [ sets is found in one pass from the end, because a search for each ] would take pattern x
 * pattern steps.
 */
#include "conf/base/wildcard.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define NEVER UINT16_MAX
#define CLASS_BYTES 8		/* longest name of a class, with its terminating byte */

_Thread_local uint64_t wildcard_steps;

struct wildcard {
	const char *pattern;
	size_t n;
	int flags;
	bool looked;			/* `end` has been filled */
	/* position of the ] of a set whose next element begins at this index, or NEVER */
	uint16_t end[WILDCARD_BYTES + 2];
};

static const struct {
	const char *name;
	int (*has)(int c);
} classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
	{ "digit", isdigit }, { "graph", isgraph },
	{ "lower", islower }, { "print", isprint }, { "punct", ispunct }, { "space", isspace },
	{ "upper", isupper }, { "xdigit", isxdigit },
};

/* Return the size of the [:name:] at this position, or 0 if there is none. */
static size_t class_length(const char *p)
{
	size_t n = 2;

	if (p[0] != '[' || p[1] != ':')
		return 0;
	while (n < CLASS_BYTES + 2 && p[n] >= 'a' && p[n] <= 'z')
		n++;
	return p[n] == ':' && p[n + 1] == ']' ? n + 2 : 0;
}

static bool class_has(const char *p, size_t length, unsigned char c)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strlen(classes[i].name) == length - 4 && memcmp(classes[i].name, p + 2, length - 4) == 0)
			return classes[i].has(c) != 0;
	return false;
}

static bool is_escape(const struct wildcard *wildcard, size_t at)
{
	return wildcard->pattern[at] == '\\' && !(wildcard->flags & WILDCARD_NO_ESCAPE);
}

/* Return the size of the element of a set at this position: a class, an escaped byte, or a byte. */
static size_t element_length(const struct wildcard *wildcard, size_t at)
{
	size_t class = class_length(wildcard->pattern + at);

	return class ? class : is_escape(wildcard, at) ? 2 : 1;
}

static void ends_find(struct wildcard *wildcard)
{
	wildcard->looked = true;
	wildcard->end[wildcard->n] = wildcard->end[wildcard->n + 1] = NEVER;
	for (size_t i = wildcard->n; i-- > 0;)
		wildcard->end[i] =
			wildcard->pattern[i] == ']' ? (uint16_t)i : wildcard->end[i + element_length(wildcard, i)];
	wildcard_steps += wildcard->n;
}

/* Return the position of the first element of the set at `at`. */
static size_t set_begin(const struct wildcard *wildcard, size_t at)
{
	return at + 1 + (wildcard->pattern[at + 1] == '!' || wildcard->pattern[at + 1] == '^');
}

/*
 * Return the position of the ] of the set, or NEVER if there is none and the [ means itself. The
 * first element may be a ].
 */
static size_t set_end(struct wildcard *wildcard, size_t at)
{
	size_t begin = set_begin(wildcard, at);

	if (!wildcard->looked)
		ends_find(wildcard);
	return wildcard->pattern[begin] == ']' ? wildcard->end[begin + 1] : wildcard->end[begin];
}

static bool is_between(int flags, unsigned char first, unsigned char c, unsigned char last)
{
	if (first <= c && c <= last)
		return true;
	return flags & WILDCARD_IGNORE_CASE &&
	       ((first <= tolower(c) && tolower(c) <= last) || (first <= toupper(c) && toupper(c) <= last));
}

static bool set_has(const struct wildcard *wildcard, size_t at, size_t end, unsigned char c)
{
	size_t begin = set_begin(wildcard, at);
	bool found = false;

	for (size_t i = begin, length; i < end && !found; i += length) {
		unsigned char first, last;

		wildcard_steps++;
		length = element_length(wildcard, i);
		if (length > 2) {
			found = class_has(wildcard->pattern + i, length, c);
			continue;
		}
		first = last = (unsigned char)wildcard->pattern[i + length - 1];
		if (wildcard->pattern[i + length] == '-' && i + length + 1 < end) {
			size_t escaped = is_escape(wildcard, i + length + 1);

			last = (unsigned char)wildcard->pattern[i + length + 1 + escaped];
			length += 2 + escaped;
		}
		found = is_between(wildcard->flags, first, c, last);
	}
	return found != (begin > at + 1);
}

/*
 * Return true if the pattern element at `*at`, which is not a *, matches the byte. If so, `*at`
 * moves past it.
 */
static bool one_matches(struct wildcard *wildcard, size_t *at, unsigned char c)
{
	unsigned char p = (unsigned char)wildcard->pattern[*at];
	size_t n = 1, end;

	if (*at == wildcard->n)
		return false;
	if (p == '[' && (end = set_end(wildcard, *at)) != NEVER) {
		if (!set_has(wildcard, *at, end, c))
			return false;
		*at = end + 1;
		return true;
	}
	if (is_escape(wildcard, *at)) {
		n = 2;
		/* '\0' at the end of the pattern, which no text contains */
		p = (unsigned char)wildcard->pattern[*at + 1];
	} else if (p == '?') {
		p = c;
	}
	if (p != c && !(wildcard->flags & WILDCARD_IGNORE_CASE && tolower(p) == tolower(c)))
		return false;
	*at += n;
	return true;
}

bool wildcard_match(const char *pattern, const char *text, int flags)
{
	struct wildcard wildcard;
	size_t p = 0, t = 0, star = SIZE_MAX, taken = 0;

	wildcard.pattern = pattern;
	wildcard.n = strnlen(pattern, WILDCARD_BYTES);
	wildcard.flags = flags;
	wildcard.looked = false;
	if (wildcard.n == WILDCARD_BYTES)
		return false;
	while (text[t]) {
		wildcard_steps++;
		if (pattern[p] == '*') {
			star = ++p;
			taken = t;
		} else if (one_matches(&wildcard, &p, (unsigned char)text[t])) {
			t++;
		} else if (star == SIZE_MAX) {
			return false;
		} else {
			p = star;
			t = ++taken;
		}
	}
	while (pattern[p] == '*')
		p++;
	return p == wildcard.n;
}
