/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/cli/slurm/prio.h"
#include "sched/cli/text.h"
#include "sched/process/digits.h"

#define MOST_PRIORITY 4294967295.0	/* divisor of sprio */
#define VALUE_BYTES (16u << 10)		/* maximum length of a column without a width */
#define ROOM_BYTES (VALUE_BYTES + DIGITS_BYTES + PRIO_WIDTH)

_Static_assert(ROOM_BYTES + PRIO_FORMAT_BYTES <= OUT_ROOM_BYTES, "a column and the text after it fit");

struct prio_line {				/* data of one line */
	const struct fl_view *view;
	const struct prio *prio;
	struct memo *memo;
	struct fl_factors f;
};

char *prio_justify(char *start, char *end, size_t width, bool right)
{
	if (!width)
		return end;
	if ((size_t)(end - start) > width)
		end = text_cut(start, width);
	return right ? text_pad_left(start, end, width) : text_pad(start, end, width);
}

static char *put_text(char *p, const char *text, size_t most)
{
	return text_column(p, text, strnlen(text, most));
}

/* Write like "%.0f". */
static char *put_whole(char *p, double value)
{
	/* the sum has no fraction bits: ties go to even, like printf */
	if (value >= 0 && value < 0x1p51 && !signbit(value))
		return digits_u64(p, (uint64_t)(value + 0x1p52 - 0x1p52));
	return digits_fixed(p, value, 0);
}

static char *put_sum(char *p, double sum, bool normalised)
{
	return normalised ? digits_fixed14(p, sum / MOST_PRIORITY) : digits_truncated(p, sum);
}

/*
 * Write "cpu=2,mem=40": each TRES with a weight, in the order of the weights. Values are weighted
 * without decimals, or normalised with two. Write at most `most` bytes and leave out what does not
 * fit. Return the end.
 */
static char *prio_tres_text(char *p, size_t most, const struct fl_view *view, const struct fl_factors *factors,
			    bool weighted)
{
	char *start = p;
	struct fl_tres tres;

	for (size_t k = 0; k < factors->ntres && fl_tres(view, k, &tres) == 0; k++) {
		double value = factors->tres[k] * tres.weight;
		size_t room = most - (size_t)(p - start), name = strnlen(tres.name, most);

		/* a value of 0 is left out, unlike one that is rounded to 0 */
		if (value == 0)
			continue;
		if (room < name + 2 + DIGITS_BYTES)
			break;
		if (p > start)
			*p++ = ',';
		p = text_column(p, tres.name, name);
		*p++ = '=';
		p = weighted ? put_whole(p, value) : digits_fixed(p, factors->tres[k], 2);
	}
	return p;
}

/* Write the value in its natural width. */
static char *put_value(char *p, const struct prio_line *line, const struct prio_field *field)
{
	const struct fl_factors *factors = &line->f;
	const void *value = prio_at(factors, field);

	switch (field->type) {
	case PRIO_JOB: case PRIO_NUMBER: return digits_u64(p, *(const uint32_t *)value);
	case PRIO_SITE: case PRIO_NICE: return digits_i64(p, *(const int32_t *)value);
	case PRIO_TEXT: return put_text(p, *(const char *const *)value, VALUE_BYTES);
	case PRIO_CLUSTER: return put_text(p, line->prio->cluster, VALUE_BYTES);
	case PRIO_FACTOR: return digits_fixed(p, *(const double *)value, 7);
	case PRIO_WEIGHTED: return put_whole(p, *(const double *)value);
	case PRIO_SUM: return put_sum(p, prio_sum(factors), false);
	/* like sprio */
	case PRIO_SUM_NORMALISED:
		return factors->direct_priority ? digits_fixed14(p, factors->direct_priority)
						: put_sum(p, factors->sum, true);
	case PRIO_TRES_WEIGHTED:
	case PRIO_TRES_FACTORS:
		return prio_tres_text(p, VALUE_BYTES, line->view, factors, field->type == PRIO_TRES_WEIGHTED);
	case PRIO_NUMBER_OR_NONE: case PRIO_TIME: case PRIO_KIND: case PRIO_RANK: case PRIO_TRES: break;
	}
	return p;
}

/* Write a value of -w. Fields without a weight are blank. */
static char *put_weight(char *p, const struct fl_multifactor *multifactor, const struct prio_field *field)
{
	switch (field->type) {
	case PRIO_JOB: return stpcpy(p, "Weights");
	case PRIO_FACTOR: case PRIO_WEIGHTED: return digits_u64(p, prio_weight(multifactor, field));
	case PRIO_SITE: return digits_u64(p, 1);
	case PRIO_TRES_WEIGHTED:
		return put_text(p, *multifactor->weight_tres ? multifactor->weight_tres : "(null)", VALUE_BYTES);
	default: return p;
	}
}

/* Lines */

typedef char *line_put(char *p, const void *line, const struct prio_field *field);

static char *title_put(char *p, const void *line, const struct prio_field *field)
{
	(void)line;
	return stpcpy(p, field->title);
}

static char *weight_put(char *p, const void *line, const struct prio_field *field)
{
	return put_weight(p, line, field);
}

static void print_line(struct out *o, const struct prio_format *format, line_put *put, const void *line)
{
	out_bytes(o, format->prefix, format->prefix_bytes);
	for (size_t k = 0; k < format->n; k++) {
		const struct prio_column *column = &format->columns[k];
		char *p = out_room(o, ROOM_BYTES + PRIO_FORMAT_BYTES);

		p = prio_justify(p, put(p, line, column->field), column->width, column->right);
		out_take(o, (char *)memcpy(p, column->suffix, column->suffix_bytes) + column->suffix_bytes);
	}
	out_bytes(o, "\n", 1);
}

/*
 * Write a column of a job, of which there are many. Names come from the memo, and numbers are
 * written in place.
 */
static char *put_column(char *p, const struct prio_line *line, const struct prio_column *column)
{
	if (column->field->type == PRIO_TEXT && !column->right && column->width && column->width <= MEMO_BYTES)
		return memo_column(line->memo, p, *(const char *const *)prio_at(&line->f, column->field),
				   column->width);
	return prio_justify(p, put_value(p, line, column->field), column->width, column->right);
}

static void print_job(struct out *o, const struct prio_format *format, const struct prio_line *line)
{
	if (format->prefix_bytes)
		out_bytes(o, format->prefix, format->prefix_bytes);
	for (size_t k = 0; k < format->n; k++) {
		const struct prio_column *column = &format->columns[k];
		char *p = put_column(out_room(o, ROOM_BYTES + PRIO_FORMAT_BYTES), line, column);

		if (column->suffix_bytes == 1)
			*p = *column->suffix;
		else
			memcpy(p, column->suffix, column->suffix_bytes);
		out_take(o, p + column->suffix_bytes);
	}
	out_bytes(o, "\n", 1);
}

static void print_jobs(struct out *out, const struct prio_format *format, struct prio *prio, const struct fl_view *view)
{
	struct prio_line line = { .view = view, .prio = prio, .memo = &prio->memo };

	for (size_t k = 0; k < prio->rows.n && !out->error; k++)
		if (prio_row_factors(view, &prio->rows.items[k], &line.f) == 0)
			print_job(out, format, &line);
}

#define NO_JOBS "Unable to find jobs matching user/id(s) specified\n"	/* text of sprio */

int prio_table(const struct fl_view *view, struct out *o, void *prio)
{
	struct prio *p = prio;
	char chosen[PRIO_FORMAT_BYTES];
	struct fl_multifactor multifactor;
	struct prio_format format;

	p->no_multifactor = fl_multifactor(view, &multifactor) != 0;
	if (p->no_multifactor)
		return EXIT_OK;
	if (!p->columns)
		prio_format_choose(p, &multifactor, chosen);
	int code = prio_format_parse(&format, p->columns ? p->columns : chosen);

	if (code)
		return code;
	memo_forget(&p->memo);
	if (!p->weights || p->njobs)
		p->error = prio_rows_collect(p, view, &multifactor);
	if (p->error)
		return EXIT_OK;
	if (p->njobs && p->rows.n == 0) {	/* regardless of other options */
		out_bytes(o, NO_JOBS, sizeof(NO_JOBS) - 1);
		return EXIT_OK;
	}
	if (!p->no_header)
		print_line(o, &format, title_put, NULL);
	if (p->weights)
		print_line(o, &format, weight_put, &multifactor);
	else
		print_jobs(o, &format, p, view);
	return EXIT_OK;
}
