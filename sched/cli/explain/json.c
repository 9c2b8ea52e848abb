/* SPDX-License-Identifier: Apache-2.0 */
/* Explanation with all lines as JSON. A reader can compute each line again. */
#include <math.h>
#include <stdio.h>

#include "sched/cli/explain/explain.h"
#include "sched/process/json.h"

#define EXACT_WHOLE 9007199254740992.0L	/* 2^53 */
#define EXTENDED_BYTES 64

static void put_line_number(struct out *out, const char *key, uint32_t line)
{
	json_write_literal(out, key);
	if (line == DERIVED_NONE)
		json_write_literal(out, "null");
	else
		json_write_number(out, "", line);
}

/*
 * Write a value: whole numbers as numbers, values with more bits than a double as text with all
 * digits.
 */
static void put_value(struct out *out, const struct derived_line *line)
{
	char text[EXTENDED_BYTES];

	if (line->precision == PRECISION_WHOLE && fabsl(line->value) < 9e18L)
		json_write_number(out, ",\"value\":", (int64_t)line->value);
	else
		json_write_exact(out, ",\"value\":", (double)line->value);
	if (line->precision != PRECISION_EXTENDED)
		return;
	snprintf(text, sizeof(text), "%.21Lg", line->value);
	json_write_string(out, ",\"extended\":", text);
}

static void put_operands(struct out *out, const struct derivation *derivation, const struct derived_line *line)
{
	json_write_literal(out, ",\"of\":[");
	for (size_t k = 0; k < line->count; k++) {
		const struct line_operand *operand = &derivation->operands[line->first + k];

		if (operand->times == 1) {
			json_write_number(out, k ? "," : "", operand->line);
			continue;
		}
		json_write_number(out, k ? ",[" : "[", operand->line);
		json_write_number(out, ",", operand->times);
		json_write_literal(out, "]");
	}
	json_write_literal(out, "]");
}

static void put_lines(struct out *out, const struct derivation *derivation)
{
	json_write_literal(out, ",\n \"lines\":[");
	for (size_t i = 0; i < derivation->n && !out->error; i++) {
		const struct derived_line *line = &derivation->lines[i];

		json_write_string(out, i ? ",\n  {\"name\":" : "\n  {\"name\":", line->name);
		put_value(out, line);
		json_write_string(out, ",\"precision\":", precision_name(line->precision));
		json_write_string(out, ",\"operation\":", operation_name(line->operation));
		if (line->operation != OPERATION_GIVEN)
			put_operands(out, derivation, line);
		if (*line->source)
			json_write_string(out, ",\"source\":", line->source);
		if (*line->unit)
			json_write_string(out, ",\"unit\":", line->unit);
		if (line->holder.kind != HOLDER_NONE) {
			json_write_string(out, ",\"holder\":{\"kind\":", holder_kind_name(line->holder.kind));
			json_write_string(out, ",\"name\":", line->holder.name);
			json_write_literal(out, "}");
		}
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void put_terms(struct out *out, const struct explanation *explanation)
{
	json_write_literal(out, ",\n \"terms\":[");
	for (size_t i = 0; i < explanation->nterms; i++) {
		const struct explained_term *term = &explanation->terms[i];

		json_write_string(out, i ? ",\n  {\"name\":" : "\n  {\"name\":", term->name);
		put_line_number(out, ",\"weight\":", term->weight);
		put_line_number(out, ",\"normalised\":", term->normalised);
		put_line_number(out, ",\"raw\":", term->raw);
		put_line_number(out, ",\"least\":", term->least);
		put_line_number(out, ",\"most\":", term->most);
		put_line_number(out, ",\"contribution\":", term->contribution);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void put_values(struct out *out, const struct explanation *explanation)
{
	json_write_literal(out, ",\n \"values\":{");
	for (size_t i = 0; i < explanation->nvalues; i++) {
		json_write_string(out, i ? "," : "", explanation->values[i].name);
		json_write_number(out, ":", explanation->values[i].line);
	}
	json_write_literal(out, "}");
}

static void put_section(struct out *out, const struct explained_section *section)
{
	json_write_string(out, "{\"title\":", section->title);
	json_write_literal(out, ",\"columns\":[");
	for (size_t i = 0; i < section->ncolumns; i++)
		json_write_string(out, i ? "," : "", section->columns[i]);
	json_write_literal(out, "],\"rows\":[");
	for (size_t i = 0; i < section->nrows; i++) {
		json_write_string(out, i ? ",\n    {\"label\":" : "\n    {\"label\":", section->rows[i].label);
		json_write_literal(out, ",\"lines\":[");
		for (size_t k = 0; k + 1 < (section->ncolumns ? section->ncolumns : 2); k++)
			put_line_number(out, k ? "," : "", section->rows[i].lines[k]);
		json_write_literal(out, "]}");
	}
	json_write_literal(out, "],\"notes\":[");
	for (size_t i = 0; i < section->nnotes; i++)
		json_write_string(out, i ? "," : "", section->notes[i]);
	json_write_literal(out, "]}");
}

void explain_json(struct out *out, const struct explanation *explanation, bool is_first)
{
	const struct fl_job *job = &explanation->job;

	json_write_number(out, is_first ? "\n{\"job_number\":" : ",\n{\"job_number\":", job->job_number);
	json_write_number(out, ",\"task\":", job->task);
	json_write_bool(out, ",\"is_array\":", job->is_array);
	json_write_string(out, ",\"kind\":", job->is_started ? "running" : "pending");
	json_write_string(out, ",\"state\":", job->state);
	json_write_string(out, ",\"owner\":", job->owner);
	json_write_string_or_null(out, ",\"project\":", job->project);
	json_write_string_or_null(out, ",\"department\":", job->department);
	json_write_string(out, ",\"algorithm\":", explanation->policy);
	json_write_bool(out, ",\"is_shown\":", explanation->is_shown);
	put_line_number(out, ",\"prio\":", explanation->prio);
	put_line_number(out, ",\"sum\":", explanation->sum);
	json_write_bool(out, ",\"is_sum\":", explanation->is_sum);
	json_write_string_or_null(out, ",\"why\":", explanation->why);
	json_write_string_or_null(out, ",\"note\":", explanation->note);
	put_terms(out, explanation);
	put_values(out, explanation);
	json_write_literal(out, ",\n \"sections\":[");
	for (size_t i = 0; i < explanation->nsections; i++) {
		json_write_literal(out, i ? ",\n  " : "\n  ");
		put_section(out, &explanation->sections[i]);
	}
	json_write_literal(out, "]");
	put_lines(out, &explanation->derivation);
}
