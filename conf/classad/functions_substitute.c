/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that replace what a pattern matches: regexps, replace, replaceAll. In the replacement,
 * \0 to \9 stand for the whole match and its groups.
 */
#include <errno.h>

#include "conf/classad/inside.h"

struct substitution {
	const struct regexp *pattern;
	struct classad_value text, by;
	bool whole, all;	/* options f and g: keep the rest of the text; replace each match */
	/* The result is counted first, and written then. */
	char *result;		/* NULL: only count */
	size_t bytes;
};

static void put(struct substitution *substitution, const char *text, size_t bytes)
{
	if (substitution->result)
		memcpy(substitution->result + substitution->bytes, text, bytes);
	substitution->bytes += bytes;
}

/* Write the replacement of a match. Returns -EINVAL if it refers to a group that is not there. */
static int replacement_put(struct substitution *substitution, const struct regexp_found *found)
{
	const char *text = substitution->by.text;

	for (size_t i = 0; i < substitution->by.bytes; i++) {
		unsigned group = (unsigned)(text[i + 1] - '0');

		if (text[i] != '\\' || i + 1 == substitution->by.bytes || group > 9) {
			put(substitution, &text[i], 1);
			continue;
		}
		if (group >= found->n)
			return -EINVAL;
		if (found->spans[group].begin != UINT32_MAX)
			put(substitution, substitution->text.text + found->spans[group].begin,
			    found->spans[group].end - found->spans[group].begin);
		i++;
	}
	return 0;
}

/*
 * Replace the matches. After an empty match, a match that is not empty is tried at the same place.
 * Returns 0 or a negative error code.
 */
static int substitute(struct substitution *substitution, struct classad_room *room)
{
	const struct classad_value *text = &substitution->text;
	struct regexp_found found;
	bool empty = false;
	size_t at = 0;
	int rc = 1;

	substitution->bytes = 0;
	for (bool again = true; rc >= 0 && again; again = substitution->all) {
		rc = regexp_find(substitution->pattern, text, at, empty, room, &found);
		if (rc == 0 && empty && at < text->bytes) {
			put(substitution, text->text + at++, 1);
			empty = false;
			continue;
		}
		if (rc <= 0)
			break;
		if (substitution->whole)
			put(substitution, text->text + at, found.spans[0].begin - at);
		rc = room_spend(room, substitution->by.bytes / 16) ? -E2BIG : replacement_put(substitution, &found);
		at = found.spans[0].end;
		empty = found.spans[0].begin == at;
	}
	if (rc >= 0 && substitution->whole)
		put(substitution, text->text + at, text->bytes - at);
	return rc < 0 ? rc : 0;
}

/* Replace in three arguments and options. The first undefined or error argument is the result. */
static struct classad_value replaced(const struct classad_value *arguments, size_t n, struct classad_room *room,
				     bool whole, bool all)
{
	struct classad_value strict = arguments_strict(arguments, n), result = ERROR;
	const char *options = n == 4 ? arguments[3].text : "";
	struct substitution substitution = { .whole = whole, .all = all };
	char *text;

	if (strict.type != CLASSAD_BOOL)
		return strict;
	for (size_t i = 0; i < n; i++)
		if (arguments[i].type != CLASSAD_STRING)
			return ERROR;
	substitution.whole |= strchr(options, 'f') != NULL;
	substitution.all |= strchr(options, 'g') != NULL;
	substitution.text = arguments[1];
	substitution.by = arguments[2];
	if (!room_spend(room, REGEXP_STATES_MOST / 16))
		substitution.pattern =
			regexp_compile_groups(arguments->text, arguments->bytes, options, room);
	if (!substitution.pattern || substitute(&substitution, room) ||
	    !text_take(&result, substitution.bytes, room, &text))
		return ERROR;
	substitution.result = text;
	return substitute(&substitution, room) ? ERROR : result;
}

struct classad_value text_regexps(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return replaced(arguments, n, room, false, false);
}

struct classad_value text_replace(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return replaced(arguments, n, room, true, false);
}

struct classad_value text_replace_all(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	return replaced(arguments, n, room, true, true);
}
