/* SPDX-License-Identifier: Apache-2.0 */
/* Ads from text: one attribute per line, or all in brackets, separated by semicolons. */
#include <errno.h>
#include <stdio.h>

#include "conf/classad/inside.h"

struct piece {
	const char *begin, *end;
};

static struct piece trimmed(const char *begin, const char *end)
{
	while (begin < end && is_blank(*begin))
		begin++;
	while (begin < end && is_blank(end[-1]))
		end--;
	return (struct piece){ begin, end };
}

/* Read "Name = expression". Columns in messages count from the beginning of the line, `line`. */
static int attribute_read(struct classad *ad, struct piece piece, const char *line, unsigned number,
			  struct error *error)
{
	const char *equals = memchr(piece.begin, '=', (size_t)(piece.end - piece.begin));
	struct piece name, expression;
	struct error why = { "" };
	char text[NAME_MOST + 2];
	size_t bytes, column;
	int rc;

	if (!equals)
		return error_set(error, -EINVAL, "line %u: no =, Name = expression is allowed", number);
	name = trimmed(piece.begin, equals);
	expression = trimmed(equals + 1, piece.end);
	bytes = (size_t)(name.end - name.begin);
	if (bytes > NAME_MOST)
		bytes = NAME_MOST + 1;
	memcpy(text, name.begin, bytes);
	text[bytes] = '\0';
	rc = ad_set(ad, text, expression.begin, (size_t)(expression.end - expression.begin), &why);
	/* convert the column in the expression to a column in the line */
	if (rc && sscanf(why.text, "column %zu", &column) == 1)
		return error_set(error, rc, "line %u, column %zu%s", number, column + (size_t)(expression.begin - line),
				 why.text + strcspn(why.text, ":"));
	return rc ? error_set(error, rc, "line %u: %s", number, why.text) : 0;
}

static int lines_read(struct classad *ad, const char *text, struct error *error)
{
	unsigned number = 1;
	const char *end;
	int rc = 0;

	for (; !rc && *text; text = *end ? end + 1 : end, number++) {
		end = text + strcspn(text, "\n");
		struct piece piece = trimmed(text, end);

		if (piece.begin < piece.end && *piece.begin != '#')
			rc = attribute_read(ad, piece, text, number, error);
	}
	return rc;
}

/* Return the ; or ] that ends an attribute. Strings and brackets are skipped. */
static const char *attribute_end(const char *at)
{
	unsigned depth = 0;

	for (; *at; at++) {
		if (*at == '"') {
			for (at++; *at && *at != '"'; at++)
				if (*at == '\\' && at[1] == '"')
					at++;
			if (!*at)
				return at;
		} else if (*at == '[' || *at == '{' || *at == '(') {
			depth++;
		} else if (depth > 0 && (*at == ']' || *at == '}' || *at == ')')) {
			depth--;
		} else if (depth == 0 && (*at == ';' || *at == ']')) {
			return at;
		}
	}
	return at;
}

static int brackets_read(struct classad *ad, const char *at, struct error *error)
{
	const char *line = at, *end;
	unsigned number = 1;
	int rc = 0;

	for (at++;; at = end + 1) {
		struct piece piece;

		end = attribute_end(at);
		piece = trimmed(at, end);
		for (; at < piece.begin; at++)
			if (*at == '\n')
				number++, line = at + 1;
		if (!*end)
			return error_set(error, -EINVAL, "line %u: no ] that ends the ad", number);
		if (piece.begin < piece.end)
			rc = attribute_read(ad, piece, line, number, error);
		if (rc || *end == ']')
			break;
		for (; at < end; at++)
			if (*at == '\n')
				number++, line = at + 1;
	}
	if (!rc && *trimmed(end + 1, end + 1 + strlen(end + 1)).begin)
		return error_set(error, -EINVAL, "line %u: text after the ] that ends the ad", number);
	return rc;
}

int classad_read(struct classad **ad, const char *text, struct error *error)
{
	const char *begin = text;
	int rc;

	*ad = classad_create();
	if (!*ad)
		return error_set(error, -ENOMEM, "out of memory for an ad");
	while (is_blank(*begin))
		begin++;
	rc = *begin == '[' ? brackets_read(*ad, begin, error) : lines_read(*ad, text, error);
	if (rc) {
		classad_free(*ad);
		*ad = NULL;
	}
	return rc;
}
