/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/option_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Blank characters include the carriage return that ends each line of a file written on Windows. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/*
 * Return the word at *p, which ends before `end`, without its quotes, and advance *p past it. The
 * result is never longer than the original and replaces it. NULL: a quotation has no end.
 */
static char *word_take(char **p, const char *end)
{
	char *word = *p, *to = *p, *from = *p, quote = '\0';

	for (; from < end && (quote || !is_blank(*from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? '\0' : *from;
		else
			*to++ = *from;
	}
	*p = from + (from < end);
	*to = '\0';
	return quote ? NULL : word;
}

static ssize_t words_take(char *p, const char *end, char **words, struct error *error)
{
	ssize_t n = 0;

	for (;;) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end || *p == '#')
			break;
		if (n == LINE_WORDS_MOST)
			return error_set(error, -EINVAL, "more than %d words in a line", LINE_WORDS_MOST);
		words[n] = word_take(&p, end);
		if (!words[n++])
			return error_set(error, -EINVAL, "a quotation has no end in this line");
	}
	words[n] = NULL;
	return n;
}

/* Return the text after the prefix, or NULL if the line has no options. */
static char *options_of(const struct option_lines *lines, char *line, size_t bytes)
{
	size_t prefix = lines->prefix ? strlen(lines->prefix) : 0;

	if (!lines->prefix)
		return *line == '#' ? NULL : line;
	return prefix && bytes >= prefix && memcmp(line, lines->prefix, prefix) == 0 ? line + prefix : NULL;
}

ssize_t option_lines_next(struct option_lines *lines, char *words[LINE_WORDS_MOST + 1], struct error *error)
{
	ssize_t n = 0;

	while (n == 0 && lines->at < lines->bytes) {
		char *line = lines->text + lines->at, *end = memchr(line, '\n', lines->bytes - lines->at), *options;

		end = end ? end : lines->text + lines->bytes;
		lines->at = (size_t)(end - lines->text) + 1;
		lines->number++;
		options = options_of(lines, line, (size_t)(end - line));
		if (options)
			n = words_take(options, end, words, error);
	}
	return n;
}
