/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/acct/acct.h"
#include "sched/cli/slurm/prio_fields.h"
#include "sched/cli/stat/fields.h"
#include "sched/process/digits.h"

#define LABEL_BYTES STAT_LABEL_BYTES

static void put_label(struct out *out, const char *label)
{
	stat_label(out, label);
}

static void put_text(struct out *out, const char *label, const char *text)
{
	put_label(out, label);
	text_plain(out, *text ? text : "NONE");
	out_bytes(out, "\n", 1);
}

static void put_number(struct out *out, const char *label, int64_t value)
{
	put_label(out, label);
	out_take(out, digits_i64(out_room(out, DIGITS_BYTES), value));
	out_bytes(out, "\n", 1);
}

static void put_id(struct out *out, const char *label, uint32_t id)
{
	if (id)
		put_number(out, label, id);
	else
		put_text(out, label, "");
}

/* Print a number with five decimals, or none if it is whole. JSON has all digits. */
static void put_real(struct out *out, const char *label, double value)
{
	put_label(out, label);
	out_take(out, digits_fixed(out_room(out, DIGITS_BYTES), value, value == trunc(value) ? 0 : 5));
	out_bytes(out, "\n", 1);
}

static void put_time(struct out *out, struct job_listing *listing, const char *label, int64_t time)
{
	if (!time) {
		put_text(out, label, "");
		return;
	}
	put_label(out, label);
	out_take(out, clock_put(&listing->clock, out_room(out, TIME_BYTES), time, listing->time_format));
	out_bytes(out, "\n", 1);
}

static void put_tasks(struct out *out, const char *label, const struct fl_job *job)
{
	if (!job->nranges) {
		put_number(out, label, job->task);
		return;
	}
	put_label(out, label);
	text_ranges(out, job->tasks, job->nranges);
	out_bytes(out, "\n", 1);
}

static void put_field(struct out *out, struct job_listing *listing, const struct fl_job *job,
		      const struct stat_field *field)
{
	const char *label = field->in[STAT_IN_JOB].name;

	switch (field->type) {
	case STAT_NUMBER: put_number(out, label, *(const uint32_t *)stat_at(job, field)); break;
	case STAT_ID: put_id(out, label, *(const uint32_t *)stat_at(job, field)); break;
	case STAT_SIGNED: put_number(out, label, *(const int32_t *)stat_at(job, field)); break;
	case STAT_LETTERS: put_text(out, label, stat_at(job, field)); break;
	case STAT_TEXT: case STAT_NAME: case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_QUEUE:
		put_text(out, label, stat_string(job, field));
		break;
	case STAT_SUBMITTED: case STAT_STARTED: case STAT_TIME: put_time(out, listing, label, stat_time(job, field)); break;
	case STAT_TASKS: put_tasks(out, label, job); break;
	case STAT_CPU: case STAT_USAGE: if (job->has_usage) put_real(out, label, stat_real(job, field)); break;
	case STAT_PRIO: case STAT_NORMALISED: case STAT_CONTRIBUTION: case STAT_TICKETS: case STAT_SHARE:
		put_real(out, label, stat_real(job, field));
		break;
	case STAT_BOOL: case STAT_KIND: case STAT_TYPES: break;
	}
}

static void put_part(struct out *out, struct job_listing *listing, const struct fl_job *job, enum stat_part part)
{
	const struct stat_field *fields[STAT_FIELDS];
	size_t n = stat_fields_choose(STAT_IN_JOB, part, fields);

	for (size_t k = 0; k < n; k++)
		put_field(out, listing, job, fields[k]);
}

/*
 * Print the error of a job with exactly qstat's spacing. An error is always the first of the
 * reasons.
 */
void detail_error(const struct fl_view *view, struct out *out, const struct fl_job *job)
{
	char label[64];
	struct fl_why why;

	if (fl_why(view, job->job_number, 0, &why) || strcmp(why.kind, "in_error") != 0 || !*why.object)
		return;
	snprintf(label, sizeof(label), "error reason %10u:      ", job->task);
	out_text(out, label);
	text_plain(out, why.object);
	out_bytes(out, "\n", 1);
}

/*
 * With algorithm userprio: print the clauses of the job's Requirements that slots do not satisfy.
 */
static void put_clauses(struct out *out, const struct fl_view *view, uint32_t job_number)
{
	struct fl_clause clauses[STAT_CLAUSES];
	char text[sizeof(clauses->text) + 100];
	int n = fl_clauses(view, job_number, clauses, STAT_CLAUSES);

	for (int k = 0; k < n && k < STAT_CLAUSES && !out->error; k++) {
		if (clauses[k].refused == 0)
			continue;
		snprintf(text, sizeof(text), "%.255s is not true of %u of %u slots", clauses[k].text,
			 clauses[k].refused, clauses[k].slots);
		out_take(out, text_blanks(out_room(out, LABEL_BYTES), LABEL_BYTES));
		text_plain(out, text);
		out_bytes(out, "\n", 1);
	}
}

/* Print the reasons, one sentence per line. */
static void put_reasons(struct out *out, const struct fl_view *view, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	for (; !out->error && fl_why(view, job_number, k, &why) == 0; k++) {
		if (k == 0)
			put_label(out, "scheduling info");
		else
			out_take(out, text_blanks(out_room(out, LABEL_BYTES), LABEL_BYTES));
		fl_why_text(&why, text, sizeof(text));
		text_plain(out, text);
		out_bytes(out, "\n", 1);
		if (strcmp(why.kind, "no_match") == 0)
			put_clauses(out, view, job_number);
	}
	if (k == 0)
		put_text(out, "scheduling info", "");
}

/*
 * Print the factors of a job's priority with algorithm multifactor, in the order of their addition,
 * for each partition of the job.
 */
static void put_factors(struct out *out, const struct fl_factors *factors)
{
	for (unsigned at = 1; at <= UINT8_MAX; at++)
		for (const struct prio_field *field = prio_fields; field < prio_fields + PRIO_FIELDS; field++) {
			const void *value = prio_at(factors, field);

			if (field->job_at != at)
				continue;
			if (field->type == PRIO_TEXT)
				put_text(out, field->label, *(const char *const *)value);
			else if (field->type == PRIO_SUM)
				put_real(out, field->label,
					 factors->direct_priority ? factors->direct_priority : factors->sum);
			else if (field->type == PRIO_SITE || field->type == PRIO_NICE)
				put_real(out, field->label, *(const int32_t *)value);
			else
				put_real(out, field->label, *(const double *)value);
		}
}

/*
 * Print the factors of a job. Return whether there are any. If so, the order depends on nothing
 * else.
 */
static bool put_multifactor(const struct fl_view *view, struct out *out, const struct fl_job *job)
{
	struct fl_factors factors;
	size_t k = 0;

	for (; !out->error && fl_factors(view, job->job_number, k, &factors) == 0; k++) {
		if (k == 0) {
			put_real(out, "prio", job->prio);
			put_text(out, "account", factors.account);
			put_text(out, "qos", factors.qos);
		}
		put_factors(out, &factors);
	}
	return k > 0;
}

static void put_attribute(struct out *out, const char *line, bool is_first)
{
	if (is_first)
		put_label(out, "ad");
	else
		out_take(out, text_blanks(out_room(out, LABEL_BYTES), LABEL_BYTES));
	text_plain(out, line);
	out_bytes(out, "\n", 1);
}

/* Print an ad line by line. A copy is split, because shared memory may change. */
static void put_ad(struct out *out, const char *ad)
{
	char *copy = strndup(ad, STAT_AD_BYTES), *rest = copy;
	bool is_first = true;

	for (const char *line; !out->error && (line = strsep(&rest, "\n")); )
		if (*line) {
			put_attribute(out, line, is_first);
			is_first = false;
		}
	free(copy);
}

/* With algorithm userprio: print the submitter that the job is negotiated for, and its ad. */
static void put_claimant(const struct fl_view *view, struct out *out, uint32_t job_number)
{
	struct fl_claimant claimant;

	if (fl_claimant(view, job_number, &claimant))
		return;
	put_text(out, "submitter", claimant.submitter);
	put_text(out, "accounting_group", claimant.accounting_group);
	put_text(out, "accounting_group_user", claimant.accounting_group_user);
	if (claimant.has_job_prio)
		put_number(out, "job_prio", claimant.job_prio);
	put_id(out, "place in submitter's order", claimant.place);
	put_ad(out, claimant.ad);
}

static void print_row(const struct fl_view *view, struct out *out, struct job_listing *listing,
		      const struct fl_job *job)
{
	out_text(out, "\n");
	put_part(out, listing, job, job->is_started ? PART_STARTED : PART_PENDING);
	if (!put_multifactor(view, out, job))
		put_part(out, listing, job, PART_PRIORITIES);
	if (job->is_started) {
		detail_usage(view, out, listing, job);
		return;
	}
	detail_place(view, out, job->job_number);
	detail_error(view, out, job);
	put_reasons(out, view, job->job_number);
}

/* Print how the job's tasks have ended, in order, in the lines of qacct -j. */
static void put_ended(struct out *out, const struct job_listing *listing, uint32_t number)
{
	for (size_t i = listing->finished.n; i-- > 0;)
		if (listing->finished.items[i]->job.job_number == number)
			acct_block(out, &listing->finished.items[i]->record, true);
}

int stat_job(const struct fl_view *view, struct out *out, void *context)
{
	struct job_listing *listing = context;
	struct fl_job job;

	for (size_t i = 0; i < listing->njobs; i++) {
		struct wanted_job *wanted = &listing->jobs[i];

		wanted->found = false;
		for (size_t k = 0; !out->error && fl_find(view, wanted->number, k, &job) == 0; k++) {
			if (!wanted->found) {
				out_text(out, "==============================================================\n");
				put_part(out, listing, &job, PART_JOB);
				put_claimant(view, out, wanted->number);
				detail_print(view, out, listing, &job);
			}
			wanted->found = true;
			print_row(view, out, listing, &job);
		}
		if (!wanted->found && wanted_has_ended(listing, wanted))
			put_ended(out, listing, wanted->number);
	}
	return EXIT_OK;
}
