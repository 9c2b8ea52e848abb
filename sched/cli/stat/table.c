/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat/lines.h"
#include "sched/process/digits.h"

#define QUEUE_WIDTH 30u			/* minimum; the longest name decides */
#define MAX_QUEUE_WIDTH 1024u
/* minimum; the highest whole number decides */
#define PRIOR_WIDTH 7u

#define BLANKS 32u

/* -t: titles of the columns after the others, and the length of their rule */
#define TASKS_TITLES "task-ID state cpu        mem     io      stat failed "
#define TASKS_RULE 53u

struct stat_row {
	const struct fl_job *job;
	struct local_clock *clock;
	struct memo *memo;
	enum time_format time_format;
	const struct spread_line *slot;	/* slot of -g t, NULL */
};

_Static_assert(STAT_FIELDS * DIGITS_BYTES + 2 * MAX_QUEUE_WIDTH <= OUT_ROOM_BYTES, "a row fits");

static double real(const void *value)
{
	return *(const double *)value;
}

static const char *string(const void *value)
{
	return *(const char *const *)value;
}

/*
 * Write blanks. Bytes after the end are overwritten later, so a constant number is written, which
 * is faster.
 */
static char *put_blanks(char *p, size_t width)
{
	return width <= BLANKS ? text_blanks(p, BLANKS) - BLANKS + width : text_blanks(p, width);
}

static char *pad_number(char *p, int64_t value, size_t width)
{
	return value >= 0 ? digits_right(p, (uint64_t)value, width) : text_pad_left(p, digits_i64(p, value), width);
}

static char *put_number(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	return digits_right(p, *(const uint32_t *)value, column->width);
}

static char *put_signed(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	return pad_number(p, *(const int32_t *)value, column->width);
}

static char *put_prio(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	if (column->whole)
		return text_pad_left(p, digits_truncated(p, real(value)), column->width);
	return text_pad_left(p, digits_fixed(p, real(value), 5), column->width);
}

static char *put_contribution(char *p, const struct stat_row *row, const void *of, const struct stat_column *column)
{
	double value = real(of);

	(void)row;
	if (isfinite(value) && value > 99999999)
		return p + sprintf(p, "%8.3g", value);
	/* the sum has no fraction bits: rounds like printf, ties to even */
	if (value >= 0 && value <= 99999999 && !signbit(value))
		return digits_right(p, (uint64_t)(int64_t)(value + 0x1p52 - 0x1p52), column->width);
	return text_pad_left(p, digits_fixed(p, value, 0), column->width);
}

static char *put_tickets(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	if (real(value) >= 0 && real(value) < 1e15)
		return digits_right(p, (uint64_t)(int64_t)real(value), column->width);
	return text_pad_left(p, digits_truncated(p, real(value)), column->width);
}

static char *put_share(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	return text_pad(p, digits_fixed(p, real(value), 2), column->width);
}

static char *put_cpu(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	if (row->job->is_started && row->job->has_usage)
		return text_duration(p, real(value));
	return row->job->is_started ? text_column(p, "NA", column->width) : put_blanks(p, column->width);
}

static char *put_usage(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	return row->job->is_started && row->job->has_usage ? digits_fixed(p, real(value), 5)
							   : put_cpu(p, row, value, column);
}

static char *put_text(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	return memo_column(row->memo, p, string(value), column->width);
}

static char *put_name(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	return memo_column(row->memo, p, *string(value) ? string(value) : "NA", column->width);
}

static char *put_letters(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	return text_column(p, value, column->width);
}

static char *put_queue(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)row;
	return *string(value) ? text_column(p, string(value), column->width) : put_blanks(p, column->width);
}

static char *put_time(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	int64_t time = *(const int64_t *)value;

	return time ? clock_put(row->clock, p, time, row->time_format) : put_blanks(p, column->width);
}

static char *put_submitted(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)column;
	return clock_put(row->clock, p, row->job->is_started ? row->job->start_time : *(const int64_t *)value,
			 row->time_format);
}

/* Write MASTER or SLAVE. With -g t this column replaces slots. */
static char *put_master(char *p, const struct stat_row *row, const void *value, const struct stat_column *column)
{
	(void)value;
	return text_column(p, !row->slot ? "" : row->slot->is_master ? "MASTER" : "SLAVE", column->width);
}

/*
 * A type without a function is in no table. Task ids are also missing here, as their length has no
 * limit.
 */
static column_put *const column_puts[STAT_TYPES] = {
	[STAT_NUMBER] = put_number, [STAT_SIGNED] = put_signed, [STAT_LETTERS] = put_letters, [STAT_TEXT] = put_text,
	[STAT_NAME] = put_name, [STAT_QUEUE] = put_queue, [STAT_SUBMITTED] = put_submitted, [STAT_STARTED] = put_time,
	[STAT_TIME] = put_time, [STAT_CPU] = put_cpu, [STAT_USAGE] = put_usage, [STAT_PRIO] = put_prio,
	[STAT_NORMALISED] = put_prio, [STAT_CONTRIBUTION] = put_contribution, [STAT_TICKETS] = put_tickets, [STAT_SHARE] = put_share,
};

/*
 * Return the length of the rule as Grid Engine computes it, which differs slightly from the width
 * of the columns. Each option adds its columns, even if another option has added them, and -pri
 * adds five more. -ext subtracts the times even if they are shown.
 */
static size_t rule_width(const struct job_listing *listing, const struct stat_lines *lines)
{
	unsigned groups = listing->show & (SHOW_PRIORITY | SHOW_URGENCY | SHOW_EXTENDED);
	size_t width = 83 + lines->queue_width + (groups & SHOW_PRIORITY ? 5 : 0) -
		       (groups & SHOW_EXTENDED ? 1 + TIME_BYTES : 0);

	for (const struct stat_field *field = stat_fields; field < stat_fields + STAT_FIELDS; field++)
		if (field->in[STAT_IN_TABLE].at)
			width += (field->width + 1u) * (size_t)__builtin_popcount(field->when & groups);
	width += (listing->spread ? 1 : 0) + (listing->show & SHOW_TASKS ? TASKS_RULE : 0);
	return width + (lines->priority_width > PRIOR_WIDTH ? lines->priority_width - PRIOR_WIDTH : 0);
}

static void print_header(struct out *out, const struct job_listing *listing, const struct stat_lines *lines)
{
	char *p = out_room(out, OUT_ROOM_BYTES);

	for (size_t k = 0; k < lines->ncolumns; k++) {
		const struct stat_column *column = &lines->columns[k];

		p = text_pad(p, stpcpy(text_blanks(p, column->indent), column->title), column->width);
		*p++ = ' ';
	}
	p = listing->show & SHOW_TASKS ? stpcpy(p, TASKS_TITLES) : p;
	*p++ = '\n';
	memset(p, '-', rule_width(listing, lines));
	p += rule_width(listing, lines);
	*p++ = '\n';
	out_take(out, p);
}

/* Write the task ids from `p` on. Return a position with room for further values. */
static char *put_tasks(struct out *out, char *p, const struct fl_job *job)
{
	if (!job->is_array)
		return text_blanks(p, 7);
	if (job->is_started || !job->nranges)
		return digits_u64(p, job->task);
	out_take(out, p);
	text_ranges(out, job->tasks, job->nranges);
	return out_room(out, OUT_ROOM_BYTES);
}

/*
 * -t: write the usage of the task from `p` on. The qmaster does not report the other tasks of a
 * parallel task.
 */
static char *put_used(char *p, const struct fl_job *job)
{
	p = text_blanks(p, 3 + 12 + 1);
	p = text_column(p, job->state, 6);
	if (!job->has_usage)
		return stpcpy(p, "NA         NA      NA      ");
	p = text_duration(p, job->cpu);
	*p++ = ' ';
	p = digits_fixed(p, job->mem, 5);
	*p++ = ' ';
	p = digits_fixed(p, job->io, 5);
	*p++ = ' ';
	return p;
}

void stat_line_put(struct out *out, struct job_listing *listing, const struct fl_job *job,
		   const struct spread_line *line, void *lines)
{
	struct stat_lines *stat_lines = lines;
	struct fl_job shown = *job;
	const struct stat_row row = { &shown, &listing->clock, &listing->memo, listing->time_format, line };
	bool repeated = line && line->repeated;
	const char *colour;
	char *p;

	/* the usage of a parallel task is in its master's line */
	shown.has_usage &= !line || line->is_master;
	if (!stat_lines->begun && !listing->no_header)
		print_header(out, listing, stat_lines);
	stat_lines->begun = true;
	colour = colour_of_row(listing, job);
	p = stpcpy(out_room(out, OUT_ROOM_BYTES), colour);
	for (const struct stat_column *column = stat_lines->columns;
	     column < stat_lines->columns + stat_lines->ncolumns; column++) {
		if (repeated && column->once)
			p = text_blanks(p, column->width);
		else
			p = column->put ? column->put(p, &row, (const char *)job + column->offset, column)
					: put_tasks(out, p, job);
		*p++ = ' ';
	}
	if (listing->show & SHOW_TASKS && line && line->is_master && !listing->below_queues)
		p = put_used(p - 1, job) + 1;
	if (*colour)
		p = stpcpy(p - 1, COLOUR_END) + 1;
	p[-1] = '\n';
	out_take(out, p);
	if (listing->show & SHOW_REQUESTS)
		requests_put(stat_lines->view, out, listing, job);
}

static void print_row(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct stat_lines *lines = context;

	if (listing->spread && job->is_started)
		spread_each(lines->view, out, listing, job, stat_line_put, lines);
	else
		stat_line_put(out, listing, job, NULL, lines);
}

static void widen_priority(struct stat_lines *lines, double priority)
{
	char digits[DIGITS_BYTES];
	size_t length = (size_t)(digits_truncated(digits, priority) - digits);

	if (length > lines->priority_width)
		lines->priority_width = length;
}

static void widen(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct stat_lines *lines = context;
	size_t length = strnlen(job->queue, MAX_QUEUE_WIDTH);

	(void)out;
	(void)listing;
	if (length > lines->queue_width)
		lines->queue_width = length;
	if (lines->priority_width)
		widen_priority(lines, job->prio);
}

/* Return whether a value is printed only in the first line of a task, as with qstat. */
static bool is_once(const struct stat_field *field)
{
	switch (field->type) {
	case STAT_PRIO:
	case STAT_NORMALISED:
	case STAT_CONTRIBUTION:
	case STAT_SIGNED:
	case STAT_TEXT:
	case STAT_NAME:
	case STAT_LETTERS:
	case STAT_SUBMITTED: case STAT_TIME:
		return true;
	default:
		return field->offset == offsetof(struct fl_job, job_number);
	}
}

static void columns_choose(struct stat_lines *lines, const struct job_listing *listing)
{
	const struct stat_field *fields[STAT_FIELDS];

	lines->ncolumns = stat_fields_shown(listing, STAT_IN_TABLE, fields);
	for (size_t k = 0; k < lines->ncolumns; k++) {
		const struct stat_field *field = fields[k];
		struct stat_column *column = &lines->columns[k];

		*column = (struct stat_column){ .put = column_puts[field->type],
						.offset = field->offset,
						.width = field->width,
						.title = field->in[STAT_IN_TABLE].name };
		/* like ppri and deadline of qstat */
		column->indent = field->type == STAT_SIGNED || field->type == STAT_TIME;
		column->once = is_once(field);
		if (listing->spread && field->offset == offsetof(struct fl_job, slots)) {
			column->put = put_master;
			column->title = "master";
			column->width = 6;
		}
		if (field->type == STAT_QUEUE)
			column->width = lines->queue_width;
		if (field->type == STAT_PRIO && lines->priority_width) {
			column->width = lines->priority_width;
			column->whole = true;
		}
	}
}

void stat_lines_below_queues(struct stat_lines *lines, struct job_listing *listing, const struct fl_view *view)
{
	struct fl_run run;

	*lines = (struct stat_lines){ .view = view, .begun = true };
	memo_forget(&listing->memo);
	fl_run(view, &run);
	if (run.prio_is_whole)
		lines->priority_width = PRIOR_WIDTH;
	columns_choose(lines, listing);
}

int stat_table(const struct fl_view *view, struct out *out, void *context)
{
	struct job_listing *listing = context;
	struct stat_lines lines = { .queue_width = QUEUE_WIDTH, .view = view };
	struct fl_run run;

	memo_forget(&listing->memo);
	fl_run(view, &run);
	if (run.prio_is_whole)
		lines.priority_width = PRIOR_WIDTH;
	rows_each(view, out, listing, FL_STARTED, widen, &lines);
	/* the first job may not have the highest priority if partitions have tiers */
	if (lines.priority_width)
		rows_each(view, out, listing, FL_PENDING, widen, &lines);
	columns_choose(&lines, listing);
	stat_all(view, out, listing, print_row, &lines);
	listing->any = lines.begun;
	return *listing->error.text ? EXIT_NO_DATA : EXIT_OK;
}
