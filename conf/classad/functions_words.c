/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on two texts with words: stringListsIntersect stringListSubsetMatch and its variant. */
#include "conf/classad/inside.h"

typedef int words_compare(const char *x, const char *y, size_t n);

static bool has_word(const char *list, const struct separators *separators, const char *word, size_t bytes,
		     words_compare *compare)
{
	size_t length;

	for (; word_next(&list, separators, &length); list += length)
		if (length == bytes && compare(list, word, bytes) == 0)
			return true;
	return false;
}

/*
 * Return whether any word of the first list, or all of them (`all`), are in the second list. Words
 * are compared in pairs, so the steps are limited.
 */
static struct classad_value words_in(const struct classad_value *arguments, size_t n, struct classad_room *room,
				     words_compare *compare, bool all)
{
	struct classad_value strict = arguments_strict(arguments, n);
	struct separators separators;
	const char *at = arguments->text;
	size_t bytes;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	for (size_t i = 0; i < n; i++)
		if (arguments[i].type != CLASSAD_STRING)
			return ERROR;
	separators = separators_of(n == 3 ? arguments[2].text : " ,", room);
	for (; word_next(&at, &separators, &bytes); at += bytes) {
		if (room_spend(room, 1 + arguments[1].bytes / 64))
			return ERROR;
		if (has_word(arguments[1].text, &separators, at, bytes, compare) != all)
			return TRUTH(!all);
	}
	return TRUTH(all);
}

struct classad_value words_intersect(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return words_in(arguments, n, room, strncmp, false);
}

struct classad_value words_subset(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return words_in(arguments, n, room, strncmp, true);
}

struct classad_value words_isubset(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return words_in(arguments, n, room, strncasecmp, true);
}
