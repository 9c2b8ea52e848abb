/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/objects/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/utf8.h"

enum { LINE_MOST = 80, NUMBER_BYTES = 350 };	/* that is what %f needs for the largest double */

void page_free(struct page *p)
{
	free(p->bytes);
	*p = (struct page){ 0 };
}

static int reserve(struct page *p, size_t n)
{
	size_t capacity = p->capacity ? p->capacity : 512;
	char *bytes;

	if (p->rc || p->n + n < p->capacity)
		return p->rc;
	while (capacity <= p->n + n)
		capacity *= 2;
	bytes = realloc(p->bytes, capacity);
	if (!bytes)
		return p->rc = -ENOMEM;
	p->bytes = bytes;
	p->capacity = capacity;
	return 0;
}

static void add(struct page *p, const char *text, size_t n)
{
	if (reserve(p, n))
		return;
	memcpy(p->bytes + p->n, text, n);
	p->n += n;
	p->bytes[p->n] = '\0';
}

void page_put(struct page *p, const char *text)
{
	add(p, text, strlen(text));
}

static void pad(struct page *p, size_t n)
{
	while (n-- > 0)
		add(p, " ", 1);
}

void page_begin(struct page *p, const char *attribute, size_t column)
{
	p->attribute = attribute;
	p->line = p->n;
	page_put(p, attribute);
	pad(p, p->n - p->line < column ? p->line + column - p->n : 1);
	p->column = p->n - p->line;
}

void page_begin_equals(struct page *p, const char *attribute)
{
	p->attribute = attribute;
	p->line = p->n;
	page_put(p, attribute);
	page_put(p, "=");
	p->column = p->n - p->line;
}

/*
 * Of a line that is too long, where the next one begins and the first one ends: at the last comma
 * or blank behind `from` that is within `room`, else at the first one that there is. 0: there is
 * none.
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

/* Continued lines stand below the value, `indent` blanks from the left. */
static void wrap(struct page *p, size_t indent)
{
	size_t left = p->n - p->line, from = p->column, before = 0, end = 0, next = 1;
	char *all = left > LINE_MOST ? strdup(p->bytes + p->line) : NULL, *line = all;

	if (left <= LINE_MOST)
		return;
	if (!all) {
		p->rc = -ENOMEM;
		return;
	}
	p->n = p->line;
	while (before + left > LINE_MOST && next > 0) {
		next = line_break(line, from, LINE_MOST - 2 - before, &end);
		if (next == 0)
			break;
		pad(p, before);
		add(p, line, end);
		page_put(p, " \\\n");
		line += next;
		left -= next;
		before = indent;
		from = 0;
	}
	pad(p, before);
	page_put(p, line);
	free(all);
}

void page_end(struct page *p)
{
	size_t value = p->line + p->column, indent = p->column;

	if (p->rc)
		return;
	if (p->n == value)
		page_put(p, "NONE");
	if (!p->rc && p->bytes[p->n - 1] == '\\')
		p->odd = p->odd ? p->odd : p->attribute;
	if (p->bytes && p->bytes[p->line] == ' ')	/* a set's lines, which are indented themselves */
		indent = strspn(p->bytes + p->line, " ");
	wrap(p, indent);
	page_put(p, "\n");
}

/* Text from outside, of printable characters, none of which is one of those. */
static void put_checked(struct page *p, const char *text, const char *forbidden)
{
	for (const char *at = text; *at;) {
		size_t n = utf8_length(at);

		if (n == 0 || strchr(forbidden, *at)) {
			p->odd = p->odd ? p->odd : p->attribute;
			return;
		}
		at += n;
	}
	page_put(p, text);
}

void page_item(struct page *p, const char *name)
{
	put_checked(p, *name ? name : "\n", " \t,=[]{}()!#\"");
}

void page_value(struct page *p, const char *value)
{
	put_checked(p, value, " \t,[]#");
}

void page_text(struct page *p, const char *text)
{
	put_checked(p, text, "\t");
}

void page_words(struct page *p, const char *text)
{
	put_checked(p, text, "\t[]");
}

void page_u32(struct page *p, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	page_put(p, text);
}

void page_double(struct page *p, double value)
{
	char text[NUMBER_BYTES];

	snprintf(text, sizeof(text), "%f", value);
	page_put(p, text);
}

void page_line(struct page *p, const char *attribute, size_t column, const char *text)
{
	page_begin(p, attribute, column);
	page_text(p, text);
	page_end(p);
}

void page_line_u32(struct page *p, const char *attribute, size_t column, uint32_t value)
{
	page_begin(p, attribute, column);
	page_u32(p, value);
	page_end(p);
}

void page_line_double(struct page *p, const char *attribute, size_t column, double value)
{
	page_begin(p, attribute, column);
	page_double(p, value);
	page_end(p);
}

void page_line_bool(struct page *p, const char *attribute, size_t column, uint32_t value)
{
	page_line(p, attribute, column, value ? "TRUE" : "FALSE");
}
