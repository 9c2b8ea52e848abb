/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/process/json.h"
#include "sched/cli/prio.h"

#define ROOM_BYTES (16u << 10)	/* at the beginning of a row, and again behind what has no bound */

struct rows {
	const struct fl_view *view;
	struct out *out;
	struct memo *memo;
	bool follows;		/* on a row before it */
};

static char *put_string(struct rows *r, char *p, const char *key, const char *text)
{
	p = json_put(p, key);
	if (!*text)
		return json_put(p, "null");
	char *end = memo_json(r->memo, p, text);

	if (end)
		return end;
	out_take(r->out, p);
	json_text(r->out, text);
	return out_room(r->out, ROOM_BYTES);
}

/* null when 0: there is none */
static char *put_or_null(char *p, const char *key, uint64_t value)
{
	p = json_put(p, key);
	return value ? digits_u64(p, value) : json_put(p, "null");
}

static char *put_ids(struct rows *r, char *p, const struct prio_row *row, const struct fl_factors *f)
{
	p = json_put_number(p, "{\"job_number\":", f->job_number);
	p = put_string(r, p, ",\"user\":", f->owner);
	p = put_string(r, p, ",\"account\":", f->account);
	p = put_string(r, p, ",\"partition\":", f->partition);
	p = put_string(r, p, ",\"qos\":", f->qos);
	p = f->is_started ? json_put(p, ",\"kind\":\"running\"") : json_put(p, ",\"kind\":\"pending\"");
	p = put_or_null(p, ",\"rank\":", row->list == FL_PENDING ? (uint64_t)row->row + 1 : 0);
	p = json_put_number(p, ",\"priority\":", f->priority);
	p = json_put_exact(p, ",\"sum\":", prio_sum(f));
	p = put_or_null(p, ",\"direct_priority\":", f->direct_priority);
	p = json_put_time(p, ",\"submission_time\":", f->submission_time);
	p = json_put_time(p, ",\"eligible_time\":", f->eligible_time);
	return json_put_time(p, ",\"accrue_time\":", f->accrue_time);
}

static char *put_factors(char *p, const struct fl_factors *f)
{
	p = json_put_exact(p, ",\"age\":", f->age);
	p = json_put_exact(p, ",\"assoc\":", f->assoc);
	p = json_put_exact(p, ",\"fairshare\":", f->fairshare);
	p = json_put_exact(p, ",\"job_size\":", f->job_size);
	p = json_put_exact(p, ",\"partition_factor\":", f->partition_factor);
	p = json_put_exact(p, ",\"job_qos\":", f->job_qos);
	p = json_put_exact(p, ",\"weighted_age\":", f->weighted_age);
	p = json_put_exact(p, ",\"weighted_assoc\":", f->weighted_assoc);
	p = json_put_exact(p, ",\"weighted_fairshare\":", f->weighted_fairshare);
	p = json_put_exact(p, ",\"weighted_job_size\":", f->weighted_job_size);
	p = json_put_exact(p, ",\"weighted_partition\":", f->weighted_partition);
	p = json_put_exact(p, ",\"weighted_qos\":", f->weighted_qos);
	p = json_put_exact(p, ",\"weighted_tres\":", f->weighted_tres);
	p = json_put_number(p, ",\"site\":", f->site);
	return json_put_number(p, ",\"nice\":", f->nice);
}

/* Each kind that has a weight: {"cpu":{"factor":0.5,"weighted":500}}. */
static char *put_tres(struct rows *r, char *p, const struct fl_factors *f)
{
	struct fl_tres tres;

	p = json_put(p, ",\"tres\":{");
	for (size_t k = 0; k < f->ntres && fl_tres(r->view, k, &tres) == 0; k++) {
		if (k)
			*p++ = ',';
		out_take(r->out, p);
		/* also where it has none, in a damaged segment: a member must have a name */
		json_text(r->out, tres.name);
		p = out_room(r->out, ROOM_BYTES);
		p = json_put_exact(p, ":{\"factor\":", f->tres[k]);
		p = json_put_exact(p, ",\"weighted\":", f->tres[k] * tres.weight);
		*p++ = '}';
		out_take(r->out, p);
		p = out_room(r->out, ROOM_BYTES);
	}
	return json_put(p, "}");
}

static void print_row(struct rows *r, const struct prio_row *row)
{
	char *p = out_room(r->out, ROOM_BYTES);
	struct fl_factors f;

	if (prio_row_factors(r->view, row, &f))
		return;
	p = r->follows ? json_put(p, ",\n") : json_put(p, "\n");
	r->follows = true;
	p = put_ids(r, p, row, &f);
	p = put_factors(p, &f);
	p = put_tres(r, p, &f);
	out_take(r->out, json_put(p, "}"));
}

static void print_weights(struct out *o, const struct fl_view *view, const struct fl_multifactor *m)
{
	struct fl_tres tres;

	json_write_number(o, ",\n\"weights\":{\"age\":", m->weight_age);
	json_write_number(o, ",\"assoc\":", m->weight_assoc);
	json_write_number(o, ",\"fairshare\":", m->weight_fairshare);
	json_write_number(o, ",\"job_size\":", m->weight_job_size);
	json_write_number(o, ",\"partition\":", m->weight_partition);
	json_write_number(o, ",\"qos\":", m->weight_qos);
	json_write_literal(o, ",\"tres\":{");
	for (size_t k = 0; !o->error && fl_tres(view, k, &tres) == 0; k++) {
		out_text(o, k ? "," : "");
		json_text(o, tres.name);
		json_write_exact(o, ":", tres.weight);
	}
	json_write_literal(o, "}}");
}

static void print_head(struct out *o, const struct fl_view *view, const struct fl_multifactor *m)
{
	json_write_literal(o, "{");
	cli_json_run(o, view);
	json_write_number(o, ",\n\"pass\":", m->pass);
	json_write_number(o, ",\"max_age\":", m->max_age);
	json_write_bool(o, ",\"has_fair_tree\":", m->has_fair_tree);
	json_write_bool(o, ",\"accrue_always\":", m->accrue_always);
	json_write_bool(o, ",\"calculate_running\":", m->calculate_running);
	json_write_bool(o, ",\"incr_only\":", m->incr_only);
	print_weights(o, view, m);
}

int prio_json(const struct fl_view *view, struct out *o, void *prio)
{
	struct prio *p = prio;
	struct rows r = { .view = view, .out = o, .memo = &p->memo };
	struct fl_multifactor m;

	p->no_multifactor = fl_multifactor(view, &m) != 0;
	if (p->no_multifactor)
		return EXIT_OK;
	p->needs_ranks = true;
	p->error = p->weights ? 0 : prio_rows_collect(p, view, &m);
	if (p->error)
		return EXIT_OK;
	memo_forget(&p->memo);
	print_head(o, view, &m);
	json_write_literal(o, ",\n\"jobs\":[");
	for (size_t k = 0; !p->weights && k < p->rows.n && !o->error; k++)
		print_row(&r, &p->rows.items[k]);
	json_write_literal(o, r.follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
