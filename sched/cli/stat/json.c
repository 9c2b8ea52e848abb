/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/acct/acct.h"
#include "sched/cli/json_rows.h"
#include "sched/cli/stat/fields.h"

static char *put_letters(struct json_rows *rows, char *p, const char *state)
{
	char *end = json_put_short(p, state, sizeof(((struct fl_job *)0)->state) + 2);

	return end ? end : json_rows_any(rows, p, state);
}

static char *put_range(char *p, uint32_t min, uint32_t max, uint32_t step)
{
	*p++ = '[';
	p = digits_u64(p, min);
	*p++ = ',';
	p = digits_u64(p, max);
	*p++ = ',';
	p = digits_u64(p, step);
	*p++ = ']';
	return p;
}

/* Write the ids that have not started; null for a started task. */
static char *put_tasks(struct json_rows *rows, char *p, const struct fl_job *job)
{
	if (job->is_started)
		return json_put(p, "null");
	p = json_put(p, "[");
	if (!job->nranges)
		p = put_range(p, job->task, job->task, 1);
	for (size_t k = 0; k < job->nranges && !rows->out->error; k++) {
		const struct fl_range *range = &job->tasks[k];

		if (k)
			*p++ = ',';
		out_take(rows->out, put_range(p, range->min, range->max, range->step));
		p = out_room(rows->out, ROWS_ROOM_BYTES);
	}
	*p++ = ']';
	return p;
}

/* Write the value of a field that is known at compile time. */
static inline __attribute__((always_inline)) char *put_value(struct json_rows *rows, char *p, const struct fl_job *job,
							     const struct stat_field *field)
{
	switch (field->type) {
	case STAT_NUMBER: return digits_u64(p, *(const uint32_t *)stat_at(job, field));
	case STAT_ID:
		return *(const uint32_t *)stat_at(job, field) ? digits_u64(p, *(const uint32_t *)stat_at(job, field))
							      : json_put(p, "null");
	case STAT_SIGNED: return digits_i64(p, *(const int32_t *)stat_at(job, field));
	case STAT_BOOL: return json_put_bool(p, "", *(const bool *)stat_at(job, field));
	case STAT_KIND: return job->is_started ? json_put(p, "\"running\"") : json_put(p, "\"pending\"");
	case STAT_LETTERS: return put_letters(rows, p, stat_at(job, field));
	case STAT_TEXT: return json_rows_string(rows, p, stat_string(job, field));
	case STAT_NAME: case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_QUEUE:
		return json_rows_name(rows, p, stat_string(job, field));
	case STAT_SUBMITTED: return digits_i64(p, stat_time(job, field));
	case STAT_STARTED: case STAT_TIME: return json_put_time(p, "", stat_time(job, field));
	case STAT_TASKS: return put_tasks(rows, p, job);
	case STAT_CPU: case STAT_USAGE:
		if (!job->is_started || !job->has_usage)
			return json_put(p, "null");
		return digits_exact(p, stat_real(job, field));
	case STAT_PRIO: case STAT_NORMALISED: case STAT_CONTRIBUTION: case STAT_TICKETS: case STAT_SHARE:
		return digits_exact(p, stat_real(job, field));
	case STAT_TYPES: break;
	}
	return p;
}

/*
 * Write all members. The loop over the table is unrolled, so a member costs the same as if it were
 * written out here.
 */
static inline char *put_members(struct json_rows *rows, char *p, const struct fl_job *job)
{
#pragma GCC unroll 64
	for (size_t k = 0; k < STAT_FIELDS; k++) {
		const struct stat_field *field = &stat_fields[k];

		if (!field->key_bytes)
			continue;
		memcpy(p, field->key, field->key_bytes);
		p = put_value(rows, p + field->key_bytes, job, field);
	}
	return p;
}

/* Write a reason. Names and numbers that it does not have are null. */
static void put_reason(struct out *out, const struct fl_why *why)
{
	char text[STAT_WHY_BYTES];
	bool numbers = why->wanted != why->had;

	json_write_string(out, "{\"kind\":", why->kind);
	json_write_number(out, ",\"count\":", why->count);
	json_write_string_or_null(out, ",\"subject\":", why->subject);
	json_write_string_or_null(out, ",\"object\":", why->object);
	json_write_exact(out, ",\"wanted\":", numbers ? why->wanted : NAN);
	json_write_exact(out, ",\"had\":", numbers ? why->had : NAN);
	fl_why_text(why, text, sizeof(text));
	json_write_string(out, ",\"text\":", text);
	json_write_literal(out, "}");
}

/* With algorithm userprio: write the clauses of the job's Requirements. */
static void put_clauses(struct out *out, const struct fl_view *view, uint32_t job_number)
{
	struct fl_clause clauses[STAT_CLAUSES];
	int n = fl_clauses(view, job_number, clauses, STAT_CLAUSES);

	if (n <= 0)
		return;
	json_write_literal(out, ",\"clauses\":[");
	for (int k = 0; k < n && k < STAT_CLAUSES; k++) {
		json_write_string(out, k > 0 ? ",{\"text\":" : "{\"text\":", clauses[k].text);
		json_write_number(out, ",\"refused\":", clauses[k].refused);
		json_write_number(out, ",\"slots\":", clauses[k].slots);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

/* Write each attribute with the text of its expression, or null if memory is exhausted. */
static void put_ad(struct out *out, const char *ad)
{
	char *copy = strndup(ad, STAT_AD_BYTES), *rest = copy;
	const char *comma = "";

	json_write_literal(out, copy ? ",\"ad\":{" : ",\"ad\":null");
	for (char *line; !out->error && (line = strsep(&rest, "\n")); ) {
		char *expression = strstr(line, " = ");

		if (!expression)
			continue;
		*expression = '\0';
		json_write_string(out, comma, line);
		json_write_string(out, ":", expression + 3);
		comma = ",";
	}
	json_write_literal(out, copy ? "}" : "");
	free(copy);
}

/* With algorithm userprio: write the submitter that the job is negotiated for, and its ad. */
static char *put_claimant(struct json_rows *rows, char *p, uint32_t job_number)
{
	struct out *out = rows->out;
	struct fl_claimant claimant;

	if (fl_claimant(rows->view, job_number, &claimant))
		return p;
	out_take(out, p);
	json_write_string_or_null(out, ",\"userprio\":{\"submitter\":", claimant.submitter);
	json_write_string_or_null(out, ",\"accounting_group\":", claimant.accounting_group);
	json_write_string_or_null(out, ",\"accounting_group_user\":", claimant.accounting_group_user);
	json_write_exact(out, ",\"job_prio\":", claimant.has_job_prio ? claimant.job_prio : NAN);
	json_write_exact(out, ",\"place\":", claimant.place > 0 ? claimant.place : NAN);
	put_ad(out, claimant.ad);
	json_write_literal(out, "}");
	return out_room(out, ROWS_ROOM_BYTES);
}

static char *put_reasons(struct json_rows *rows, char *p, const struct fl_job *job)
{
	bool matches = true;
	struct fl_why why;

	out_take(rows->out, json_put(p, ",\"scheduling_info\":["));
	for (size_t k = 0; !job->is_started && !rows->out->error && fl_why(rows->view, job->job_number, k, &why) == 0;
	     k++) {
		if (k)
			json_write_literal(rows->out, ",");
		put_reason(rows->out, &why);
		matches &= strcmp(why.kind, "no_match") != 0;
	}
	json_write_literal(rows->out, "]");
	if (!matches)
		put_clauses(rows->out, rows->view, job->job_number);
	return out_room(rows->out, ROWS_ROOM_BYTES);
}

static void print_row(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	struct json_rows *rows = context;
	char *begin = json_rows_begin(rows), *p = put_members(rows, begin, job);

	*begin = '{';
	if (listing->why)
		p = json_put_time(p, ",\"place\":", (int64_t)listing->at.place);
	if (listing->njobs || listing->why)
		p = put_reasons(rows, put_claimant(rows, p, job->job_number), job);
	if (listing->njobs) {
		out_take(out, p);
		detail_json(rows->view, out, listing, job);
		p = out_room(out, ROWS_ROOM_BYTES);
	}
	out_take(out, json_put(p, "}"));
}

/* Write the accounting records of -s z, and of -j with jobs that have ended. */
static void put_ended(struct out *out, struct job_listing *listing)
{
	for (size_t i = 0; i < listing->njobs; i++)
		if (!listing->jobs[i].found)
			wanted_has_ended(listing, &listing->jobs[i]);
	if (listing->finished.n == 0)
		return;
	out_text(out, ",\n\"finished\":[");
	for (size_t i = listing->finished.n; i-- > 0 && !out->error;) {
		out_text(out, i + 1 < listing->finished.n ? ",\n" : "\n");
		acct_record_json(out, &listing->finished.items[i]->record);
	}
	out_text(out, "\n]");
}

int stat_json(const struct fl_view *view, struct out *out, void *context)
{
	struct json_rows rows = { .view = view, .out = out, .memo = &((struct job_listing *)context)->memo };

	memo_forget(rows.memo);
	out_text(out, "{");
	cli_json_run(out, view);
	out_text(out, ",\n\"jobs\":[");
	stat_all(view, out, context, print_row, &rows);
	out_text(out, rows.follows ? "\n]" : "]");
	put_ended(out, context);
	out_text(out, "}\n");
	return EXIT_OK;
}
