/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/cli/json_rows.h"
#include "sched/cli/slurm/prio.h"

/* Write a number, or null if it is 0, which means none. */
static char *put_or_null(char *p, uint64_t value)
{
	return value ? digits_u64(p, value) : json_put(p, "null");
}

/* Write each kind that has a weight: {"cpu":{"factor":0.5,"weighted":500}}. */
static char *put_tres(struct json_rows *rows, char *p, const struct fl_factors *factors)
{
	struct fl_tres tres;

	p = json_put(p, "{");
	for (size_t k = 0; k < factors->ntres && fl_tres(rows->view, k, &tres) == 0; k++) {
		if (k)
			*p++ = ',';
		out_take(rows->out, p);
		/* written even if it is empty, in a damaged segment: a member must have a name */
		json_text(rows->out, tres.name);
		p = out_room(rows->out, ROWS_ROOM_BYTES);
		p = json_put_exact(p, ":{\"factor\":", factors->tres[k]);
		p = json_put_exact(p, ",\"weighted\":", factors->tres[k] * tres.weight);
		*p++ = '}';
		out_take(rows->out, p);
		p = out_room(rows->out, ROWS_ROOM_BYTES);
	}
	return json_put(p, "}");
}

/* Write the value of a field that is known at compile time. */
static inline __attribute__((always_inline)) char *put_value(struct json_rows *rows, char *p,
							     const struct prio_row *row,
							     const struct fl_factors *factors,
							     const struct prio_field *field)
{
	const void *value = prio_at(factors, field);

	switch (field->type) {
	case PRIO_JOB: case PRIO_NUMBER: return digits_u64(p, *(const uint32_t *)value);
	case PRIO_NUMBER_OR_NONE: return put_or_null(p, *(const uint32_t *)value);
	case PRIO_SITE: case PRIO_NICE: return digits_i64(p, *(const int32_t *)value);
	case PRIO_TEXT: return json_rows_name(rows, p, *(const char *const *)value);
	case PRIO_TIME: return json_put_time(p, "", *(const int64_t *)value);
	case PRIO_KIND: return factors->is_started ? json_put(p, "\"running\"") : json_put(p, "\"pending\"");
	case PRIO_FACTOR: case PRIO_WEIGHTED: return digits_exact(p, *(const double *)value);
	case PRIO_SUM: return digits_exact(p, prio_sum(factors));
	case PRIO_RANK: return put_or_null(p, row->list == FL_PENDING ? (uint64_t)row->row + 1 : 0);
	case PRIO_TRES: return put_tres(rows, p, factors);
	case PRIO_SUM_NORMALISED: case PRIO_CLUSTER: case PRIO_TRES_WEIGHTED: case PRIO_TRES_FACTORS: break;
	}
	return p;
}

/* Write all members. The loop is unrolled, as in stat/json.c. */
static inline char *put_members(struct json_rows *rows, char *p, const struct prio_row *row,
				const struct fl_factors *factors)
{
#pragma GCC unroll 64
	for (size_t k = 0; k < PRIO_FIELDS; k++)
		if (prio_fields[k].key)
			p = put_value(rows, json_put(p, prio_fields[k].key), row, factors, &prio_fields[k]);
	return p;
}

static void print_row(struct json_rows *rows, const struct prio_row *row)
{
	struct fl_factors factors;
	char *begin, *p;

	if (prio_row_factors(rows->view, row, &factors))
		return;
	begin = json_rows_begin(rows);
	p = put_members(rows, begin, row, &factors);
	*begin = '{';
	out_take(rows->out, json_put(p, "}"));
}

static void print_weights(struct out *out, const struct fl_view *view, const struct fl_multifactor *multifactor)
{
	struct fl_tres tres;
	bool follows = false;

	json_write_literal(out, ",\n\"weights\":{");
	for (const struct prio_field *field = prio_fields; field < prio_fields + PRIO_FIELDS; field++)
		if (field->weight_key) {
			json_write_number(out, field->weight_key + !follows, prio_weight(multifactor, field));
			follows = true;
		}
	json_write_literal(out, ",\"tres\":{");
	for (size_t k = 0; !out->error && fl_tres(view, k, &tres) == 0; k++) {
		out_text(out, k ? "," : "");
		json_text(out, tres.name);
		json_write_exact(out, ":", tres.weight);
	}
	json_write_literal(out, "}}");
}

static void print_head(struct out *out, const struct fl_view *view, const struct fl_multifactor *multifactor)
{
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_number(out, ",\n\"pass\":", multifactor->pass);
	json_write_number(out, ",\"max_age\":", multifactor->max_age);
	json_write_bool(out, ",\"has_fair_tree\":", multifactor->has_fair_tree);
	json_write_bool(out, ",\"accrue_always\":", multifactor->accrue_always);
	json_write_bool(out, ",\"calculate_running\":", multifactor->calculate_running);
	json_write_bool(out, ",\"incr_only\":", multifactor->incr_only);
	print_weights(out, view, multifactor);
}

int prio_json(const struct fl_view *view, struct out *out, void *prio)
{
	struct prio *p = prio;
	struct json_rows rows = { .view = view, .out = out, .memo = &p->memo };
	struct fl_multifactor multifactor;

	p->no_multifactor = fl_multifactor(view, &multifactor) != 0;
	if (p->no_multifactor)
		return EXIT_OK;
	p->needs_ranks = true;
	p->error = p->weights ? 0 : prio_rows_collect(p, view, &multifactor);
	if (p->error)
		return EXIT_OK;
	memo_forget(&p->memo);
	print_head(out, view, &multifactor);
	json_write_literal(out, ",\n\"jobs\":[");
	for (size_t k = 0; !p->weights && k < p->rows.n && !out->error; k++)
		print_row(&rows, &p->rows.items[k]);
	json_write_literal(out, rows.follows ? "\n]}\n" : "]}\n");
	return EXIT_OK;
}
