/* SPDX-License-Identifier: Apache-2.0 */
/* An explanation for people: the sum first, then where each of its numbers comes from. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain.h"
#include "sched/cli/text.h"

#define TERM_COLUMNS 10

_Static_assert(SECTION_COLUMNS <= CELL_COLUMNS && TERM_COLUMNS <= CELL_COLUMNS, "tables have as many columns");

static void put_line(table_cell to, const struct derived_line *line, bool exact)
{
	if (!line)
		to[0] = '\0';
	else if (line->precision == PRECISION_WHOLE)
		snprintf(to, CELL_BYTES, "%.0Lf", line->value);
	else if (exact && line->precision == PRECISION_EXTENDED)
		snprintf(to, CELL_BYTES, "%.21Lg", line->value);
	else
		cell_number(to, (double)line->value, exact);
}

/* The sum */

/* Of the whole, in percent. */
static double percent(double part, double all)
{
	return all != 0.0 ? 100.0 * part / all : 0.0;
}

/* What the terms add up to. */
static uint32_t whole_of(const struct explanation *x)
{
	return x->sum == DERIVED_NONE ? x->prio : x->sum;
}

static void holder_put(table_cell to, const struct derived_line *line)
{
	bool held = line && line->holder.kind == HOLDER_JOB;

	snprintf(to, CELL_BYTES, "%s%.40s", held ? "of " : "", held ? line->holder.name : "");
}

static void term_cells(const struct explanation *x, const struct explained_term *t, bool exact, table_cell *row)
{
	const struct derivation *d = &x->derivation;

	cell_text(row[0], t->name);
	put_line(row[1], derivation_line(d, t->weight), exact);
	put_line(row[2], derivation_line(d, t->raw), exact);
	put_line(row[3], derivation_line(d, t->least), exact);
	holder_put(row[4], derivation_line(d, t->least));
	put_line(row[5], derivation_line(d, t->most), exact);
	holder_put(row[6], derivation_line(d, t->most));
	put_line(row[7], derivation_line(d, t->normalised), exact);
	put_line(row[8], derivation_line(d, t->contribution), exact);
	snprintf(row[9], CELL_BYTES, "%.1f", percent(derived_value(d, t->contribution), derived_value(d, whole_of(x))));
}

static void sum_cells(const struct explanation *x, bool exact, table_cell *row)
{
	memset(row, 0, TERM_COLUMNS * sizeof(*row));
	cell_text(row[0], x->sum == DERIVED_NONE ? "prio" : "sum");
	put_line(row[8], derivation_line(&x->derivation, whole_of(x)), exact);
	cell_text(row[9], "100.0");
}

static void put_sum(struct out *o, const struct explanation *x, bool exact)
{
	table_cell heads[TERM_COLUMNS] = { "", "weight", "value", "least", "", "most", "", "normalised", "contribution", "percent" };
	struct cells c = { .columns = TERM_COLUMNS };
	table_cell row[TERM_COLUMNS];

	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			cells_heads(&c, o, heads);
		for (size_t i = 0; i <= x->nterms; i++) {
			if (i < x->nterms)
				term_cells(x, &x->terms[i], exact, row);
			else
				sum_cells(x, exact, row);
			if (pass)
				cells_print(&c, o, row);
			else
				cells_measure(&c, row);
		}
	}
}

/* Sections */

static void section_cells(const struct explanation *x, const struct section_row *from, size_t columns, bool exact, table_cell *row)
{
	cell_text(row[0], from->label);
	for (size_t k = 1; k < columns; k++)
		put_line(row[k], derivation_line(&x->derivation, from->lines[k - 1]), exact);
}

static void put_section(struct out *o, const struct explanation *x, const struct explained_section *s, bool exact)
{
	struct cells c = { .columns = s->ncolumns ? s->ncolumns : 2 };
	table_cell heads[SECTION_COLUMNS], row[SECTION_COLUMNS];

	out_text(o, "\n");
	text_plain(o, s->title);
	out_text(o, "\n");
	for (size_t k = 0; k < c.columns; k++)
		cell_text(heads[k], s->ncolumns ? s->columns[k] : "");
	for (size_t i = 0; i < s->nrows; i++) {
		section_cells(x, &s->rows[i], c.columns, exact, row);
		cells_measure(&c, row);
	}
	if (s->ncolumns && s->nrows > 0)
		cells_heads(&c, o, heads);
	for (size_t i = 0; i < s->nrows && !o->error; i++) {
		section_cells(x, &s->rows[i], c.columns, exact, row);
		cells_print(&c, o, row);
	}
	for (size_t i = 0; i < s->nnotes; i++) {
		out_text(o, "  ");
		text_plain(o, s->notes[i]);
		out_text(o, "\n");
	}
}

/* All of it */

static void put_head(struct out *o, const struct fl_job *job)
{
	char text[64];

	snprintf(text, sizeof(text), job->is_array ? "Job %u.%u" : "Job %u", job->job_number, job->task);
	out_text(o, text);
	out_text(o, " of ");
	text_plain(o, job->owner);
	if (*job->project) {
		out_text(o, ", project ");
		text_plain(o, job->project);
	}
	snprintf(text, sizeof(text), " (%.7s)", job->state);
	out_text(o, text);
}

void explain_text(struct out *o, const struct explanation *x, bool exact, bool is_first)
{
	table_cell prio;

	if (!is_first)
		out_text(o, "\n");
	put_head(o, &x->job);
	if (x->prio == DERIVED_NONE) {
		out_text(o, ": no priority: ");
		text_plain(o, x->why);
		out_text(o, "\n");
		return;
	}
	put_line(prio, derivation_line(&x->derivation, x->prio), exact);
	out_text(o, ": prio ");
	out_text(o, prio);
	out_text(o, "\n");
	if (x->nterms > 0) {
		out_text(o, "\n");
		put_sum(o, x, exact);
	}
	if (*x->note) {
		out_text(o, "  ");
		text_plain(o, x->note);
		out_text(o, "\n");
	}
	for (size_t i = 0; i < x->nsections && !o->error; i++)
		put_section(o, x, &x->sections[i], exact);
}
