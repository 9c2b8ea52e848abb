/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of chosen columns: --format "name,name:WIDTH,name:.WIDTH". A column with a width keeps it,
 * and longer values are cut. A column without a width is as wide as its values. Numbers are aligned
 * to the right, texts to the left. A point in front of the width aligns texts to the right, as in
 * squeue(1).
 */
#include <stdlib.h>
#include <string.h>

#include "sched/cli/stat/columns.h"
#include "sched/cli/width.h"

#define COLUMNS_MOST 64u
#define WIDTH_MOST 1000u

struct wanted_column {
	struct named_column column;
	char typed[COLUMN_NAME_BYTES];
	unsigned width;			/* 0: as wide as the values */
	bool right;
	size_t widest;			/* width of the widest value or of the title */
};

struct format_table {
	struct wanted_column columns[COLUMNS_MOST];
	size_t n;
	struct column_run run;
	const char *mark;		/* mark of cut values, "" */
	bool any;			/* at least one row was found */
	char text[COLUMN_BYTES];	/* text of the current value */
};

static const char *title_of(const struct wanted_column *column)
{
	return column->column.title ? column->column.title : column->typed;
}

static int column_wrong(struct messages *messages, const char *name)
{
	const char *near = column_nearest(name);

	return message_add(messages, EXIT_USAGE, "stat",
			   "--format: there is no column \"%s\"%s%s%s; --format help lists them", name,
			   near ? ", but \"" : "", near ? near : "", near ? "\"" : "");
}

/* Parse "name", "name:20" or "name:.20". */
static int column_take(struct messages *messages, struct wanted_column *wanted_column, char *word)
{
	char *width = strrchr(word, ':');
	unsigned long number;

	*wanted_column = (struct wanted_column){ .width = 0 };
	if (width)
		*width++ = '\0';
	if (!column_find(&wanted_column->column, word))
		return column_wrong(messages, word);
	snprintf(wanted_column->typed, sizeof(wanted_column->typed), "%s", word);
	wanted_column->right = wanted_column->column.right;
	if (!width)
		return EXIT_OK;
	wanted_column->right |= *width == '.';
	width += *width == '.';
	if (options_number(messages, "stat", "--format: width", width, 1, WIDTH_MOST, &number))
		return EXIT_USAGE;
	wanted_column->width = (unsigned)number;
	return EXIT_OK;
}

static int columns_take(struct messages *messages, struct format_table *table, const char *columns)
{
	char *copy = strdup(columns), *rest = copy;
	int code = copy ? EXIT_OK : message_no_memory(messages);

	for (char *word; !code && (word = strsep(&rest, ",")) != NULL; table->n++)
		if (table->n == COLUMNS_MOST)
			code = message_add(messages, EXIT_USAGE, "stat", "--format: at most %u columns are allowed",
					   COLUMNS_MOST);
		else
			code = column_take(messages, &table->columns[table->n], word);
	free(copy);
	return code;
}

int format_check(struct messages *messages, const char *columns)
{
	static struct format_table table;

	table.n = 0;
	return columns_take(messages, &table, columns);
}

static void measure(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct format_table *table = context;

	(void)out;
	(void)listing;
	table->any = true;
	for (struct wanted_column *column = table->columns; column < table->columns + table->n; column++) {
		size_t width;

		if (column->width)
			continue;
		column_text(&column->column, &table->run, job, table->text);
		width = width_of(table->text);
		column->widest = width > column->widest ? width : column->widest;
	}
}

/* Print a value. The last value of a line is not padded. */
static void put_cell(struct format_table *table, struct out *out, const struct wanted_column *column, const char *text)
{
	size_t width = column->width ? column->width : column->widest;
	bool last = column == &table->columns[table->n - 1];

	if (last && !column->right && width_of(text) < width)
		width_put_all(out, text);
	else
		width_put(out, text, width, column->right, table->mark);
}

static void put_titles(struct format_table *table, struct out *out, const struct job_listing *listing)
{
	out_text(out, listing->terminal.has_colour ? COLOUR_TITLE : "");
	for (size_t i = 0; i < table->n; i++) {
		put_cell(table, out, &table->columns[i], title_of(&table->columns[i]));
		out_text(out, i + 1 < table->n ? " " : "");
	}
	out_text(out, listing->terminal.has_colour ? COLOUR_END "\n" : "\n");
}

static void print_row(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct format_table *table = context;
	const char *row = colour_of_row(listing, job);

	out_text(out, row);
	for (const struct wanted_column *column = table->columns; column < table->columns + table->n; column++) {
		bool is_state = column->column.field && column->column.field->type == STAT_LETTERS;
		const char *colour = is_state ? colour_of_state(listing, job) : "";

		column_text(&column->column, &table->run, job, table->text);
		out_text(out, colour);
		put_cell(table, out, column, listing->picture && !strcmp(table->text, "-") ? "" : table->text);
		out_text(out, *colour ? COLOUR_END : "");
		out_text(out, column + 1 < table->columns + table->n ? " " : "");
	}
	out_text(out, *row ? COLOUR_END "\n" : "\n");
}

/* Layout on a terminal */

/*
 * Columns in the order in which they shrink: the width that they keep, or whether they may be left
 * out.
 */
static const struct { const char *name; size_t least; bool optional; } narrow[] = {
	{ "where", 24, false }, { "name", 10, false }, { "owner", 8, false }, { "queue", 12, false }, { "tasks", 8, false }, { "ids", 8, false },
	{ "prio", 0, true }, { "place", 0, true }, { "slots", 0, true }, { "where", 8, false },
};

static size_t line_width(const struct format_table *table)
{
	size_t width = table->n - 1;

	for (size_t i = 0; i < table->n; i++)
		width += table->columns[i].width ? table->columns[i].width : table->columns[i].widest;
	return width;
}

static void leave_out(struct format_table *table, size_t i)
{
	memmove(&table->columns[i], &table->columns[i + 1], (--table->n - i) * sizeof(*table->columns));
}

/* Shrink or remove columns until a line fits the terminal, if possible. */
static void fit(struct format_table *table, size_t columns)
{
	for (size_t k = 0; k < sizeof(narrow) / sizeof(*narrow); k++)
		for (size_t i = 0; i < table->n && line_width(table) > columns; i++) {
			struct wanted_column *column = &table->columns[i];
			size_t over = line_width(table) - columns;

			if (strcmp(column->column.name, narrow[k].name) != 0)
				continue;
			if (narrow[k].optional)
				leave_out(table, i--);
			else if (column->widest > narrow[k].least)
				column->widest = column->widest > narrow[k].least + over ? column->widest - over
											 : narrow[k].least;
		}
}

/* Remove columns that are empty in all rows. */
static void leave_out_empty(struct format_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->columns[i].column.kind == COLUMN_TASK_IDS && table->columns[i].widest <= 1)
			leave_out(table, i--);
}

static void picture_fit(struct format_table *table, const struct job_listing *listing)
{
	leave_out_empty(table);
	for (size_t i = 0; i < table->n; i++) {
		size_t title = width_of(title_of(&table->columns[i]));

		if (table->columns[i].widest < title)
			table->columns[i].widest = title;
	}
	table->mark = listing->terminal.has_utf8 ? "…" : "+";
	if (listing->terminal.columns && !listing->wide)
		fit(table, listing->terminal.columns);
}

int stat_format(const struct fl_view *view, struct out *out, void *context)
{
	static struct format_table table;
	struct job_listing *listing = context;
	struct fl_run run;
	int code;

	fl_run(view, &run);
	table.n = 0;
	table.any = false;
	table.mark = "";
	table.run = (struct column_run){
		.view = view, .listing = listing, .now = run.now, .prio_is_whole = run.prio_is_whole
	};
	code = columns_take(listing->messages, &table, listing->columns);
	for (size_t i = 0; !code && i < table.n; i++)
		table.columns[i].widest =
			listing->no_header || listing->picture ? 1 : width_of(title_of(&table.columns[i]));
	if (code)
		return code;
	rows_each(view, out, listing, FL_STARTED, measure, &table);
	rows_each(view, out, listing, FL_PENDING, measure, &table);
	if (listing->picture)
		picture_fit(&table, listing);
	if (listing->headline)
		headline_put(view, out, listing);
	if (!listing->no_header && (table.any || !listing->picture))
		put_titles(&table, out, listing);
	stat_all(view, out, listing, print_row, &table);
	listing->any = table.any;
	return *listing->error.text ? EXIT_NO_DATA : EXIT_OK;
}
