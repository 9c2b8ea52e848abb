/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of chosen columns: --format "name,name:WIDTH,name:.WIDTH". A column with a width has it, and
 * what is longer is cut; one without is as wide as its values. Numbers stand on the right, texts on
 * the left, and with a point as squeue(1) has it on the right, too.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/cli/stat_columns.h"
#include "sched/cli/width.h"

#define COLUMNS_MOST 64u
#define WIDTH_MOST 1000u

struct wanted_column {
	struct named_column column;
	unsigned width;			/* 0: as its values are */
	bool right;
	size_t widest;			/* of its values, and of its title */
};

struct format_table {
	struct wanted_column columns[COLUMNS_MOST];
	size_t n;
	struct column_run run;
	char text[COLUMN_BYTES];	/* of one value */
};

static const char *title_of(const struct named_column *c)
{
	return c->title ? c->title : c->name;
}

static int column_wrong(const char *name)
{
	const char *near = column_nearest(name);

	return cli_fail(EXIT_USAGE, "stat: --format: there is no column \"%s\"%s%s%s; --format help lists them", name, near ? ", but \"" : "",
			near ? near : "", near ? "\"" : "");
}

/* "name", "name:20", "name:.20" */
static int column_take(struct wanted_column *c, char *word)
{
	char *width = strrchr(word, ':');
	unsigned long number;

	*c = (struct wanted_column){ .width = 0 };
	if (width)
		*width++ = '\0';
	if (!column_find(&c->column, word))
		return column_wrong(word);
	c->right = c->column.right;
	if (!width)
		return EXIT_OK;
	c->right |= *width == '.';
	width += *width == '.';
	if (options_number("stat: --format: width", width, 1, WIDTH_MOST, &number))
		return EXIT_USAGE;
	c->width = (unsigned)number;
	return EXIT_OK;
}

static int columns_take(struct format_table *t, const char *columns)
{
	char *copy = strdup(columns), *rest = copy;
	int code = copy ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");

	for (char *word; !code && (word = strsep(&rest, ",")) != NULL; t->n++)
		if (t->n == COLUMNS_MOST)
			code = cli_fail(EXIT_USAGE, "stat: --format: at most %u columns are allowed", COLUMNS_MOST);
		else
			code = column_take(&t->columns[t->n], word);
	free(copy);
	return code;
}

int format_check(const char *columns)
{
	static struct format_table t;

	t.n = 0;
	return columns_take(&t, columns);
}

static void measure(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct format_table *t = context;

	(void)o;
	(void)s;
	for (struct wanted_column *c = t->columns; c < t->columns + t->n; c++) {
		size_t width;

		if (c->width)
			continue;
		column_text(&c->column, &t->run, job, t->text);
		width = width_of(t->text);
		c->widest = width > c->widest ? width : c->widest;
	}
}

/* Nothing is filled up behind the last value of a line. */
static void put_cell(struct format_table *t, struct out *o, const struct wanted_column *c, const char *text)
{
	size_t width = c->width ? c->width : c->widest;
	bool last = c == &t->columns[t->n - 1];

	if (last && !c->right && width_of(text) < width)
		width_put_all(o, text);
	else
		width_put(o, text, width, c->right, "");
	out_text(o, last ? "\n" : " ");
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct format_table *t = context;

	(void)s;
	for (const struct wanted_column *c = t->columns; c < t->columns + t->n; c++) {
		column_text(&c->column, &t->run, job, t->text);
		put_cell(t, o, c, t->text);
	}
}

int stat_format(const struct fl_view *view, struct out *o, void *stat)
{
	static struct format_table t;
	struct stat *s = stat;
	struct fl_run run;
	int code;

	fl_run(view, &run);
	t.n = 0;
	t.run = (struct column_run){ .view = view, .stat = s, .now = run.now, .prio_is_whole = run.prio_is_whole };
	code = columns_take(&t, s->columns);
	for (size_t i = 0; !code && i < t.n; i++)
		t.columns[i].widest = s->no_header ? 1 : width_of(title_of(&t.columns[i].column));
	if (code)
		return code;
	rows_each(view, o, s, FL_STARTED, measure, &t);
	rows_each(view, o, s, FL_PENDING, measure, &t);
	for (size_t i = 0; !s->no_header && i < t.n; i++)
		put_cell(&t, o, &t.columns[i], title_of(&t.columns[i].column));
	stat_all(view, o, s, print_row, &t);
	return *s->error.text ? EXIT_NO_DATA : EXIT_OK;
}
