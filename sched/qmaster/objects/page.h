/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text in the form of qconf, attribute by attribute: the name, blanks up to a column, the value.
 * Lines of more than 80 characters are continued after a comma or blank.
 *
 *     page_begin(&page, "hostlist", 22);
 *     page_item(&page, "ada");
 *     page_put(&page, " ");
 *     page_item(&page, "bly");
 *     page_end(&page);
 *
 * Names and values from outside cannot break the format. A newline, a control character or a
 * character that would end the name or value sets `odd` to the attribute, and the text must not be
 * used. Calls after that, or after memory is exhausted, are safe.
 */
#ifndef SCHED_QMASTER_OBJECTS_PAGE_H
#define SCHED_QMASTER_OBJECTS_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct page {			/* zero-initialise */
	char *bytes;			/* text with a NUL at its end; NULL: empty */
	size_t n, capacity;
	int rc;				/* 0 or -ENOMEM */
	const char *odd;		/* first attribute with a value that no line can hold */
	/* Attribute of the current line; start of the line and its column. */
	const char *attribute;
	size_t line, column;
};

void page_free(struct page *page);

/* Begin and end a line. The value is written between the two calls. An empty value is NONE. */
void page_begin(struct page *page, const char *attribute, size_t column);
void page_begin_equals(struct page *page, const char *attribute);	/* with = after the name */
void page_end(struct page *page);

void page_put(struct page *page, const char *text);	/* a text of our own */
/* An item of a list, or a key. Must not contain: blank , = [ ] { } ( ) ! # " */
void page_item(struct page *page, const char *name);
/* A value after name=. Must not contain: blank , [ ] # */
void page_value(struct page *page, const char *value);
/* A whole value that overrides may follow. Must not contain: [ ] */
void page_words(struct page *page, const char *text);
void page_u32(struct page *page, uint32_t value);
void page_double(struct page *page, double value);		/* printed with %f */

/* Write a whole line. */
void page_line(struct page *page, const char *attribute, size_t column, const char *text);
void page_line_u32(struct page *page, const char *attribute, size_t column, uint32_t value);
void page_line_double(struct page *page, const char *attribute, size_t column, double value);
void page_line_bool(struct page *page, const char *attribute, size_t column, uint32_t value);

#endif
