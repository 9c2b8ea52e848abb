/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/process/json.h"
#include "sched/cli/memo.h"
#include "sched/cli/stat.h"

/*
 * A row is written at a pointer that is kept in a register, with this much room at the beginning
 * and again behind everything that has no bound: strings that the memo does not take, and ranges.
 */
#define ROOM_BYTES (16u << 10)

struct rows {
	const struct fl_view *view;
	struct out *out;
	struct memo *memo;
	bool follows;		/* on a row before it */
};

static char *put_string(struct rows *r, char *p, const char *key, const char *text)
{
	p = json_put(p, key);
	char *end = memo_json(r->memo, p, text);

	if (end)
		return end;
	out_take(r->out, p);
	json_text(r->out, text);
	return out_room(r->out, ROOM_BYTES);
}

/* null when empty */
static inline char *put_name(struct rows *r, char *p, const char *key, const char *text)
{
	return *text ? put_string(r, p, key, text) : json_put(json_put(p, key), "null");
}

static char *put_state(struct rows *r, char *p, const char *state)
{
	out_take(r->out, json_put(p, ",\"state\":"));
	json_text(r->out, state);
	return out_room(r->out, ROOM_BYTES);
}

static char *put_ids(struct rows *r, char *p, const struct fl_job *job)
{
	p = json_put_number(p, "{\"job_number\":", job->job_number);
	p = json_put_number(p, ",\"task\":", job->task);
	p = json_put_bool(p, ",\"is_array\":", job->is_array);
	p = job->is_started ? json_put(p, ",\"kind\":\"running\"") : json_put(p, ",\"kind\":\"pending\"");
	p = put_state(r, p, job->state);
	p = put_string(r, p, ",\"name\":", job->name);
	p = put_string(r, p, ",\"owner\":", job->owner);
	p = put_name(r, p, ",\"project\":", job->project);
	return put_name(r, p, ",\"department\":", job->department);
}

static char *put_submission(struct rows *r, char *p, const struct fl_job *job)
{
	p = json_put_number(p, ",\"submission_time\":", job->submission_time);
	p = json_put_time(p, ",\"start_time\":", job->start_time);
	p = json_put_time(p, ",\"deadline\":", job->deadline);
	p = json_put_time(p, ",\"execution_time\":", job->execution_time);
	p = json_put_number(p, ",\"priority\":", job->priority);
	p = json_put_number(p, ",\"jobshare\":", job->jobshare);
	p = json_put_number(p, ",\"override_tickets\":", job->override_tickets);
	p = put_name(r, p, ",\"hard_resources\":", job->hard_resources);
	p = put_name(r, p, ",\"soft_resources\":", job->soft_resources);
	p = put_name(r, p, ",\"pe\":", job->pe);
	p = put_name(r, p, ",\"pe_range\":", job->pe_range);
	p = put_name(r, p, ",\"granted_pe\":", job->granted_pe);
	p = put_name(r, p, ",\"queue\":", job->queue);
	return json_put_number(p, ",\"slots\":", job->slots);
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
static char *put_tasks(struct rows *r, char *p, const struct fl_job *job)
{
	if (job->is_started)
		return json_put(p, ",\"tasks\":null");
	p = json_put(p, ",\"tasks\":[");
	if (!job->nranges)
		p = put_range(p, job->task, job->task, 1);
	for (size_t k = 0; k < job->nranges && !r->out->error; k++) {
		const struct fl_range *range = &job->tasks[k];

		if (k)
			*p++ = ',';
		out_take(r->out, put_range(p, range->min, range->max, range->step));
		p = out_room(r->out, ROOM_BYTES);
	}
	*p++ = ']';
	return p;
}

static char *put_usage(char *p, const struct fl_job *job)
{
	if (!job->is_started || !job->has_usage)
		return json_put(p, ",\"cpu\":null,\"mem\":null,\"io\":null");
	p = json_put_exact(p, ",\"cpu\":", job->cpu);
	p = json_put_exact(p, ",\"mem\":", job->mem);
	return json_put_exact(p, ",\"io\":", job->io);
}

static char *put_priorities(char *p, const struct fl_job *job)
{
	p = json_put_exact(p, ",\"prio\":", job->prio);
	p = json_put_exact(p, ",\"nurg\":", job->nurg);
	p = json_put_exact(p, ",\"urg\":", job->urg);
	p = json_put_exact(p, ",\"rrcontr\":", job->rrcontr);
	p = json_put_exact(p, ",\"wtcontr\":", job->wtcontr);
	p = json_put_exact(p, ",\"dlcontr\":", job->dlcontr);
	p = json_put_exact(p, ",\"npprior\":", job->npprior);
	p = json_put_exact(p, ",\"ntckts\":", job->ntckts);
	p = json_put_exact(p, ",\"tckts\":", job->tckts);
	p = json_put_exact(p, ",\"otckt\":", job->otckt);
	p = json_put_exact(p, ",\"ftckt\":", job->ftckt);
	p = json_put_exact(p, ",\"stckt\":", job->stckt);
	return json_put_exact(p, ",\"share\":", job->share);
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

static char *put_reasons(struct rows *r, char *p, const struct fl_job *job)
{
	struct fl_why why;

	out_take(r->out, json_put(p, ",\"scheduling_info\":["));
	for (size_t k = 0; !job->is_started && !r->out->error && fl_why(r->view, job->job_number, k, &why) == 0; k++) {
		if (k)
			json_write_literal(r->out, ",");
		put_reason(r->out, &why);
	}
	return json_put(out_room(r->out, ROOM_BYTES), "]");
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	struct rows *r = context;
	char *p = out_room(o, ROOM_BYTES);

	p = r->follows ? json_put(p, ",\n") : json_put(p, "\n");
	r->follows = true;
	p = put_ids(r, p, job);
	p = put_submission(r, p, job);
	p = put_tasks(r, p, job);
	p = put_usage(p, job);
	p = put_priorities(p, job);
	if (s->njobs)
		p = put_reasons(r, p, job);
	out_take(o, json_put(p, "}"));
}

int stat_json(const struct fl_view *view, struct out *o, void *stat)
{
	struct rows r = { .view = view, .out = o, .memo = &((struct stat *)stat)->memo };

	memo_forget(r.memo);
	out_text(o, "{");
	cli_json_run(o, view);
	out_text(o, ",\n\"jobs\":[");
	stat_each(view, o, stat, FL_STARTED, print_row, &r);
	stat_each(view, o, stat, FL_PENDING, print_row, &r);
	out_text(o, r.follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
