/* SPDX-License-Identifier: Apache-2.0 */
/* An explanation with all its lines: whoever reads it can compute each of them again. */
#include <math.h>
#include <stdio.h>

#include "sched/cli/explain.h"
#include "sched/process/json.h"

#define EXACT_WHOLE 9007199254740992.0L	/* 2^53 */
#define EXTENDED_BYTES 64

static void put_line_number(struct out *o, const char *key, uint32_t line)
{
	json_write_literal(o, key);
	if (line == DERIVED_NONE)
		json_write_literal(o, "null");
	else
		json_write_number(o, "", line);
}

/* Whole numbers as such; where a double has too few bits, all digits in a text. */
static void put_value(struct out *o, const struct derived_line *line)
{
	char text[EXTENDED_BYTES];

	if (line->precision == PRECISION_WHOLE && fabsl(line->value) < 9e18L)
		json_write_number(o, ",\"value\":", (int64_t)line->value);
	else
		json_write_exact(o, ",\"value\":", (double)line->value);
	if (line->precision != PRECISION_EXTENDED)
		return;
	snprintf(text, sizeof(text), "%.21Lg", line->value);
	json_write_string(o, ",\"extended\":", text);
}

static void put_operands(struct out *o, const struct derivation *d, const struct derived_line *line)
{
	json_write_literal(o, ",\"of\":[");
	for (size_t k = 0; k < line->count; k++) {
		const struct line_operand *operand = &d->operands[line->first + k];

		if (operand->times == 1) {
			json_write_number(o, k ? "," : "", operand->line);
			continue;
		}
		json_write_number(o, k ? ",[" : "[", operand->line);
		json_write_number(o, ",", operand->times);
		json_write_literal(o, "]");
	}
	json_write_literal(o, "]");
}

static void put_lines(struct out *o, const struct derivation *d)
{
	json_write_literal(o, ",\n \"lines\":[");
	for (size_t i = 0; i < d->n && !o->error; i++) {
		const struct derived_line *line = &d->lines[i];

		json_write_string(o, i ? ",\n  {\"name\":" : "\n  {\"name\":", line->name);
		put_value(o, line);
		json_write_string(o, ",\"precision\":", precision_name(line->precision));
		json_write_string(o, ",\"operation\":", operation_name(line->operation));
		if (line->operation != OPERATION_GIVEN)
			put_operands(o, d, line);
		if (*line->source)
			json_write_string(o, ",\"source\":", line->source);
		if (*line->unit)
			json_write_string(o, ",\"unit\":", line->unit);
		if (line->holder.kind != HOLDER_NONE) {
			json_write_string(o, ",\"holder\":{\"kind\":", holder_kind_name(line->holder.kind));
			json_write_string(o, ",\"name\":", line->holder.name);
			json_write_literal(o, "}");
		}
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void put_terms(struct out *o, const struct explanation *x)
{
	json_write_literal(o, ",\n \"terms\":[");
	for (size_t i = 0; i < x->nterms; i++) {
		const struct explained_term *t = &x->terms[i];

		json_write_string(o, i ? ",\n  {\"name\":" : "\n  {\"name\":", t->name);
		put_line_number(o, ",\"weight\":", t->weight);
		put_line_number(o, ",\"normalised\":", t->normalised);
		put_line_number(o, ",\"raw\":", t->raw);
		put_line_number(o, ",\"least\":", t->least);
		put_line_number(o, ",\"most\":", t->most);
		put_line_number(o, ",\"contribution\":", t->contribution);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void put_values(struct out *o, const struct explanation *x)
{
	json_write_literal(o, ",\n \"values\":{");
	for (size_t i = 0; i < x->nvalues; i++) {
		json_write_string(o, i ? "," : "", x->values[i].name);
		json_write_number(o, ":", x->values[i].line);
	}
	json_write_literal(o, "}");
}

static void put_section(struct out *o, const struct explained_section *s)
{
	json_write_string(o, "{\"title\":", s->title);
	json_write_literal(o, ",\"columns\":[");
	for (size_t i = 0; i < s->ncolumns; i++)
		json_write_string(o, i ? "," : "", s->columns[i]);
	json_write_literal(o, "],\"rows\":[");
	for (size_t i = 0; i < s->nrows; i++) {
		json_write_string(o, i ? ",\n    {\"label\":" : "\n    {\"label\":", s->rows[i].label);
		json_write_literal(o, ",\"lines\":[");
		for (size_t k = 0; k + 1 < (s->ncolumns ? s->ncolumns : 2); k++)
			put_line_number(o, k ? "," : "", s->rows[i].lines[k]);
		json_write_literal(o, "]}");
	}
	json_write_literal(o, "],\"notes\":[");
	for (size_t i = 0; i < s->nnotes; i++)
		json_write_string(o, i ? "," : "", s->notes[i]);
	json_write_literal(o, "]}");
}

void explain_json(struct out *o, const struct explanation *x, bool is_first)
{
	const struct fl_job *job = &x->job;

	json_write_number(o, is_first ? "\n{\"job_number\":" : ",\n{\"job_number\":", job->job_number);
	json_write_number(o, ",\"task\":", job->task);
	json_write_bool(o, ",\"is_array\":", job->is_array);
	json_write_string(o, ",\"kind\":", job->is_started ? "running" : "pending");
	json_write_string(o, ",\"state\":", job->state);
	json_write_string(o, ",\"owner\":", job->owner);
	json_write_string_or_null(o, ",\"project\":", job->project);
	json_write_string_or_null(o, ",\"department\":", job->department);
	json_write_string(o, ",\"algorithm\":", x->policy);
	json_write_bool(o, ",\"is_shown\":", x->is_shown);
	put_line_number(o, ",\"prio\":", x->prio);
	put_line_number(o, ",\"sum\":", x->sum);
	json_write_bool(o, ",\"is_sum\":", x->is_sum);
	json_write_string_or_null(o, ",\"why\":", x->why);
	json_write_string_or_null(o, ",\"note\":", x->note);
	put_terms(o, x);
	put_values(o, x);
	json_write_literal(o, ",\n \"sections\":[");
	for (size_t i = 0; i < x->nsections; i++) {
		json_write_literal(o, i ? ",\n  " : "\n  ");
		put_section(o, &x->sections[i]);
	}
	json_write_literal(o, "]");
	put_lines(o, &x->derivation);
}
