/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as qconf prints it, attribute by attribute: the name, blanks up to a column, the value.
 * Lines of more than 80 characters are continued behind a comma or blank.
 *
 *     page_begin(&p, "hostlist", 22);
 *     page_item(&p, "ada");
 *     page_put(&p, " ");
 *     page_item(&p, "bly");
 *     page_end(&p);
 *
 * What comes from outside can't be more than it is: no newline, no control character, nothing that
 * ends a name or value where it stands. Then `odd` says in which attribute, and the text is of no
 * use. Calls go on after that, and without memory.
 */
#ifndef SCHED_QMASTER_OBJECTS_PAGE_H
#define SCHED_QMASTER_OBJECTS_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct page {			/* zero-initialise */
	char *bytes;			/* the text, with a NUL; NULL: nothing yet */
	size_t n, capacity;
	int rc;				/* -ENOMEM; 0 */
	const char *odd;		/* first attribute with a value that no line can hold */
	const char *attribute;		/* of the line at hand, where it begins, and its column */
	size_t line, column;
};

void page_free(struct page *page);

/* A line: between the two calls its value. An empty value is NONE. */
void page_begin(struct page *page, const char *attribute, size_t column);
void page_begin_equals(struct page *page, const char *attribute);	/* with = behind the name */
void page_end(struct page *page);

void page_put(struct page *page, const char *text);	/* our own words */
void page_item(struct page *page, const char *name);	/* an item of a list, a key: no blank , = [ ] { } ( ) ! # " */
void page_value(struct page *page, const char *value);	/* behind name=: no blank , [ ] # */
void page_text(struct page *page, const char *text);	/* a whole value */
void page_words(struct page *page, const char *text);	/* the same, where overrides follow: no [ ] */
void page_u32(struct page *page, uint32_t value);
void page_double(struct page *page, double value);		/* %f */

/* A whole line. */
void page_line(struct page *page, const char *attribute, size_t column, const char *text);
void page_line_u32(struct page *page, const char *attribute, size_t column, uint32_t value);
void page_line_double(struct page *page, const char *attribute, size_t column, double value);
void page_line_bool(struct page *page, const char *attribute, size_t column, uint32_t value);

#endif
