/* SPDX-License-Identifier: Apache-2.0 */
/* Time series as arrays for charts. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/cli/replay/replay.h"
#include "sched/process/json.h"

#define SHARE_STEPS 240u
#define SHARERS 7u			/* groups with a colour of their own */

/* Choose the time axis, which is common to all columns. */
static int axis_of_all(struct axis *axis, const struct replay_result *result, size_t steps)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;

	for (size_t k = 0; k < result->n; k++) {
		const struct utilisation *utilisation = &result->columns[k].answers.whole;

		begin = utilisation->begin < begin ? utilisation->begin : begin;
		end = utilisation->end > end ? utilisation->end : end;
	}
	return axis_make(axis, begin, end, steps);
}

static void put_value(struct out *out, bool follows, double value, bool exact)
{
	char text[REPLAY_WORD];

	if (exact) {
		json_write_exact(out, follows ? "," : "", value);
		return;
	}
	snprintf(text, sizeof(text), "%s%.4g", follows ? "," : "", isfinite(value) ? value : 0.0);
	out_text(out, text);
}

/* Write the average count in each step of the axis. */
static void put_series(struct out *out, const char *key, const struct series *series, const struct axis *axis,
		       bool exact)
{
	json_write_literal(out, key);
	for (size_t k = 0; k < series->n; k++)
		put_value(out, k > 0, series->values[k] / (double)axis->step, exact);
	json_write_literal(out, "]");
}

static int put_machine(struct out *out, const struct replay_column *column, const struct axis *axis, bool exact)
{
	struct series used = { 0 }, waiting = { 0 }, wanted = { 0 }, slots = { 0 };
	int rc = answers_used(&used, &column->answers, axis);

	if (!rc)
		rc = answers_waiting(&waiting, &wanted, &column->answers, axis);
	if (!rc)
		rc = answers_slots(&slots, &column->answers, axis);
	if (!rc) {
		put_series(out, ",\"used\":[", &used, axis, exact);
		put_series(out, ",\"waiting\":[", &waiting, axis, exact);
		put_series(out, ",\"waiting_slots\":[", &wanted, axis, exact);
		put_series(out, ",\"slots\":[", &slots, axis, exact);
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
	/* groups of the first policy, shown in all columns */
	const struct group_answer *sharers;
	size_t n;
	struct series all;
};

static uint32_t number_of(const struct shares_picture *picture, size_t k)
{
	return outcome_find(picture->column->outcome, picture->by == BY_USER ? OUTCOME_USER : OUTCOME_PROJECT,
			    picture->sharers[k].name);
}

static int put_received(const struct shares_picture *picture)
{
	json_write_literal(picture->out, ",\"received\":[");
	for (size_t k = 0; k < picture->n; k++) {
		struct series own = { 0 };
		int rc = answers_received(&own, &picture->column->answers, picture->axis, picture->by,
					  number_of(picture, k));

		if (rc)
			return rc;
		json_write_literal(picture->out, k > 0 ? ",\n[" : "[");
		for (size_t i = 0; i < picture->axis->n; i++)
			put_value(picture->out, i > 0,
				  picture->all.values[i] > 0.0 ? own.values[i] / picture->all.values[i] : 0.0,
				  picture->exact);
		json_write_literal(picture->out, "]");
		series_free(&own);
	}
	json_write_literal(picture->out, "],\"busy\":[");
	for (size_t i = 0; i < picture->axis->n; i++)
		json_write_literal(picture->out,
				   picture->all.values[i] > 0.0 ? (i > 0 ? ",1" : "1") : (i > 0 ? ",0" : "0"));
	json_write_literal(picture->out, "]");
	return 0;
}

static void put_values(const struct shares_picture *picture, const char *before, const double *values)
{
	json_write_literal(picture->out, before);
	for (size_t i = 0; i < picture->axis->n; i++)
		put_value(picture->out, i > 0, values[i], picture->exact);
	json_write_literal(picture->out, "]");
}

static int put_promised(const struct shares_picture *picture)
{
	const struct answers *answers = &picture->column->answers;
	double *values;

	if (replay_column_is_measured(picture->column) ||
	    (picture->by == BY_USER ? answers->users : answers->projects).samples == 0)
		return 0;
	values = calloc(picture->axis->n + 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	answers_promised(values, answers, picture->axis, picture->by, PROMISED_ALL);
	put_values(picture, ",\"promised_all\":[", values);
	json_write_literal(picture->out, ",\"promised\":[");
	for (size_t k = 0; k < picture->n; k++) {
		answers_promised(values, answers, picture->axis, picture->by, number_of(picture, k));
		put_values(picture, k > 0 ? ",\n[" : "[", values);
	}
	json_write_literal(picture->out, "]");
	free(values);
	return 0;
}

static int put_shares(struct shares_picture *picture, const char *key)
{
	int rc;

	json_write_literal(picture->out, key);
	for (size_t k = 0; k < picture->n; k++)
		json_write_string(picture->out, k > 0 ? "," : "", picture->sharers[k].name);
	json_write_literal(picture->out, "]");
	rc = put_received(picture);
	if (!rc)
		rc = put_promised(picture);
	json_write_literal(picture->out, "}");
	return rc;
}

/* Choose the groups to show. Projects are shown only if jobs have any. */
static size_t sharers_find(struct shares_picture *picture, const struct replay_result *result, enum grouping by)
{
	const struct grouping_answer *answer = &result->columns[result->recorded].answers.by[by];

	picture->by = by;
	picture->sharers = answer->items;
	picture->n = answer->n < SHARERS ? answer->n : SHARERS;
	if (answer->n == 1 && !*answer->items[0].name)
		picture->n = 0;
	return picture->n;
}

static int put_all_shares(struct out *out, const struct replay_result *result, const struct replay_column *column,
			  const struct axis *axis, bool exact)
{
	struct shares_picture picture = { .out = out, .column = column, .axis = axis, .exact = exact };
	int rc = answers_used(&picture.all, &column->answers, axis);

	if (!rc && sharers_find(&picture, result, BY_USER) > 0)
		rc = put_shares(&picture, ",\n\"users\":{\"names\":[");
	if (!rc && sharers_find(&picture, result, BY_PROJECT) > 0)
		rc = put_shares(&picture, ",\n\"projects\":{\"names\":[");
	series_free(&picture.all);
	return rc;
}

static void put_axis(struct out *out, const char *key, const struct axis *axis)
{
	json_write_number(out, key, axis->bounds[0]);
	json_write_number(out, ",\"step\":", axis->step);
}

int replay_pictures_print(struct out *out, const struct replay_result *result, const struct replay_column *column,
			  bool exact)
{
	struct axis fine = { 0 }, coarse = { 0 };
	int rc = axis_of_all(&fine, result, AXIS_STEPS);

	if (!rc)
		rc = axis_of_all(&coarse, result, SHARE_STEPS);
	if (!rc) {
		put_axis(out, ",\n\"over_time\":{\"begin\":", &fine);
		rc = put_machine(out, column, &fine, exact);
	}
	if (!rc) {
		put_axis(out, "},\n\"shares_over_time\":{\"begin\":", &coarse);
		rc = put_all_shares(out, result, column, &coarse, exact);
		json_write_literal(out, "}");
	}
	axis_free(&fine);
	axis_free(&coarse);
	return rc;
}
