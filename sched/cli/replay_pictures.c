/* SPDX-License-Identifier: Apache-2.0 */
/* What happened over time, as arrays for pictures. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/cli/replay.h"
#include "sched/process/json.h"

#define SHARE_STEPS 240u
#define SHARERS 7u			/* that have a colour of their own */

/* All columns have the same time below each other. */
static int axis_of_all(struct axis *axis, const struct replay_result *r, size_t steps)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;

	for (size_t k = 0; k < r->n; k++) {
		const struct utilisation *u = &r->columns[k].answers.whole;

		begin = u->begin < begin ? u->begin : begin;
		end = u->end > end ? u->end : end;
	}
	return axis_make(axis, begin, end, steps);
}

static void put_value(struct out *o, bool follows, double value, bool exact)
{
	char text[REPLAY_WORD];

	if (exact) {
		json_write_exact(o, follows ? "," : "", value);
		return;
	}
	snprintf(text, sizeof(text), "%s%.4g", follows ? "," : "", isfinite(value) ? value : 0.0);
	out_text(o, text);
}

/* By the second: how many there were on the average. */
static void put_series(struct out *o, const char *key, const struct series *s, const struct axis *axis, bool exact)
{
	json_write_literal(o, key);
	for (size_t k = 0; k < s->n; k++)
		put_value(o, k > 0, s->values[k] / (double)axis->step, exact);
	json_write_literal(o, "]");
}

static int put_machine(struct out *o, const struct replay_column *c, const struct axis *axis, bool exact)
{
	struct series used = { 0 }, waiting = { 0 }, wanted = { 0 }, slots = { 0 };
	int rc = answers_used(&used, &c->answers, axis);

	if (!rc)
		rc = answers_waiting(&waiting, &wanted, &c->answers, axis);
	if (!rc)
		rc = answers_slots(&slots, &c->answers, axis);
	if (!rc) {
		put_series(o, ",\"used\":[", &used, axis, exact);
		put_series(o, ",\"waiting\":[", &waiting, axis, exact);
		put_series(o, ",\"waiting_slots\":[", &wanted, axis, exact);
		put_series(o, ",\"slots\":[", &slots, axis, exact);
	}
	series_free(&used);
	series_free(&waiting);
	series_free(&wanted);
	series_free(&slots);
	return rc;
}

/* Shares */

struct shares_picture {
	struct out *out;
	const struct replay_column *column;
	const struct axis *axis;
	enum grouping by;
	bool exact;
	const struct group_answer *sharers;	/* of the first policy: the same in all columns */
	size_t n;
	struct series all;
};

static uint32_t number_of(const struct shares_picture *p, size_t k)
{
	return outcome_find(p->column->outcome, p->by == BY_USER ? OUTCOME_USER : OUTCOME_PROJECT, p->sharers[k].name);
}

static int put_received(const struct shares_picture *p)
{
	json_write_literal(p->out, ",\"received\":[");
	for (size_t k = 0; k < p->n; k++) {
		struct series own = { 0 };
		int rc = answers_received(&own, &p->column->answers, p->axis, p->by, number_of(p, k));

		if (rc)
			return rc;
		json_write_literal(p->out, k > 0 ? ",\n[" : "[");
		for (size_t i = 0; i < p->axis->n; i++)
			put_value(p->out, i > 0, p->all.values[i] > 0.0 ? own.values[i] / p->all.values[i] : 0.0, p->exact);
		json_write_literal(p->out, "]");
		series_free(&own);
	}
	json_write_literal(p->out, "],\"busy\":[");
	for (size_t i = 0; i < p->axis->n; i++)
		json_write_literal(p->out, p->all.values[i] > 0.0 ? (i > 0 ? ",1" : "1") : (i > 0 ? ",0" : "0"));
	json_write_literal(p->out, "]");
	return 0;
}

static void put_values(const struct shares_picture *p, const char *before, const double *values)
{
	json_write_literal(p->out, before);
	for (size_t i = 0; i < p->axis->n; i++)
		put_value(p->out, i > 0, values[i], p->exact);
	json_write_literal(p->out, "]");
}

static int put_promised(const struct shares_picture *p)
{
	const struct answers *a = &p->column->answers;
	double *values;

	if (replay_column_is_measured(p->column) || (p->by == BY_USER ? a->users : a->projects).samples == 0)
		return 0;
	values = calloc(p->axis->n + 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	answers_promised(values, a, p->axis, p->by, PROMISED_ALL);
	put_values(p, ",\"promised_all\":[", values);
	json_write_literal(p->out, ",\"promised\":[");
	for (size_t k = 0; k < p->n; k++) {
		answers_promised(values, a, p->axis, p->by, number_of(p, k));
		put_values(p, k > 0 ? ",\n[" : "[", values);
	}
	json_write_literal(p->out, "]");
	free(values);
	return 0;
}

static int put_shares(struct shares_picture *p, const char *key)
{
	int rc;

	json_write_literal(p->out, key);
	for (size_t k = 0; k < p->n; k++)
		json_write_string(p->out, k > 0 ? "," : "", p->sharers[k].name);
	json_write_literal(p->out, "]");
	rc = put_received(p);
	if (!rc)
		rc = put_promised(p);
	json_write_literal(p->out, "}");
	return rc;
}

/* Projects only where jobs have any. */
static size_t sharers_find(struct shares_picture *p, const struct replay_result *r, enum grouping by)
{
	const struct grouping_answer *g = &r->columns[r->recorded].answers.by[by];

	p->by = by;
	p->sharers = g->items;
	p->n = g->n < SHARERS ? g->n : SHARERS;
	if (g->n == 1 && !*g->items[0].name)
		p->n = 0;
	return p->n;
}

static int put_all_shares(struct out *o, const struct replay_result *r, const struct replay_column *c, const struct axis *axis, bool exact)
{
	struct shares_picture p = { .out = o, .column = c, .axis = axis, .exact = exact };
	int rc = answers_used(&p.all, &c->answers, axis);

	if (!rc && sharers_find(&p, r, BY_USER) > 0)
		rc = put_shares(&p, ",\n\"users\":{\"names\":[");
	if (!rc && sharers_find(&p, r, BY_PROJECT) > 0)
		rc = put_shares(&p, ",\n\"projects\":{\"names\":[");
	series_free(&p.all);
	return rc;
}

static void put_axis(struct out *o, const char *key, const struct axis *axis)
{
	json_write_number(o, key, axis->bounds[0]);
	json_write_number(o, ",\"step\":", axis->step);
}

int replay_pictures_print(struct out *o, const struct replay_result *r, const struct replay_column *c, bool exact)
{
	struct axis fine = { 0 }, coarse = { 0 };
	int rc = axis_of_all(&fine, r, AXIS_STEPS);

	if (!rc)
		rc = axis_of_all(&coarse, r, SHARE_STEPS);
	if (!rc) {
		put_axis(o, ",\n\"over_time\":{\"begin\":", &fine);
		rc = put_machine(o, c, &fine, exact);
	}
	if (!rc) {
		put_axis(o, "},\n\"shares_over_time\":{\"begin\":", &coarse);
		rc = put_all_shares(o, r, c, &coarse, exact);
		json_write_literal(o, "}");
	}
	axis_free(&fine);
	axis_free(&coarse);
	return rc;
}
