/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/acct.h"
#include "sched/cli/json_rows.h"
#include "sched/cli/stat_fields.h"

static char *put_letters(struct json_rows *r, char *p, const char *state)
{
	char *end = json_put_short(p, state, sizeof(((struct fl_job *)0)->state) + 2);

	return end ? end : json_rows_any(r, p, state);
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

/* The ids not started; a started task has none. */
static char *put_tasks(struct json_rows *r, char *p, const struct fl_job *job)
{
	if (job->is_started)
		return json_put(p, "null");
	p = json_put(p, "[");
	if (!job->nranges)
		p = put_range(p, job->task, job->task, 1);
	for (size_t k = 0; k < job->nranges && !r->out->error; k++) {
		const struct fl_range *range = &job->tasks[k];

		if (k)
			*p++ = ',';
		out_take(r->out, put_range(p, range->min, range->max, range->step));
		p = out_room(r->out, ROWS_ROOM_BYTES);
	}
	*p++ = ']';
	return p;
}

/* For a field that is known when this is compiled. */
static inline __attribute__((always_inline)) char *put_value(struct json_rows *r, char *p, const struct fl_job *job, const struct stat_field *f)
{
	switch (f->type) {
	case STAT_NUMBER: return digits_u64(p, *(const uint32_t *)stat_at(job, f));
	case STAT_ID: return *(const uint32_t *)stat_at(job, f) ? digits_u64(p, *(const uint32_t *)stat_at(job, f)) : json_put(p, "null");
	case STAT_SIGNED: return digits_i64(p, *(const int32_t *)stat_at(job, f));
	case STAT_BOOL: return json_put_bool(p, "", *(const bool *)stat_at(job, f));
	case STAT_KIND: return job->is_started ? json_put(p, "\"running\"") : json_put(p, "\"pending\"");
	case STAT_LETTERS: return put_letters(r, p, stat_at(job, f));
	case STAT_TEXT: return json_rows_string(r, p, stat_string(job, f));
	case STAT_NAME: case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_QUEUE:
		return json_rows_name(r, p, stat_string(job, f));
	case STAT_SUBMITTED: return digits_i64(p, stat_time(job, f));
	case STAT_STARTED: case STAT_TIME: return json_put_time(p, "", stat_time(job, f));
	case STAT_TASKS: return put_tasks(r, p, job);
	case STAT_CPU: case STAT_USAGE:
		if (!job->is_started || !job->has_usage)
			return json_put(p, "null");
		return digits_exact(p, stat_real(job, f));
	case STAT_PRIO: case STAT_NORMALISED: case STAT_CONTRIBUTION: case STAT_TICKETS: case STAT_SHARE:
		return digits_exact(p, stat_real(job, f));
	case STAT_TYPES: break;
	}
	return p;
}

/*
 * The table is gone through by the compiler: a member costs what it would if it were written out
 * here.
 */
static inline char *put_members(struct json_rows *r, char *p, const struct fl_job *job)
{
#pragma GCC unroll 64
	for (size_t k = 0; k < STAT_FIELDS; k++) {
		const struct stat_field *f = &stat_fields[k];

		if (!f->key_bytes)
			continue;
		memcpy(p, f->key, f->key_bytes);
		p = put_value(r, p + f->key_bytes, job, f);
	}
	return p;
}

/* What the reason has no names or numbers for is null. */
static void put_reason(struct out *o, const struct fl_why *why)
{
	char text[STAT_WHY_BYTES];
	bool numbers = why->wanted != why->had;

	json_write_string(o, "{\"kind\":", why->kind);
	json_write_number(o, ",\"count\":", why->count);
	json_write_string_or_null(o, ",\"subject\":", why->subject);
	json_write_string_or_null(o, ",\"object\":", why->object);
	json_write_exact(o, ",\"wanted\":", numbers ? why->wanted : NAN);
	json_write_exact(o, ",\"had\":", numbers ? why->had : NAN);
	fl_why_text(why, text, sizeof(text));
	json_write_string(o, ",\"text\":", text);
	json_write_literal(o, "}");
}

/* With algorithm userprio: the clauses of its Requirements. */
static void put_clauses(struct out *o, const struct fl_view *view, uint32_t job_number)
{
	struct fl_clause clauses[STAT_CLAUSES];
	int n = fl_clauses(view, job_number, clauses, STAT_CLAUSES);

	if (n <= 0)
		return;
	json_write_literal(o, ",\"clauses\":[");
	for (int k = 0; k < n && k < STAT_CLAUSES; k++) {
		json_write_string(o, k > 0 ? ",{\"text\":" : "{\"text\":", clauses[k].text);
		json_write_number(o, ",\"refused\":", clauses[k].refused);
		json_write_number(o, ",\"slots\":", clauses[k].slots);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

/* Each attribute with its expression's text; null: no memory. */
static void put_ad(struct out *o, const char *ad)
{
	char *copy = strndup(ad, STAT_AD_BYTES), *rest = copy;
	const char *comma = "";

	json_write_literal(o, copy ? ",\"ad\":{" : ",\"ad\":null");
	for (char *line; !o->error && (line = strsep(&rest, "\n")); ) {
		char *expression = strstr(line, " = ");

		if (!expression)
			continue;
		*expression = '\0';
		json_write_string(o, comma, line);
		json_write_string(o, ":", expression + 3);
		comma = ",";
	}
	json_write_literal(o, copy ? "}" : "");
	free(copy);
}

/* With algorithm userprio: as whose job it is negotiated for, and what it has said. */
static char *put_claimant(struct json_rows *r, char *p, uint32_t job_number)
{
	struct out *o = r->out;
	struct fl_claimant c;

	if (fl_claimant(r->view, job_number, &c))
		return p;
	out_take(o, p);
	json_write_string_or_null(o, ",\"userprio\":{\"submitter\":", c.submitter);
	json_write_string_or_null(o, ",\"accounting_group\":", c.accounting_group);
	json_write_string_or_null(o, ",\"accounting_group_user\":", c.accounting_group_user);
	json_write_exact(o, ",\"job_prio\":", c.has_job_prio ? c.job_prio : NAN);
	json_write_exact(o, ",\"place\":", c.place > 0 ? c.place : NAN);
	put_ad(o, c.ad);
	json_write_literal(o, "}");
	return out_room(o, ROWS_ROOM_BYTES);
}

static char *put_reasons(struct json_rows *r, char *p, const struct fl_job *job)
{
	bool matches = true;
	struct fl_why why;

	out_take(r->out, json_put(p, ",\"scheduling_info\":["));
	for (size_t k = 0; !job->is_started && !r->out->error && fl_why(r->view, job->job_number, k, &why) == 0; k++) {
		if (k)
			json_write_literal(r->out, ",");
		put_reason(r->out, &why);
		matches &= strcmp(why.kind, "no_match") != 0;
	}
	json_write_literal(r->out, "]");
	if (!matches)
		put_clauses(r->out, r->view, job->job_number);
	return out_room(r->out, ROWS_ROOM_BYTES);
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct json_rows *r = context;
	char *begin = json_rows_begin(r), *p = put_members(r, begin, job);

	*begin = '{';
	if (s->why)
		p = json_put_time(p, ",\"place\":", (int64_t)s->at.place);
	if (s->njobs || s->why)
		p = put_reasons(r, put_claimant(r, p, job->job_number), job);
	if (s->njobs) {
		out_take(o, p);
		detail_json(r->view, o, s, job);
		p = out_room(o, ROWS_ROOM_BYTES);
	}
	out_take(o, json_put(p, "}"));
}

/* -j of jobs that are gone, -s z: the records of accounting. */
static void put_ended(struct out *o, struct stat *s)
{
	for (size_t i = 0; i < s->njobs; i++)
		if (!s->jobs[i].found)
			wanted_has_ended(s, &s->jobs[i]);
	if (s->finished.n == 0)
		return;
	out_text(o, ",\n\"finished\":[");
	for (size_t i = s->finished.n; i-- > 0 && !o->error;) {
		out_text(o, i + 1 < s->finished.n ? ",\n" : "\n");
		acct_record_json(o, &s->finished.items[i]->record);
	}
	out_text(o, "\n]");
}

int stat_json(const struct fl_view *view, struct out *o, void *stat)
{
	struct json_rows r = { .view = view, .out = o, .memo = &((struct stat *)stat)->memo };

	memo_forget(r.memo);
	out_text(o, "{");
	cli_json_run(o, view);
	out_text(o, ",\n\"jobs\":[");
	stat_all(view, o, stat, print_row, &r);
	out_text(o, r.follows ? "\n]" : "]");
	put_ended(o, stat);
	out_text(o, "}\n");
	return EXIT_OK;
}
