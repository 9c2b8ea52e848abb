/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat_lines.h"
#include "sched/process/digits.h"

#define QUEUE_WIDTH 30u			/* at least; the longest name decides */
#define MAX_QUEUE_WIDTH 1024u
/* at least; of whole numbers the highest one decides */
#define PRIOR_WIDTH 7u

#define BLANKS 32u

/* -t: titles of what stands behind the other columns, and how long its rule is */
#define TASKS_TITLES "task-ID state cpu        mem     io      stat failed "
#define TASKS_RULE 53u

struct stat_row {
	const struct fl_job *job;
	struct local_clock *clock;
	struct memo *memo;
	enum time_format time_format;
	const struct spread_line *slot;	/* -g t; NULL */
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

/* What is written behind the end does not matter: as many bytes each time are cheaper. */
static char *put_blanks(char *p, size_t width)
{
	return width <= BLANKS ? text_blanks(p, BLANKS) - BLANKS + width : text_blanks(p, width);
}

static char *pad_number(char *p, int64_t value, size_t width)
{
	return value >= 0 ? digits_right(p, (uint64_t)value, width) : text_pad_left(p, digits_i64(p, value), width);
}

static char *put_number(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	return digits_right(p, *(const uint32_t *)value, c->width);
}

static char *put_signed(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	return pad_number(p, *(const int32_t *)value, c->width);
}

static char *put_prio(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	if (c->whole)
		return text_pad_left(p, digits_truncated(p, real(value)), c->width);
	return text_pad_left(p, digits_fixed(p, real(value), 5), c->width);
}

static char *put_contribution(char *p, const struct stat_row *r, const void *of, const struct stat_column *c)
{
	double value = real(of);

	(void)r;
	if (isfinite(value) && value > 99999999)
		return p + sprintf(p, "%8.3g", value);
	/* the sum has no bits behind the point: rounded as printf does, ties to even */
	if (value >= 0 && value <= 99999999 && !signbit(value))
		return digits_right(p, (uint64_t)(int64_t)(value + 0x1p52 - 0x1p52), c->width);
	return text_pad_left(p, digits_fixed(p, value, 0), c->width);
}

static char *put_tickets(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	if (real(value) >= 0 && real(value) < 1e15)
		return digits_right(p, (uint64_t)(int64_t)real(value), c->width);
	return text_pad_left(p, digits_truncated(p, real(value)), c->width);
}

static char *put_share(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	return text_pad(p, digits_fixed(p, real(value), 2), c->width);
}

static char *put_cpu(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	if (r->job->is_started && r->job->has_usage)
		return text_duration(p, real(value));
	return r->job->is_started ? text_column(p, "NA", c->width) : put_blanks(p, c->width);
}

static char *put_usage(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	return r->job->is_started && r->job->has_usage ? digits_fixed(p, real(value), 5) : put_cpu(p, r, value, c);
}

static char *put_text(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	return memo_column(r->memo, p, string(value), c->width);
}

static char *put_name(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	return memo_column(r->memo, p, *string(value) ? string(value) : "NA", c->width);
}

static char *put_letters(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	return text_column(p, value, c->width);
}

static char *put_queue(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)r;
	return *string(value) ? text_column(p, string(value), c->width) : put_blanks(p, c->width);
}

static char *put_time(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	int64_t time = *(const int64_t *)value;

	return time ? clock_put(r->clock, p, time, r->time_format) : put_blanks(p, c->width);
}

static char *put_submitted(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)c;
	return clock_put(r->clock, p, r->job->is_started ? r->job->start_time : *(const int64_t *)value, r->time_format);
}

/* -g t: in place of slots */
static char *put_master(char *p, const struct stat_row *r, const void *value, const struct stat_column *c)
{
	(void)value;
	return text_column(p, !r->slot ? "" : r->slot->is_master ? "MASTER" : "SLAVE", c->width);
}

/* Those without one are in no table, but for task ids, which have no bound. */
static column_put *const column_puts[STAT_TYPES] = {
	[STAT_NUMBER] = put_number, [STAT_SIGNED] = put_signed, [STAT_LETTERS] = put_letters, [STAT_TEXT] = put_text,
	[STAT_NAME] = put_name, [STAT_QUEUE] = put_queue, [STAT_SUBMITTED] = put_submitted, [STAT_STARTED] = put_time,
	[STAT_TIME] = put_time, [STAT_CPU] = put_cpu, [STAT_USAGE] = put_usage, [STAT_PRIO] = put_prio,
	[STAT_NORMALISED] = put_prio, [STAT_CONTRIBUTION] = put_contribution, [STAT_TICKETS] = put_tickets, [STAT_SHARE] = put_share,
};

/*
 * Grid Engine's own sum, a little different from what the columns take: each option adds its
 * columns, also those that another one has added, -pri five more, and -ext takes the times off,
 * also where they are shown.
 */
static size_t rule_width(const struct stat *s, const struct stat_lines *t)
{
	unsigned groups = s->show & (SHOW_PRIORITY | SHOW_URGENCY | SHOW_EXTENDED);
	size_t width = 83 + t->queue_width + (groups & SHOW_PRIORITY ? 5 : 0) - (groups & SHOW_EXTENDED ? 1 + TIME_BYTES : 0);

	for (const struct stat_field *f = stat_fields; f < stat_fields + STAT_FIELDS; f++)
		if (f->in[STAT_IN_TABLE].at)
			width += (f->width + 1u) * (size_t)__builtin_popcount(f->when & groups);
	width += (s->spread ? 1 : 0) + (s->show & SHOW_TASKS ? TASKS_RULE : 0);
	return width + (t->priority_width > PRIOR_WIDTH ? t->priority_width - PRIOR_WIDTH : 0);
}

static void print_header(struct out *o, const struct stat *s, const struct stat_lines *t)
{
	char *p = out_room(o, OUT_ROOM_BYTES);

	for (size_t k = 0; k < t->ncolumns; k++) {
		const struct stat_column *c = &t->columns[k];

		p = text_pad(p, stpcpy(text_blanks(p, c->indent), c->title), c->width);
		*p++ = ' ';
	}
	p = s->show & SHOW_TASKS ? stpcpy(p, TASKS_TITLES) : p;
	*p++ = '\n';
	memset(p, '-', rule_width(s, t));
	p += rule_width(s, t);
	*p++ = '\n';
	out_take(o, p);
}

/* Behind p, to where there is room again. */
static char *put_tasks(struct out *o, char *p, const struct fl_job *job)
{
	if (!job->is_array)
		return text_blanks(p, 7);
	if (job->is_started || !job->nranges)
		return digits_u64(p, job->task);
	out_take(o, p);
	text_ranges(o, job->tasks, job->nranges);
	return out_room(o, OUT_ROOM_BYTES);
}

/* -t: what the task has used; of further ones the qmaster does not tell. Behind p. */
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

void stat_line_put(struct out *o, struct stat *s, const struct fl_job *job, const struct spread_line *line, void *lines)
{
	struct stat_lines *t = lines;
	struct fl_job shown = *job;
	const struct stat_row row = { &shown, &s->clock, &s->memo, s->time_format, line };
	bool repeated = line && line->repeated;
	const char *colour;
	char *p;

	/* what a parallel task has used is in its master's line */
	shown.has_usage &= !line || line->is_master;
	if (!t->begun && !s->no_header)
		print_header(o, s, t);
	t->begun = true;
	colour = colour_of_row(s, job);
	p = stpcpy(out_room(o, OUT_ROOM_BYTES), colour);
	for (const struct stat_column *c = t->columns; c < t->columns + t->ncolumns; c++) {
		if (repeated && c->once)
			p = text_blanks(p, c->width);
		else
			p = c->put ? c->put(p, &row, (const char *)job + c->offset, c) : put_tasks(o, p, job);
		*p++ = ' ';
	}
	if (s->show & SHOW_TASKS && line && line->is_master && !s->below_queues)
		p = put_used(p - 1, job) + 1;
	if (*colour)
		p = stpcpy(p - 1, COLOUR_END) + 1;
	p[-1] = '\n';
	out_take(o, p);
	if (s->show & SHOW_REQUESTS)
		requests_put(t->view, o, s, job);
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct stat_lines *t = context;

	if (s->spread && job->is_started)
		spread_each(t->view, o, s, job, stat_line_put, t);
	else
		stat_line_put(o, s, job, NULL, t);
}

static void widen_priority(struct stat_lines *t, double priority)
{
	char digits[DIGITS_BYTES];
	size_t length = (size_t)(digits_truncated(digits, priority) - digits);

	if (length > t->priority_width)
		t->priority_width = length;
}

static void widen(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct stat_lines *t = context;
	size_t length = strnlen(job->queue, MAX_QUEUE_WIDTH);

	(void)o;
	(void)s;
	if (length > t->queue_width)
		t->queue_width = length;
	if (t->priority_width)
		widen_priority(t, job->prio);
}

/* What stands once for all lines of a task, as with qstat. */
static bool is_once(const struct stat_field *f)
{
	switch (f->type) {
	case STAT_PRIO: case STAT_NORMALISED: case STAT_CONTRIBUTION: case STAT_SIGNED: case STAT_TEXT: case STAT_NAME: case STAT_LETTERS:
	case STAT_SUBMITTED: case STAT_TIME:
		return true;
	default:
		return f->offset == offsetof(struct fl_job, job_number);
	}
}

static void columns_choose(struct stat_lines *t, const struct stat *s)
{
	const struct stat_field *fields[STAT_FIELDS];

	t->ncolumns = stat_fields_shown(s, STAT_IN_TABLE, fields);
	for (size_t k = 0; k < t->ncolumns; k++) {
		const struct stat_field *f = fields[k];
		struct stat_column *c = &t->columns[k];

		*c = (struct stat_column){ .put = column_puts[f->type], .offset = f->offset, .width = f->width, .title = f->in[STAT_IN_TABLE].name };
		/* as qstat has ppri and deadline */
		c->indent = f->type == STAT_SIGNED || f->type == STAT_TIME;
		c->once = is_once(f);
		if (s->spread && f->offset == offsetof(struct fl_job, slots)) {
			c->put = put_master;
			c->title = "master";
			c->width = 6;
		}
		if (f->type == STAT_QUEUE)
			c->width = t->queue_width;
		if (f->type == STAT_PRIO && t->priority_width) {
			c->width = t->priority_width;
			c->whole = true;
		}
	}
}

void stat_lines_below_queues(struct stat_lines *lines, struct stat *s, const struct fl_view *view)
{
	struct fl_run run;

	*lines = (struct stat_lines){ .view = view, .begun = true };
	memo_forget(&s->memo);
	fl_run(view, &run);
	if (run.prio_is_whole)
		lines->priority_width = PRIOR_WIDTH;
	columns_choose(lines, s);
}

int stat_table(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct stat_lines t = { .queue_width = QUEUE_WIDTH, .view = view };
	struct fl_run run;

	memo_forget(&s->memo);
	fl_run(view, &run);
	if (run.prio_is_whole)
		t.priority_width = PRIOR_WIDTH;
	rows_each(view, o, s, FL_STARTED, widen, &t);
	/* not the first one's is the highest, where partitions have tiers */
	if (t.priority_width)
		rows_each(view, o, s, FL_PENDING, widen, &t);
	columns_choose(&t, s);
	stat_all(view, o, s, print_row, &t);
	s->any = t.begun;
	return *s->error.text ? EXIT_NO_DATA : EXIT_OK;
}
