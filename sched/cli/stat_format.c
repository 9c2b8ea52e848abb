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
	char typed[COLUMN_NAME_BYTES];
	unsigned width;			/* 0: as its values are */
	bool right;
	size_t widest;			/* of its values, and of its title */
};

struct format_table {
	struct wanted_column columns[COLUMNS_MOST];
	size_t n;
	struct column_run run;
	const char *mark;		/* of what is cut; "" */
	bool any;			/* there are rows */
	char text[COLUMN_BYTES];	/* of one value */
};

static const char *title_of(const struct wanted_column *c)
{
	return c->column.title ? c->column.title : c->typed;
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
	snprintf(c->typed, sizeof(c->typed), "%s", word);
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
	t->any = true;
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
		width_put(o, text, width, c->right, t->mark);
}

static void put_titles(struct format_table *t, struct out *o, const struct stat *s)
{
	out_text(o, s->terminal.has_colour ? COLOUR_TITLE : "");
	for (size_t i = 0; i < t->n; i++) {
		put_cell(t, o, &t->columns[i], title_of(&t->columns[i]));
		out_text(o, i + 1 < t->n ? " " : "");
	}
	out_text(o, s->terminal.has_colour ? COLOUR_END "\n" : "\n");
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct format_table *t = context;
	const char *row = colour_of_row(s, job);

	out_text(o, row);
	for (const struct wanted_column *c = t->columns; c < t->columns + t->n; c++) {
		bool is_state = c->column.field && c->column.field->type == STAT_LETTERS;
		const char *colour = is_state ? colour_of_state(s, job) : "";

		column_text(&c->column, &t->run, job, t->text);
		out_text(o, colour);
		put_cell(t, o, c, s->picture && !strcmp(t->text, "-") ? "" : t->text);
		out_text(o, *colour ? COLOUR_END : "");
		out_text(o, c + 1 < t->columns + t->n ? " " : "");
	}
	out_text(o, *row ? COLOUR_END "\n" : "\n");
}

/* The picture on a terminal */

/*
 * In the order in which they give way: the least that they keep, or whether they may be left out.
 */
static const struct { const char *name; size_t least; bool optional; } narrow[] = {
	{ "where", 24, false }, { "name", 10, false }, { "owner", 8, false }, { "queue", 12, false }, { "tasks", 8, false }, { "ids", 8, false },
	{ "prio", 0, true }, { "place", 0, true }, { "slots", 0, true }, { "where", 8, false },
};

static size_t line_width(const struct format_table *t)
{
	size_t width = t->n - 1;

	for (size_t i = 0; i < t->n; i++)
		width += t->columns[i].width ? t->columns[i].width : t->columns[i].widest;
	return width;
}

static void leave_out(struct format_table *t, size_t i)
{
	memmove(&t->columns[i], &t->columns[i + 1], (--t->n - i) * sizeof(*t->columns));
}

/* So that a line is no wider than the terminal, if that can be done. */
static void fit(struct format_table *t, size_t columns)
{
	for (size_t k = 0; k < sizeof(narrow) / sizeof(*narrow); k++)
		for (size_t i = 0; i < t->n && line_width(t) > columns; i++) {
			struct wanted_column *c = &t->columns[i];
			size_t over = line_width(t) - columns;

			if (strcmp(c->column.name, narrow[k].name) != 0)
				continue;
			if (narrow[k].optional)
				leave_out(t, i--);
			else if (c->widest > narrow[k].least)
				c->widest = c->widest > narrow[k].least + over ? c->widest - over : narrow[k].least;
		}
}

/* Columns of which no row has anything are not shown. */
static void leave_out_empty(struct format_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].column.kind == COLUMN_TASK_IDS && t->columns[i].widest <= 1)
			leave_out(t, i--);
}

static void picture_fit(struct format_table *t, const struct stat *s)
{
	leave_out_empty(t);
	for (size_t i = 0; i < t->n; i++) {
		size_t title = width_of(title_of(&t->columns[i]));

		if (t->columns[i].widest < title)
			t->columns[i].widest = title;
	}
	t->mark = s->terminal.has_utf8 ? "…" : "+";
	if (s->terminal.columns && !s->wide)
		fit(t, s->terminal.columns);
}

int stat_format(const struct fl_view *view, struct out *o, void *stat)
{
	static struct format_table t;
	struct stat *s = stat;
	struct fl_run run;
	int code;

	fl_run(view, &run);
	t.n = 0;
	t.any = false;
	t.mark = "";
	t.run = (struct column_run){ .view = view, .stat = s, .now = run.now, .prio_is_whole = run.prio_is_whole };
	code = columns_take(&t, s->columns);
	for (size_t i = 0; !code && i < t.n; i++)
		t.columns[i].widest = s->no_header || s->picture ? 1 : width_of(title_of(&t.columns[i]));
	if (code)
		return code;
	rows_each(view, o, s, FL_STARTED, measure, &t);
	rows_each(view, o, s, FL_PENDING, measure, &t);
	if (s->picture)
		picture_fit(&t, s);
	if (s->headline)
		headline_put(view, o, s);
	if (!s->no_header && (t.any || !s->picture))
		put_titles(&t, o, s);
	stat_all(view, o, s, print_row, &t);
	s->any = t.any;
	return *s->error.text ? EXIT_NO_DATA : EXIT_OK;
}
