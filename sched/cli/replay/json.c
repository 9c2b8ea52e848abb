/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON output with all results. The page shows the same data with fewer digits, and a limited
 * number of users.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "sched/cli/replay/replay.h"
#include "sched/process/json.h"

struct replay_json {
	struct out *out;
	const struct replay_result *result;
	struct replay_numbers numbers;
	int rc;
};

static void put(struct replay_json *json, const char *key, double value)
{
	char text[REPLAY_WORD];

	if (json->numbers.exact) {
		json_write_exact(json->out, key, value);
		return;
	}
	json_write_literal(json->out, key);
	snprintf(text, sizeof(text), "%.5g", isfinite(value) ? value : 0.0);
	out_text(json->out, text);
}

/* Write a distribution. `brief`: only the values that a table shows. */
static void put_distribution(struct replay_json *json, const char *key, const struct distribution *distribution,
			     bool brief)
{
	json_write_literal(json->out, key);
	if (distribution->n == 0) {
		json_write_literal(json->out, "null");
		return;
	}
	put(json, "{\"mean\":", distribution->mean);
	put(json, ",\"median\":", distribution->median);
	put(json, ",\"p95\":", distribution->p95);
	if (!brief) {
		put(json, ",\"min\":", distribution->least);
		put(json, ",\"p5\":", distribution->p5);
		put(json, ",\"p25\":", distribution->p25);
		put(json, ",\"p75\":", distribution->p75);
		put(json, ",\"max\":", distribution->most);
	}
	json_write_literal(json->out, "}");
}

static void put_utilisation(struct replay_json *json, const char *key, const struct utilisation *utilisation)
{
	json_write_literal(json->out, key);
	json_write_number(json->out, "{\"begin\":", utilisation->begin);
	json_write_number(json->out, ",\"end\":", utilisation->end);
	put(json, ",\"slots\":", utilisation->slots);
	put(json, ",\"used\":", utilisation->used);
	json_write_literal(json->out, "}");
}

/* Groups */

static void put_group(struct replay_json *json, const struct group_answer *answer, bool promised, bool brief,
		      bool follows)
{
	json_write_string(json->out, follows ? ",\n{\"name\":" : "\n{\"name\":", answer->name);
	json_write_number(json->out, ",\"jobs\":", (int64_t)answer->jobs);
	json_write_number(json->out, ",\"started\":", (int64_t)answer->started);
	put(json, ",\"slot_s\":", answer->slot_s);
	put(json, ",\"received\":", answer->received);
	if (promised) {
		put(json, ",\"promised\":", answer->promised);
		put(json, ",\"due\":", answer->due);
	}
	put_distribution(json, ",\"wait\":", &answer->wait, brief);
	put_distribution(json, ",\"slowdown\":", &answer->slowdown, brief);
	json_write_literal(json->out, "}");
}

static void put_groups(struct replay_json *json, const char *key, const struct answers *answers, enum grouping by)
{
	bool promised = answers->promiser != answers->outcome
				? false
				: (by == BY_USER && answers->users.samples > 0) ||
					  (by == BY_PROJECT && answers->projects.samples > 0);

	json_write_literal(json->out, key);
	for (size_t k = 0; k < answers->by[by].n && k < json->numbers.most; k++)
		put_group(json, &answers->by[by].items[k], promised, !json->numbers.exact && by < BY_SIZE, k > 0);
	json_write_literal(json->out, "]");
}

static void put_shares(struct replay_json *json, const char *key, const struct shares_answer *answer)
{
	json_write_literal(json->out, key);
	if (answer->samples == 0) {
		json_write_literal(json->out, "null");
		return;
	}
	json_write_number(json->out, "{\"samples\":", (int64_t)answer->samples);
	put(json, ",\"distance\":", answer->distance_lasting);
	put(json, ",\"distance_now\":", answer->distance_now);
	put(json, ",\"unmet\":", answer->unmet);
	json_write_literal(json->out, "}");
}

static void put_longest(struct replay_json *json, const struct replay_column *column)
{
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(column->outcome, &n);

	json_write_literal(json->out, ",\n\"longest\":[");
	for (size_t k = 0; k < column->answers.nlongest; k++) {
		const struct long_wait *wait = &column->answers.longest[k];
		const struct outcome_job *job = &jobs[wait->job];

		json_write_number(json->out, k > 0 ? ",{\"line\":" : "{\"line\":", (int64_t)job->line);
		json_write_number(json->out, ",\"job\":", (int64_t)job->number);
		json_write_string(json->out,
				  ",\"user\":", outcome_name(column->outcome, OUTCOME_USER, job->names[OUTCOME_USER]));
		json_write_number(json->out, ",\"slots\":", job->slots);
		json_write_number(json->out, ",\"submit\":", job->submit);
		json_write_number(json->out, ",\"wait\":", wait->wait_s);
		json_write_bool(json->out, ",\"started\":", wait->started);
		json_write_literal(json->out, "}");
	}
	json_write_literal(json->out, "]");
}

/* Columns */

static void put_counts(struct replay_json *json, const struct replay_column *column)
{
	const struct answers *answers = &column->answers;
	struct outcome_counts counts;

	outcome_counts(column->outcome, &counts);
	json_write_number(json->out, ",\n\"jobs\":", (int64_t)answers->jobs);
	json_write_number(json->out, ",\"started\":", (int64_t)answers->started);
	json_write_number(json->out, ",\"ended\":", (int64_t)answers->ended);
	json_write_number(json->out, ",\"running\":", (int64_t)answers->running);
	json_write_number(json->out, ",\"waiting\":", (int64_t)answers->waiting);
	json_write_number(json->out, ",\"removed\":", (int64_t)answers->removed);
	json_write_number(json->out, ",\"refused\":", (int64_t)counts.refused);
	json_write_string_or_null(json->out, ",\"refused_why\":", counts.refused_why);
	json_write_number(json->out, ",\"backfilled\":", (int64_t)answers->backfilled);
	json_write_number(json->out, ",\"overtaken\":", (int64_t)answers->overtaken);
	json_write_number(json->out, ",\"starving\":", (int64_t)answers->starving);
	json_write_number(json->out, ",\"vacated\":", (int64_t)counts.vacated);
	json_write_number(json->out, ",\"suspended\":", (int64_t)counts.suspended);
	json_write_number(json->out, ",\"limited\":", (int64_t)counts.limited);
	put(json, ",\"lost_slot_s\":", answers->lost_slot_s);
	json_write_number(json->out, ",\"runs\":", (int64_t)counts.runs);
	json_write_number(json->out, ",\"most_pending\":", (int64_t)counts.most_pending);
}

static void put_column(struct replay_json *json, const struct replay_column *column)
{
	const struct answers *answers = &column->answers;

	json_write_string(json->out, "{\"name\":", column->name);
	json_write_string_or_null(json->out, ",\"cell\":", column->cell ? column->cell : "");
	json_write_string_or_null(json->out, ",\"algorithm\":", replay_column_policy(column));
	json_write_bool(json->out, ",\"recorded\":", !column->cell);
	json_write_bool(json->out, ",\"partial\":", column->stopped);
	put_counts(json, column);
	put_utilisation(json, ",\n\"utilisation\":", &answers->whole);
	put_utilisation(json, ",\"utilisation_inner\":", &answers->inner);
	put_distribution(json, ",\n\"wait\":", &answers->wait, false);
	put_distribution(json, ",\n\"slowdown\":", &answers->slowdown, false);
	json_write_string(json->out, ",\n\"shares\":{\"promised_by\":", outcome_title(answers->promiser));
	put_shares(json, ",\"users\":", &answers->users);
	put_shares(json, ",\"projects\":", &answers->projects);
	put_groups(json, "},\n\"users\":[", answers, BY_USER);
	if (json->numbers.exact)
		put_groups(json, ",\n\"groups\":[", answers, BY_GROUP);
	put_groups(json, ",\n\"projects\":[", answers, BY_PROJECT);
	put_groups(json, ",\n\"sizes\":[", answers, BY_SIZE);
	put_groups(json, ",\n\"run_times\":[", answers, BY_TIME);
	put_longest(json, column);
	if (!json->rc)
		json->rc = replay_pictures_print(json->out, json->result, column, json->numbers.exact);
	json_write_literal(json->out, "}");
}

static void put_distances(struct replay_json *json)
{
	const struct replay_result *result = json->result;
	bool follows = false;

	json_write_literal(json->out, ",\n\"distances\":[");
	for (size_t k = 0; k < result->n; k++)
		for (size_t i = k + 1; i < result->n; i++) {
			struct distance distance;

			if (distance_between(&distance, &result->columns[k].answers, &result->columns[i].answers))
				continue;
			json_write_string(json->out, follows ? ",\n{\"a\":" : "\n{\"a\":", result->columns[k].name);
			json_write_string(json->out, ",\"b\":", result->columns[i].name);
			json_write_number(json->out, ",\"jobs\":", (int64_t)distance.jobs);
			put(json, ",\"earlier\":", distance.earlier);
			put(json, ",\"later\":", distance.later);
			put(json, ",\"same\":", distance.same);
			put(json, ",\"mean_s\":", distance.mean_s);
			put(json, ",\"mean_absolute_s\":", distance.mean_absolute_s);
			put(json, ",\"median_absolute_s\":", distance.median_absolute_s);
			put(json, ",\"users\":", distance.users);
			put(json, ",\"projects\":", distance.projects);
			json_write_literal(json->out, "}");
			follows = true;
		}
	json_write_literal(json->out, "]");
}

struct finding_list {
	struct out *out;
	bool follows;
};

static void put_finding(void *context, const char *sentence)
{
	struct finding_list *findings = context;

	json_write_string(findings->out, findings->follows ? ",\n" : "\n", sentence);
	findings->follows = true;
}

int replay_json_print(struct out *out, const struct replay_result *result, struct replay_numbers numbers)
{
	struct replay_json json = { out, result, numbers, 0 };
	struct finding_list findings = { out, false };

	json_write_string(out, "{\"fairlead\":", FAIRLEAD_VERSION);
	json_write_string(out, ",\"command\":", result->query->command);
	json_write_bool(out, ",\"partial\":", result->partial);
	json_write_literal(out, ",\n\"trace\":");
	replay_about_json(out, result->trace);
	json_write_literal(out, ",\n\"findings\":[");
	replay_findings(result, put_finding, &findings);
	json_write_literal(out, "],\n\"policies\":[\n");
	for (size_t k = 0; k < result->n; k++) {
		if (k > 0)
			json_write_literal(out, ",\n");
		put_column(&json, &result->columns[k]);
	}
	json_write_literal(out, "]");
	put_distances(&json);
	json_write_literal(out, "}\n");
	return json.rc;
}
