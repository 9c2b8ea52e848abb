/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat.h"
#include "sched/process/digits.h"

#define QUEUE_WIDTH 30u			/* at least; the longest name decides */
#define MAX_QUEUE_WIDTH 1024u
/* at least; with algorithm multifactor the highest priority decides */
#define PRIOR_WIDTH 7u

struct row {
	const struct fl_job *job;
	struct clock *clock;
	struct memo *memo;
	/* of a whole number, algorithm multifactor; 0: Grid Engine's prio */
	size_t priority_width;
};

/* shown when one of the bits is asked for; the title has the column's width and a blank */
struct column {
	unsigned when;			/* 0: always */
	const char *title;
	char *(*put)(char *p, const struct row *row);
};

static char *put_fixed(char *p, double value, unsigned decimals, size_t width)
{
	return text_pad_left(p, digits_fixed(p, value, decimals), width);
}

static char *put_number(char *p, int64_t value)
{
	return value >= 0 ? digits_right(p, (uint64_t)value, 5) : text_pad_left(p, digits_i64(p, value), 5);
}

static char *put_contribution(char *p, double value)
{
	if (isfinite(value) && value > 99999999)
		return p + sprintf(p, "%8.3g", value);
	/* the sum has no bits behind the point: rounded as printf does, ties to even */
	if (value >= 0 && value <= 99999999 && !signbit(value))
		return digits_right(p, (uint64_t)(int64_t)(value + 0x1p52 - 0x1p52), 8);
	return put_fixed(p, value, 0, 8);
}

static char *put_tickets(char *p, double value)
{
	if (value >= 0 && value < 1e15)
		return digits_right(p, (uint64_t)(int64_t)value, 5);
	return text_pad_left(p, digits_truncated(p, value), 5);
}

static char *put_name(char *p, const struct row *row, const char *name, size_t width)
{
	return memo_column(row->memo, p, *name ? name : "NA", width);
}

/* Usage: of started tasks only, and once a report has come. */
static char *put_usage(char *p, const struct fl_job *job, double value)
{
	if (job->is_started && job->has_usage)
		return digits_fixed(p, value, 5);
	return job->is_started ? text_column(p, "NA", 7) : text_blanks(p, 7);
}

static char *put_job(char *p, const struct row *r)
{
	return digits_right(p, r->job->job_number, 7);
}

static char *put_prio(char *p, const struct row *r)
{
	if (!r->priority_width)
		return put_fixed(p, r->job->prio, 5, PRIOR_WIDTH);
	return text_pad_left(p, digits_truncated(p, r->job->prio), r->priority_width);
}

static char *put_nurg(char *p, const struct row *r) { return put_fixed(p, r->job->nurg, 5, 7); }
static char *put_npprior(char *p, const struct row *r) { return put_fixed(p, r->job->npprior, 5, 7); }
static char *put_ntckts(char *p, const struct row *r) { return put_fixed(p, r->job->ntckts, 5, 7); }
static char *put_urg(char *p, const struct row *r) { return put_contribution(p, r->job->urg); }
static char *put_rrcontr(char *p, const struct row *r) { return put_contribution(p, r->job->rrcontr); }
static char *put_wtcontr(char *p, const struct row *r) { return put_contribution(p, r->job->wtcontr); }
static char *put_dlcontr(char *p, const struct row *r) { return put_contribution(p, r->job->dlcontr); }
static char *put_ppri(char *p, const struct row *r) { return put_number(p, r->job->priority); }
static char *put_jobname(char *p, const struct row *r) { return memo_column(r->memo, p, r->job->name, 10); }
static char *put_user(char *p, const struct row *r) { return memo_column(r->memo, p, r->job->owner, 12); }
static char *put_project(char *p, const struct row *r) { return put_name(p, r, r->job->project, 16); }
static char *put_department(char *p, const struct row *r) { return put_name(p, r, r->job->department, 10); }
static char *put_state(char *p, const struct row *r) { return text_column(p, r->job->state, 5); }

static char *put_time(char *p, const struct row *r)
{
	return clock_put(r->clock, p, r->job->is_started ? r->job->start_time : r->job->submission_time, TIME_TABLE);
}

static char *put_deadline(char *p, const struct row *r)
{
	if (!r->job->deadline)
		return text_blanks(p, TIME_BYTES);
	return clock_put(r->clock, p, r->job->deadline, TIME_TABLE);
}

static char *put_cpu(char *p, const struct row *r)
{
	if (r->job->is_started && r->job->has_usage)
		return text_duration(p, r->job->cpu);
	return r->job->is_started ? text_column(p, "NA", 10) : text_blanks(p, 10);
}

static char *put_mem(char *p, const struct row *r) { return put_usage(p, r->job, r->job->mem); }
static char *put_io(char *p, const struct row *r) { return put_usage(p, r->job, r->job->io); }
static char *put_tckts(char *p, const struct row *r) { return put_tickets(p, r->job->tckts); }
static char *put_ovrts(char *p, const struct row *r) { return put_number(p, r->job->override_tickets); }
static char *put_otckt(char *p, const struct row *r) { return put_tickets(p, r->job->otckt); }
static char *put_ftckt(char *p, const struct row *r) { return put_tickets(p, r->job->ftckt); }
static char *put_stckt(char *p, const struct row *r) { return put_tickets(p, r->job->stckt); }
static char *put_share(char *p, const struct row *r) { return text_pad(p, digits_fixed(p, r->job->share, 2), 5); }

static const struct column columns[] = {
	{ 0, "job-ID  ", put_job },
	{ 0, "prior   ", put_prio },
	{ SHOW_PRIORITY | SHOW_URGENCY, "nurg    ", put_nurg },
	{ SHOW_PRIORITY, "npprior ", put_npprior },
	{ SHOW_PRIORITY | SHOW_EXTENDED, "ntckts  ", put_ntckts },
	{ SHOW_URGENCY, "urg      ", put_urg },
	{ SHOW_URGENCY, "rrcontr  ", put_rrcontr },
	{ SHOW_URGENCY, "wtcontr  ", put_wtcontr },
	{ SHOW_URGENCY, "dlcontr  ", put_dlcontr },
	{ SHOW_PRIORITY, " ppri ", put_ppri },
	{ 0, "name       ", put_jobname },
	{ 0, "user         ", put_user },
	{ SHOW_EXTENDED, "project          ", put_project },
	{ SHOW_EXTENDED, "department ", put_department },
	{ 0, "state ", put_state },
	{ SHOW_TIMES, "submit/start at     ", put_time },
	{ SHOW_URGENCY, " deadline           ", put_deadline },
	{ SHOW_EXTENDED, "cpu        ", put_cpu },
	{ SHOW_EXTENDED, "mem     ", put_mem },
	{ SHOW_EXTENDED, "io      ", put_io },
	{ SHOW_EXTENDED, "tckts ", put_tckts },
	{ SHOW_EXTENDED, "ovrts ", put_ovrts },
	{ SHOW_EXTENDED, "otckt ", put_otckt },
	{ SHOW_EXTENDED, "ftckt ", put_ftckt },
	{ SHOW_EXTENDED, "stckt ", put_stckt },
	{ SHOW_EXTENDED, "share ", put_share },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct table {				/* what a run's table needs to know */
	const struct column *shown[COLUMNS];
	size_t nshown, queue_width;
	size_t priority_width;		/* as in struct row */
	bool begun;			/* the header is there */
};

_Static_assert(COLUMNS * DIGITS_BYTES + MAX_QUEUE_WIDTH + 64 <= OUT_ROOM_BYTES, "a row fits");

/* Grid Engine's own sum, a little different from what the columns take. */
static size_t rule_width(const struct stat *s, const struct table *t)
{
	return 83 + t->queue_width + (s->show & SHOW_EXTENDED ? 79 : 0) + (s->show & SHOW_URGENCY ? 64 : 0) +
	       (s->show & SHOW_PRIORITY ? 35 : 0) + (t->priority_width > PRIOR_WIDTH ? t->priority_width - PRIOR_WIDTH : 0);
}

static void print_header(struct out *o, const struct stat *s, const struct table *t)
{
	char *p = out_room(o, OUT_ROOM_BYTES);

	for (size_t k = 0; k < t->nshown; k++) {
		p = stpcpy(p, t->shown[k]->title);
		if (t->shown[k]->put == put_prio && t->priority_width > PRIOR_WIDTH)
			p = text_blanks(p, t->priority_width - PRIOR_WIDTH);
	}
	p = text_column(p, "queue", t->queue_width);
	p = stpcpy(p, " slots ja-task-ID \n");
	memset(p, '-', rule_width(s, t));
	p += rule_width(s, t);
	*p++ = '\n';
	out_take(o, p);
}

static void print_tasks(struct out *o, const struct fl_job *job)
{
	if (!job->is_array)
		out_bytes(o, "       ", 7);
	else if (job->is_started || !job->nranges)
		out_take(o, digits_u64(out_room(o, DIGITS_BYTES), job->task));
	else
		text_ranges(o, job->tasks, job->nranges);
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct table *t = context;
	struct row row = { job, &s->clock, &s->memo, t->priority_width };

	if (!t->begun)
		print_header(o, s, t);
	t->begun = true;
	char *p = out_room(o, OUT_ROOM_BYTES);

	for (size_t k = 0; k < t->nshown; k++) {
		p = t->shown[k]->put(p, &row);
		*p++ = ' ';
	}
	p = *job->queue ? text_column(p, job->queue, t->queue_width) : text_blanks(p, t->queue_width);
	*p++ = ' ';
	p = put_number(p, job->slots);
	*p++ = ' ';
	out_take(o, p);
	print_tasks(o, job);
	out_bytes(o, "\n", 1);
}

static void widen_priority(struct table *t, double priority)
{
	char digits[DIGITS_BYTES];
	size_t length = (size_t)(digits_truncated(digits, priority) - digits);

	if (length > t->priority_width)
		t->priority_width = length;
}

static void widen(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct table *t = context;
	size_t length = strnlen(job->queue, MAX_QUEUE_WIDTH);

	(void)o;
	(void)s;
	if (length > t->queue_width)
		t->queue_width = length;
	if (t->priority_width)
		widen_priority(t, job->prio);
}

int stat_table(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct table t = { .queue_width = QUEUE_WIDTH };
	struct fl_multifactor multifactor;

	for (size_t k = 0; k < COLUMNS; k++)
		if (!columns[k].when || (columns[k].when & s->show))
			t.shown[t.nshown++] = &columns[k];
	memo_forget(&s->memo);
	if (fl_multifactor(view, &multifactor) == 0)
		t.priority_width = PRIOR_WIDTH;
	stat_each(view, o, s, FL_STARTED, widen, &t);
	/* not the first one's is the highest, where partitions have tiers */
	if (t.priority_width)
		stat_each(view, o, s, FL_PENDING, widen, &t);
	stat_each(view, o, s, FL_STARTED, print_row, &t);
	stat_each(view, o, s, FL_PENDING, print_row, &t);
	return EXIT_OK;
}
