/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/acct.h"
#include "sched/cli/prio_fields.h"
#include "sched/cli/stat_fields.h"
#include "sched/process/digits.h"

#define LABEL_BYTES STAT_LABEL_BYTES

static void put_label(struct out *o, const char *label)
{
	stat_label(o, label);
}

static void put_text(struct out *o, const char *label, const char *text)
{
	put_label(o, label);
	text_plain(o, *text ? text : "NONE");
	out_bytes(o, "\n", 1);
}

static void put_number(struct out *o, const char *label, int64_t value)
{
	put_label(o, label);
	out_take(o, digits_i64(out_room(o, DIGITS_BYTES), value));
	out_bytes(o, "\n", 1);
}

static void put_id(struct out *o, const char *label, uint32_t id)
{
	if (id)
		put_number(o, label, id);
	else
		put_text(o, label, "");
}

/* Five decimals, as people read them elsewhere, where there are any; JSON has all of them. */
static void put_real(struct out *o, const char *label, double value)
{
	put_label(o, label);
	out_take(o, digits_fixed(out_room(o, DIGITS_BYTES), value, value == trunc(value) ? 0 : 5));
	out_bytes(o, "\n", 1);
}

static void put_time(struct out *o, struct stat *s, const char *label, int64_t time)
{
	if (!time) {
		put_text(o, label, "");
		return;
	}
	put_label(o, label);
	out_take(o, clock_put(&s->clock, out_room(o, TIME_BYTES), time, s->time_format));
	out_bytes(o, "\n", 1);
}

static void put_tasks(struct out *o, const char *label, const struct fl_job *job)
{
	if (!job->nranges) {
		put_number(o, label, job->task);
		return;
	}
	put_label(o, label);
	text_ranges(o, job->tasks, job->nranges);
	out_bytes(o, "\n", 1);
}

static void put_field(struct out *o, struct stat *s, const struct fl_job *job, const struct stat_field *f)
{
	const char *label = f->in[STAT_IN_JOB].name;

	switch (f->type) {
	case STAT_NUMBER: put_number(o, label, *(const uint32_t *)stat_at(job, f)); break;
	case STAT_ID: put_id(o, label, *(const uint32_t *)stat_at(job, f)); break;
	case STAT_SIGNED: put_number(o, label, *(const int32_t *)stat_at(job, f)); break;
	case STAT_LETTERS: put_text(o, label, stat_at(job, f)); break;
	case STAT_TEXT: case STAT_NAME: case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_QUEUE:
		put_text(o, label, stat_string(job, f));
		break;
	case STAT_SUBMITTED: case STAT_STARTED: case STAT_TIME: put_time(o, s, label, stat_time(job, f)); break;
	case STAT_TASKS: put_tasks(o, label, job); break;
	case STAT_CPU: case STAT_USAGE: if (job->has_usage) put_real(o, label, stat_real(job, f)); break;
	case STAT_PRIO: case STAT_NORMALISED: case STAT_CONTRIBUTION: case STAT_TICKETS: case STAT_SHARE:
		put_real(o, label, stat_real(job, f));
		break;
	case STAT_BOOL: case STAT_KIND: case STAT_TYPES: break;
	}
}

static void put_part(struct out *o, struct stat *s, const struct fl_job *job, enum stat_part part)
{
	const struct stat_field *fields[STAT_FIELDS];
	size_t n = stat_fields_choose(STAT_IN_JOB, part, fields);

	for (size_t k = 0; k < n; k++)
		put_field(o, s, job, fields[k]);
}

/* To the blank as qstat has it. It is the first of the reasons, if it is one. */
void detail_error(const struct fl_view *view, struct out *o, const struct fl_job *job)
{
	char label[64];
	struct fl_why why;

	if (fl_why(view, job->job_number, 0, &why) || strcmp(why.kind, "in_error") != 0 || !*why.object)
		return;
	snprintf(label, sizeof(label), "error reason %10u:      ", job->task);
	out_text(o, label);
	text_plain(o, why.object);
	out_bytes(o, "\n", 1);
}

/* With algorithm userprio: what of its Requirements slots don't meet. */
static void put_clauses(struct out *o, const struct fl_view *view, uint32_t job_number)
{
	struct fl_clause clauses[STAT_CLAUSES];
	char text[sizeof(clauses->text) + 100];
	int n = fl_clauses(view, job_number, clauses, STAT_CLAUSES);

	for (int k = 0; k < n && k < STAT_CLAUSES && !o->error; k++) {
		if (clauses[k].refused == 0)
			continue;
		snprintf(text, sizeof(text), "%.255s is not true of %u of %u slots", clauses[k].text, clauses[k].refused, clauses[k].slots);
		out_take(o, text_blanks(out_room(o, LABEL_BYTES), LABEL_BYTES));
		text_plain(o, text);
		out_bytes(o, "\n", 1);
	}
}

/* One sentence a line, below each other. */
static void put_reasons(struct out *o, const struct fl_view *view, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	for (; !o->error && fl_why(view, job_number, k, &why) == 0; k++) {
		if (k == 0)
			put_label(o, "scheduling info");
		else
			out_take(o, text_blanks(out_room(o, LABEL_BYTES), LABEL_BYTES));
		fl_why_text(&why, text, sizeof(text));
		text_plain(o, text);
		out_bytes(o, "\n", 1);
		if (strcmp(why.kind, "no_match") == 0)
			put_clauses(o, view, job_number);
	}
	if (k == 0)
		put_text(o, "scheduling info", "");
}

/*
 * With algorithm multifactor, and in the order in which they are added: what a job's priority is
 * made of, in each of its partitions.
 */
static void put_factors(struct out *o, const struct fl_factors *f)
{
	for (unsigned at = 1; at <= UINT8_MAX; at++)
		for (const struct prio_field *field = prio_fields; field < prio_fields + PRIO_FIELDS; field++) {
			const void *value = prio_at(f, field);

			if (field->job_at != at)
				continue;
			if (field->type == PRIO_TEXT)
				put_text(o, field->label, *(const char *const *)value);
			else if (field->type == PRIO_SUM)
				put_real(o, field->label, f->direct_priority ? f->direct_priority : f->sum);
			else if (field->type == PRIO_SITE || field->type == PRIO_NICE)
				put_real(o, field->label, *(const int32_t *)value);
			else
				put_real(o, field->label, *(const double *)value);
		}
}

/* Whether there are factors; then there is nothing else that the order depends on. */
static bool put_multifactor(const struct fl_view *view, struct out *o, const struct fl_job *job)
{
	struct fl_factors f;
	size_t k = 0;

	for (; !o->error && fl_factors(view, job->job_number, k, &f) == 0; k++) {
		if (k == 0) {
			put_real(o, "prio", job->prio);
			put_text(o, "account", f.account);
			put_text(o, "qos", f.qos);
		}
		put_factors(o, &f);
	}
	return k > 0;
}

static void put_attribute(struct out *o, const char *line, bool is_first)
{
	if (is_first)
		put_label(o, "ad");
	else
		out_take(o, text_blanks(out_room(o, LABEL_BYTES), LABEL_BYTES));
	text_plain(o, line);
	out_bytes(o, "\n", 1);
}

/* What lies in shared memory may change: a copy is cut into lines. */
static void put_ad(struct out *o, const char *ad)
{
	char *copy = strndup(ad, STAT_AD_BYTES), *rest = copy;
	bool is_first = true;

	for (const char *line; !o->error && (line = strsep(&rest, "\n")); )
		if (*line) {
			put_attribute(o, line, is_first);
			is_first = false;
		}
	free(copy);
}

/* With algorithm userprio: as whose job it is negotiated for, and what it has said. */
static void put_claimant(const struct fl_view *view, struct out *o, uint32_t job_number)
{
	struct fl_claimant c;

	if (fl_claimant(view, job_number, &c))
		return;
	put_text(o, "submitter", c.submitter);
	put_text(o, "accounting_group", c.accounting_group);
	put_text(o, "accounting_group_user", c.accounting_group_user);
	if (c.has_job_prio)
		put_number(o, "job_prio", c.job_prio);
	put_id(o, "place in submitter's order", c.place);
	put_ad(o, c.ad);
}

static void print_row(const struct fl_view *view, struct out *o, struct stat *s, const struct fl_job *job)
{
	out_text(o, "\n");
	put_part(o, s, job, job->is_started ? PART_STARTED : PART_PENDING);
	if (!put_multifactor(view, o, job))
		put_part(o, s, job, PART_PRIORITIES);
	if (job->is_started) {
		detail_usage(view, o, s, job);
		return;
	}
	detail_place(view, o, job->job_number);
	detail_error(view, o, job);
	put_reasons(o, view, job->job_number);
}

/* How its tasks have ended, the first one first, in the lines of qacct -j. */
static void put_ended(struct out *o, const struct stat *s, uint32_t number)
{
	for (size_t i = s->finished.n; i-- > 0;)
		if (s->finished.items[i]->job.job_number == number)
			acct_block(o, &s->finished.items[i]->record, true);
}

int stat_job(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = false;
		for (size_t k = 0; !o->error && fl_find(view, wanted->number, k, &job) == 0; k++) {
			if (!wanted->found) {
				out_text(o, "==============================================================\n");
				put_part(o, s, &job, PART_JOB);
				put_claimant(view, o, wanted->number);
				detail_print(view, o, s, &job);
			}
			wanted->found = true;
			print_row(view, o, s, &job);
		}
		if (!wanted->found && wanted_has_ended(s, wanted))
			put_ended(o, s, wanted->number);
	}
	return EXIT_OK;
}
