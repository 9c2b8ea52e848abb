/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/cli/json_rows.h"
#include "sched/cli/prio.h"

/* null when 0: there is none */
static char *put_or_null(char *p, uint64_t value)
{
	return value ? digits_u64(p, value) : json_put(p, "null");
}

/* Each kind that has a weight: {"cpu":{"factor":0.5,"weighted":500}}. */
static char *put_tres(struct json_rows *r, char *p, const struct fl_factors *f)
{
	struct fl_tres tres;

	p = json_put(p, "{");
	for (size_t k = 0; k < f->ntres && fl_tres(r->view, k, &tres) == 0; k++) {
		if (k)
			*p++ = ',';
		out_take(r->out, p);
		/* also where it has none, in a damaged segment: a member must have a name */
		json_text(r->out, tres.name);
		p = out_room(r->out, ROWS_ROOM_BYTES);
		p = json_put_exact(p, ":{\"factor\":", f->tres[k]);
		p = json_put_exact(p, ",\"weighted\":", f->tres[k] * tres.weight);
		*p++ = '}';
		out_take(r->out, p);
		p = out_room(r->out, ROWS_ROOM_BYTES);
	}
	return json_put(p, "}");
}

/* For a field that is known when this is compiled. */
static inline __attribute__((always_inline)) char *put_value(struct json_rows *r, char *p, const struct prio_row *row, const struct fl_factors *f, const struct prio_field *field)
{
	const void *value = prio_at(f, field);

	switch (field->type) {
	case PRIO_JOB: case PRIO_NUMBER: return digits_u64(p, *(const uint32_t *)value);
	case PRIO_NUMBER_OR_NONE: return put_or_null(p, *(const uint32_t *)value);
	case PRIO_SITE: case PRIO_NICE: return digits_i64(p, *(const int32_t *)value);
	case PRIO_TEXT: return json_rows_name(r, p, *(const char *const *)value);
	case PRIO_TIME: return json_put_time(p, "", *(const int64_t *)value);
	case PRIO_KIND: return f->is_started ? json_put(p, "\"running\"") : json_put(p, "\"pending\"");
	case PRIO_FACTOR: case PRIO_WEIGHTED: return digits_exact(p, *(const double *)value);
	case PRIO_SUM: return digits_exact(p, prio_sum(f));
	case PRIO_RANK: return put_or_null(p, row->list == FL_PENDING ? (uint64_t)row->row + 1 : 0);
	case PRIO_TRES: return put_tres(r, p, f);
	case PRIO_SUM_NORMALISED: case PRIO_CLUSTER: case PRIO_TRES_WEIGHTED: case PRIO_TRES_FACTORS: break;
	}
	return p;
}

/* The compiler goes through the table, as in stat_json.c. */
static inline char *put_members(struct json_rows *r, char *p, const struct prio_row *row, const struct fl_factors *f)
{
#pragma GCC unroll 64
	for (size_t k = 0; k < PRIO_FIELDS; k++)
		if (prio_fields[k].key)
			p = put_value(r, json_put(p, prio_fields[k].key), row, f, &prio_fields[k]);
	return p;
}

static void print_row(struct json_rows *r, const struct prio_row *row)
{
	struct fl_factors f;
	char *begin, *p;

	if (prio_row_factors(r->view, row, &f))
		return;
	begin = json_rows_begin(r);
	p = put_members(r, begin, row, &f);
	*begin = '{';
	out_take(r->out, json_put(p, "}"));
}

static void print_weights(struct out *o, const struct fl_view *view, const struct fl_multifactor *m)
{
	struct fl_tres tres;
	bool follows = false;

	json_write_literal(o, ",\n\"weights\":{");
	for (const struct prio_field *field = prio_fields; field < prio_fields + PRIO_FIELDS; field++)
		if (field->weight_key) {
			json_write_number(o, field->weight_key + !follows, prio_weight(m, field));
			follows = true;
		}
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
	struct json_rows r = { .view = view, .out = o, .memo = &p->memo };
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
