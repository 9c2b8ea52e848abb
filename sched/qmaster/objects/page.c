/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/objects/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"

enum { LINE_MOST = 80, NUMBER_BYTES = 350 };	/* size of the largest double in %f */

void page_free(struct page *page)
{
	free(page->bytes);
	*page = (struct page){ 0 };
}

static int reserve(struct page *page, size_t n)
{
	size_t capacity = page->capacity ? page->capacity : 512;
	char *bytes;

	if (page->rc || page->n + n < page->capacity)
		return page->rc;
	while (capacity <= page->n + n)
		capacity *= 2;
	bytes = realloc(page->bytes, capacity);
	if (!bytes)
		return page->rc = -ENOMEM;
	page->bytes = bytes;
	page->capacity = capacity;
	return 0;
}

static void add(struct page *page, const char *text, size_t n)
{
	if (reserve(page, n))
		return;
	memcpy(page->bytes + page->n, text, n);
	page->n += n;
	page->bytes[page->n] = '\0';
}

void page_put(struct page *page, const char *text)
{
	add(page, text, strlen(text));
}

static void pad(struct page *page, size_t n)
{
	while (n-- > 0)
		add(page, " ", 1);
}

void page_begin(struct page *page, const char *attribute, size_t column)
{
	page->attribute = attribute;
	page->line = page->n;
	page_put(page, attribute);
	pad(page, page->n - page->line < column ? page->line + column - page->n : 1);
	page->column = page->n - page->line;
}

void page_begin_equals(struct page *page, const char *attribute)
{
	page->attribute = attribute;
	page->line = page->n;
	page_put(page, attribute);
	page_put(page, "=");
	page->column = page->n - page->line;
}

/*
 * Find where to break a line that is too long: at the last comma or blank after `from` that is
 * within `room`, or else at the first one. Returns the start of the next line and sets the end of
 * this one. 0: no such place.
 */
static size_t line_break(const char *line, size_t from, size_t room, size_t *end)
{
	size_t next = 0;

	for (size_t at = from + 1; line[at]; at++) {
		size_t ends = line[at] == ',' ? at + 1 : at;

		if (line[at] != ',' && line[at] != ' ')
			continue;
		if (next > 0 && ends > room)
			break;
		next = at + 1;
		*end = ends;
	}
	return line[next] ? next : 0;
}

/* Continue a long line below its value, `indent` blanks from the left. */
static void wrap(struct page *page, size_t indent)
{
	size_t left = page->n - page->line, from = page->column, before = 0, end = 0, next = 1;
	char *all = left > LINE_MOST ? strdup(page->bytes + page->line) : NULL, *line = all;

	if (left <= LINE_MOST)
		return;
	if (!all) {
		page->rc = -ENOMEM;
		return;
	}
	page->n = page->line;
	while (before + left > LINE_MOST && next > 0) {
		next = line_break(line, from, LINE_MOST - 2 - before, &end);
		if (next == 0)
			break;
		pad(page, before);
		add(page, line, end);
		page_put(page, " \\\n");
		line += next;
		left -= next;
		before = indent;
		from = 0;
	}
	pad(page, before);
	page_put(page, line);
	free(all);
}

void page_end(struct page *page)
{
	size_t value = page->line + page->column, indent = page->column;

	if (page->rc)
		return;
	if (page->n == value)
		page_put(page, "NONE");
	if (!page->rc && page->bytes[page->n - 1] == '\\')
		page->odd = page->odd ? page->odd : page->attribute;
	/* The lines of a quota set, which are indented themselves. */
	if (page->bytes && page->bytes[page->line] == ' ')
		indent = strspn(page->bytes + page->line, " ");
	wrap(page, indent);
	page_put(page, "\n");
}

/*
 * Append text from outside. It must consist of printable characters and must not contain any of
 * `forbidden`.
 */
static void put_checked(struct page *page, const char *text, const char *forbidden)
{
	for (const char *at = text; *at;) {
		size_t n = utf8_length(at);

		if (n == 0 || strchr(forbidden, *at)) {
			page->odd = page->odd ? page->odd : page->attribute;
			return;
		}
		at += n;
	}
	page_put(page, text);
}

void page_item(struct page *page, const char *name)
{
	put_checked(page, *name ? name : "\n", " \t,=[]{}()!#\"");
}

void page_value(struct page *page, const char *value)
{
	put_checked(page, value, " \t,[]#");
}

/* Write a whole value. */
static void page_text(struct page *page, const char *text)
{
	put_checked(page, text, "\t");
}

void page_words(struct page *page, const char *text)
{
	put_checked(page, text, "\t[]");
}

void page_u32(struct page *page, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	page_put(page, text);
}

void page_double(struct page *page, double value)
{
	char text[NUMBER_BYTES];

	snprintf(text, sizeof(text), "%f", value);
	page_put(page, text);
}

void page_line(struct page *page, const char *attribute, size_t column, const char *text)
{
	page_begin(page, attribute, column);
	page_text(page, text);
	page_end(page);
}

void page_line_u32(struct page *page, const char *attribute, size_t column, uint32_t value)
{
	page_begin(page, attribute, column);
	page_u32(page, value);
	page_end(page);
}

void page_line_double(struct page *page, const char *attribute, size_t column, double value)
{
	page_begin(page, attribute, column);
	page_double(page, value);
	page_end(page);
}

void page_line_bool(struct page *page, const char *attribute, size_t column, uint32_t value)
{
	page_line(page, attribute, column, value ? "TRUE" : "FALSE");
}
