/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/text.h"
#include "sched/cli/top/top.h"

static unsigned at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

int page_open(struct top_page *page, unsigned rows, unsigned columns)
{
	*page = (struct top_page){ .rows = at_most(rows, PAGE_ROWS_MOST),
				   .columns = at_most(columns, PAGE_COLUMNS_MOST) };
	page->lines = calloc(page->rows + 1, sizeof(*page->lines));
	return page->lines ? 0 : -ENOMEM;
}

void page_close(struct top_page *page)
{
	free(page->lines);
	*page = (struct top_page){ 0 };
}

void page_add(struct top_page *page, enum page_style style, const char *format, ...)
{
	struct page_line *line = &page->lines[page->n];
	va_list arguments;
	int n;

	if (page->n >= page->rows)
		return;
	va_start(arguments, format);
	n = vsnprintf(line->text, sizeof(line->text), format, arguments);
	va_end(arguments);
	if (n > (int)page->columns)
		*text_cut(line->text, page->columns) = '\0';
	for (char *p = line->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	line->style = style;
	page->n++;
}

const char *page_label(char to[NAME_BYTES], const char *name, unsigned width)
{
	*text_column(to, name, at_most(width, NAME_BYTES - 1)) = '\0';
	return to;
}
