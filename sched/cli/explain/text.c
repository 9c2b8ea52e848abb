/* SPDX-License-Identifier: Apache-2.0 */
/* Explanation as text: the sum first, then the inputs of each number. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain/explain.h"
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

/* Sum */

/* Return a part of the whole in percent. */
static double percent(double part, double all)
{
	return all != 0.0 ? 100.0 * part / all : 0.0;
}

/* Return the line with the sum of the terms. */
static uint32_t whole_of(const struct explanation *explanation)
{
	return explanation->sum == DERIVED_NONE ? explanation->prio : explanation->sum;
}

static void holder_put(table_cell to, const struct derived_line *line)
{
	bool held = line && line->holder.kind == HOLDER_JOB;

	snprintf(to, CELL_BYTES, "%s%.40s", held ? "of " : "", held ? line->holder.name : "");
}

static void term_cells(const struct explanation *explanation, const struct explained_term *term, bool exact,
		       table_cell *row)
{
	const struct derivation *derivation = &explanation->derivation;

	cell_text(row[0], term->name);
	put_line(row[1], derivation_line(derivation, term->weight), exact);
	put_line(row[2], derivation_line(derivation, term->raw), exact);
	put_line(row[3], derivation_line(derivation, term->least), exact);
	holder_put(row[4], derivation_line(derivation, term->least));
	put_line(row[5], derivation_line(derivation, term->most), exact);
	holder_put(row[6], derivation_line(derivation, term->most));
	put_line(row[7], derivation_line(derivation, term->normalised), exact);
	put_line(row[8], derivation_line(derivation, term->contribution), exact);
	snprintf(row[9], CELL_BYTES, "%.1f",
		 percent(derived_value(derivation, term->contribution),
			 derived_value(derivation, whole_of(explanation))));
}

static void sum_cells(const struct explanation *explanation, bool exact, table_cell *row)
{
	memset(row, 0, TERM_COLUMNS * sizeof(*row));
	cell_text(row[0], explanation->sum == DERIVED_NONE ? "prio" : "sum");
	put_line(row[8], derivation_line(&explanation->derivation, whole_of(explanation)), exact);
	cell_text(row[9], "100.0");
}

static void put_sum(struct out *out, const struct explanation *explanation, bool exact)
{
	table_cell heads[TERM_COLUMNS] = { "",	   "weight", "value",	   "least",	   "",
					   "most", "",	     "normalised", "contribution", "percent" };
	struct cells cells = { .columns = TERM_COLUMNS };
	table_cell row[TERM_COLUMNS];

	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			cells_heads(&cells, out, heads);
		for (size_t i = 0; i <= explanation->nterms; i++) {
			if (i < explanation->nterms)
				term_cells(explanation, &explanation->terms[i], exact, row);
			else
				sum_cells(explanation, exact, row);
			if (pass)
				cells_print(&cells, out, row);
			else
				cells_measure(&cells, row);
		}
	}
}

/* Sections */

static void section_cells(const struct explanation *explanation, const struct section_row *from, size_t columns,
			  bool exact, table_cell *row)
{
	cell_text(row[0], from->label);
	for (size_t k = 1; k < columns; k++)
		put_line(row[k], derivation_line(&explanation->derivation, from->lines[k - 1]), exact);
}

static void put_section(struct out *out, const struct explanation *explanation, const struct explained_section *section,
			bool exact)
{
	struct cells cells = { .columns = section->ncolumns ? section->ncolumns : 2 };
	table_cell heads[SECTION_COLUMNS], row[SECTION_COLUMNS];

	out_text(out, "\n");
	text_plain(out, section->title);
	out_text(out, "\n");
	for (size_t k = 0; k < cells.columns; k++)
		cell_text(heads[k], section->ncolumns ? section->columns[k] : "");
	for (size_t i = 0; i < section->nrows; i++) {
		section_cells(explanation, &section->rows[i], cells.columns, exact, row);
		cells_measure(&cells, row);
	}
	if (section->ncolumns && section->nrows > 0)
		cells_heads(&cells, out, heads);
	for (size_t i = 0; i < section->nrows && !out->error; i++) {
		section_cells(explanation, &section->rows[i], cells.columns, exact, row);
		cells_print(&cells, out, row);
	}
	for (size_t i = 0; i < section->nnotes; i++) {
		out_text(out, "  ");
		text_plain(out, section->notes[i]);
		out_text(out, "\n");
	}
}

/* Complete output */

static void put_head(struct out *out, const struct fl_job *job)
{
	char text[64];

	snprintf(text, sizeof(text), job->is_array ? "Job %u.%u" : "Job %u", job->job_number, job->task);
	out_text(out, text);
	out_text(out, " of ");
	text_plain(out, job->owner);
	if (*job->project) {
		out_text(out, ", project ");
		text_plain(out, job->project);
	}
	snprintf(text, sizeof(text), " (%.7s)", job->state);
	out_text(out, text);
}

void explain_text(struct out *out, const struct explanation *explanation, bool exact, bool is_first)
{
	table_cell prio;

	if (!is_first)
		out_text(out, "\n");
	put_head(out, &explanation->job);
	if (explanation->prio == DERIVED_NONE) {
		out_text(out, ": no priority: ");
		text_plain(out, explanation->why);
		out_text(out, "\n");
		return;
	}
	put_line(prio, derivation_line(&explanation->derivation, explanation->prio), exact);
	out_text(out, ": prio ");
	out_text(out, prio);
	out_text(out, "\n");
	if (explanation->nterms > 0) {
		out_text(out, "\n");
		put_sum(out, explanation, exact);
	}
	if (*explanation->note) {
		out_text(out, "  ");
		text_plain(out, explanation->note);
		out_text(out, "\n");
	}
	for (size_t i = 0; i < explanation->nsections && !out->error; i++)
		put_section(out, explanation, &explanation->sections[i], exact);
}
