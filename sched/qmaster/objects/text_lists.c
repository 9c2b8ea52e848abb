/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are written as a whole: all complexes, and a configuration with its entries. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/objects/text.h"

#define CONFIGURATION_COLUMN 29
#define COMPLEXES_MOST 100000		/* largest number of complexes to write */
#define WIDTH_MOST 1024			/* widest column, because each row is that wide */
#define COUNT(A) (sizeof(A) / sizeof((A)[0]))

/*
 * Columns. Each is as wide as its longest value and four blanks, and at least as its heading and
 * one.
 */
enum complex_heading { NAME, SHORTCUT, TYPE, RELOP, REQUESTABLE, CONSUMABLE, DEFAULT, URGENCY, COLUMNS };

static const char *const headings[COLUMNS] = { "#name",	      "shortcut",   "type",    "relop",
					       "requestable", "consumable", "default", "urgency" };

/* Words by the numbers of the qmaster. "" is not used. */
static const char *const types[] = { "",     "INT",	"STRING", "TIME",   "MEMORY",
				     "BOOL", "CSTRING", "HOST",	  "DOUBLE", "RESTRING", "RSMAP" };
static const char *const relops[] = { "", "==", ">=", ">", "<", "<=", "!=", "EXCL" };
static const char *const requestables[] = { "", "NO", "YES", "FORCED" };
static const char *const consumables[] = { "NO", "YES", "JOB", "HOST" };

static const char *word_of(const char *const *words, size_t n, uint32_t number)
{
	return number < n ? words[number] : "";
}

static const char *value_of(const struct gdi_element *complex, enum complex_heading column)
{
	switch (column) {
	case NAME:
		return gdi_text(complex, CE_name);
	case SHORTCUT:
		return gdi_text(complex, CE_shortcut);
	case TYPE:
		return word_of(types, COUNT(types), gdi_u32(complex, CE_valtype));
	case RELOP:
		return word_of(relops, COUNT(relops), gdi_u32(complex, CE_relop));
	case REQUESTABLE:
		return word_of(requestables, COUNT(requestables), gdi_u32(complex, CE_requestable));
	case CONSUMABLE:
		return word_of(consumables, COUNT(consumables), gdi_u32(complex, CE_consumable));
	case DEFAULT:
		return gdi_text(complex, CE_default);
	default:
		return gdi_text(complex, CE_urgency_weight);
	}
}

struct complex_row {
	const char *values[COLUMNS];
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct complex_row *)a)->values[NAME], ((const struct complex_row *)b)->values[NAME]);
}

/*
 * Return the complexes sorted by name; the qmaster has them in the order of creation. NULL: no
 * memory.
 */
static struct complex_row *rows_sort(struct gdi_list complexes, size_t n)
{
	struct complex_row *rows = malloc((n + 1) * sizeof(*rows));
	struct gdi_element one;

	for (size_t i = 0; rows && gdi_next(&complexes, &one); i++)
		for (int c = 0; c < COLUMNS; c++)
			rows[i].values[c] = value_of(&one, (enum complex_heading)c);
	if (rows)
		qsort(rows, n, sizeof(*rows), by_name);
	return rows;
}

/* Find the width of each column. False: a value is longer than any valid name or number. */
static bool widths_find(size_t widths[COLUMNS], const struct complex_row *rows, size_t n)
{
	for (int c = 0; c < COLUMNS; c++)
		widths[c] = strlen(headings[c]) + 1;
	for (size_t i = 0; i < n; i++)
		for (int c = 0; c < COLUMNS; c++) {
			size_t width = strlen(rows[i].values[c]) + 4;

			widths[c] = width > widths[c] ? width : widths[c];
			if (width > WIDTH_MOST)
				return false;
		}
	return true;
}

static void fill(struct page *page, const char *with, size_t n)
{
	while (n-- > 0)
		page_put(page, with);
}

static void heading_write(struct page *page, const size_t widths[COLUMNS])
{
	size_t all = 0;

	for (int c = 0; c < COLUMNS; c++) {
		page_put(page, headings[c]);
		fill(page, " ", widths[c] - strlen(headings[c]));
		all += widths[c];
	}
	page_put(page, "\n#");
	fill(page, "-", all - 1);
	page_put(page, "\n");
}

static void rows_write(struct page *page, const struct complex_row *rows, size_t n, const size_t widths[COLUMNS])
{
	for (size_t i = 0; i < n; i++) {
		page->attribute = "complex";
		for (int c = 0; c < COLUMNS; c++) {
			const char *value = rows[i].values[c];

			page_value(page, *value ? value : "\n");
			fill(page, " ", c + 1 < COLUMNS ? widths[c] - strlen(value) : 0);
		}
		page_put(page, "\n");
	}
}

/* Write a list of CE: -sc. */
void text_complexes(struct page *page, const struct gdi_list *list)
{
	size_t n = list->left, widths[COLUMNS];
	struct complex_row *rows = n <= COMPLEXES_MOST ? rows_sort(*list, n) : NULL;

	if (!rows && n <= COMPLEXES_MOST) {
		page->rc = -ENOMEM;
	} else if (!rows || !widths_find(widths, rows, n)) {
		page->odd = page->odd ? page->odd : "complex";
	} else {
		heading_write(page, widths);
		rows_write(page, rows, n, widths);
		page_put(page, "# >#< starts a comment but comments are not saved across edits --------\n");
	}
	free(rows);
}

/*
 * Return whether a name can begin a line. 8.1.9 accepts odd names such as "flush_time=00:00:15".
 * Blanks, and characters that end or hide a line, are refused.
 */
static bool begins_line(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (name[i] <= ' ' || name[i] >= 0x7f || name[i] == '\\')
			return false;
	return n > 0 && name[0] != '#';
}

/* Write CONF: -sconf. */
void text_configuration(struct page *page, const struct gdi_element *configuration)
{
	struct gdi_list entries = gdi_list(configuration, CONF_entries);
	struct gdi_element one;

	page->attribute = "configuration";
	page_put(page, "#");
	page_item(page, gdi_text(configuration, CONF_name));
	page_put(page, ":\n");
	while (gdi_next(&entries, &one)) {
		const char *name = gdi_text(&one, CF_name);

		if (!begins_line(name))
			page->odd = page->odd ? page->odd : "configuration";
		else
			page_line(page, name, CONFIGURATION_COLUMN, gdi_text(&one, CF_value));
	}
}
