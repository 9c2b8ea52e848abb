/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All answers in JSON; with fewer digits, and users of account alone, that is what the page shows.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "sched/cli/replay.h"
#include "sched/process/json.h"

struct replay_json {
	struct out *out;
	const struct replay_result *result;
	struct replay_numbers numbers;
	int rc;
};

static void put(struct replay_json *j, const char *key, double value)
{
	char text[REPLAY_WORD];

	if (j->numbers.exact) {
		json_write_exact(j->out, key, value);
		return;
	}
	json_write_literal(j->out, key);
	snprintf(text, sizeof(text), "%.5g", isfinite(value) ? value : 0.0);
	out_text(j->out, text);
}

/* `brief`: what a table shows. */
static void put_distribution(struct replay_json *j, const char *key, const struct distribution *d, bool brief)
{
	json_write_literal(j->out, key);
	if (d->n == 0) {
		json_write_literal(j->out, "null");
		return;
	}
	put(j, "{\"mean\":", d->mean);
	put(j, ",\"median\":", d->median);
	put(j, ",\"p95\":", d->p95);
	if (!brief) {
		put(j, ",\"min\":", d->least);
		put(j, ",\"p5\":", d->p5);
		put(j, ",\"p25\":", d->p25);
		put(j, ",\"p75\":", d->p75);
		put(j, ",\"max\":", d->most);
	}
	json_write_literal(j->out, "}");
}

static void put_utilisation(struct replay_json *j, const char *key, const struct utilisation *u)
{
	json_write_literal(j->out, key);
	json_write_number(j->out, "{\"begin\":", u->begin);
	json_write_number(j->out, ",\"end\":", u->end);
	put(j, ",\"slots\":", u->slots);
	put(j, ",\"used\":", u->used);
	json_write_literal(j->out, "}");
}

/* Groups */

static void put_group(struct replay_json *j, const struct group_answer *g, bool promised, bool brief, bool follows)
{
	json_write_string(j->out, follows ? ",\n{\"name\":" : "\n{\"name\":", g->name);
	json_write_number(j->out, ",\"jobs\":", (int64_t)g->jobs);
	json_write_number(j->out, ",\"started\":", (int64_t)g->started);
	put(j, ",\"slot_s\":", g->slot_s);
	put(j, ",\"received\":", g->received);
	if (promised) {
		put(j, ",\"promised\":", g->promised);
		put(j, ",\"due\":", g->due);
	}
	put_distribution(j, ",\"wait\":", &g->wait, brief);
	put_distribution(j, ",\"slowdown\":", &g->slowdown, brief);
	json_write_literal(j->out, "}");
}

static void put_groups(struct replay_json *j, const char *key, const struct answers *a, enum grouping by)
{
	bool promised = a->promiser != a->outcome ? false : (by == BY_USER && a->users.samples > 0) || (by == BY_PROJECT && a->projects.samples > 0);

	json_write_literal(j->out, key);
	for (size_t k = 0; k < a->by[by].n && k < j->numbers.most; k++)
		put_group(j, &a->by[by].items[k], promised, !j->numbers.exact && by < BY_SIZE, k > 0);
	json_write_literal(j->out, "]");
}

static void put_shares(struct replay_json *j, const char *key, const struct shares_answer *s)
{
	json_write_literal(j->out, key);
	if (s->samples == 0) {
		json_write_literal(j->out, "null");
		return;
	}
	json_write_number(j->out, "{\"samples\":", (int64_t)s->samples);
	put(j, ",\"distance\":", s->distance_lasting);
	put(j, ",\"distance_now\":", s->distance_now);
	put(j, ",\"unmet\":", s->unmet);
	json_write_literal(j->out, "}");
}

static void put_longest(struct replay_json *j, const struct replay_column *c)
{
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(c->outcome, &n);

	json_write_literal(j->out, ",\n\"longest\":[");
	for (size_t k = 0; k < c->answers.nlongest; k++) {
		const struct long_wait *w = &c->answers.longest[k];
		const struct outcome_job *job = &jobs[w->job];

		json_write_number(j->out, k > 0 ? ",{\"line\":" : "{\"line\":", (int64_t)job->line);
		json_write_number(j->out, ",\"job\":", (int64_t)job->number);
		json_write_string(j->out, ",\"user\":", outcome_name(c->outcome, OUTCOME_USER, job->names[OUTCOME_USER]));
		json_write_number(j->out, ",\"slots\":", job->slots);
		json_write_number(j->out, ",\"submit\":", job->submit);
		json_write_number(j->out, ",\"wait\":", w->wait_s);
		json_write_bool(j->out, ",\"started\":", w->started);
		json_write_literal(j->out, "}");
	}
	json_write_literal(j->out, "]");
}

/* A column */

static void put_counts(struct replay_json *j, const struct replay_column *c)
{
	const struct answers *a = &c->answers;
	struct outcome_counts counts;

	outcome_counts(c->outcome, &counts);
	json_write_number(j->out, ",\n\"jobs\":", (int64_t)a->jobs);
	json_write_number(j->out, ",\"started\":", (int64_t)a->started);
	json_write_number(j->out, ",\"ended\":", (int64_t)a->ended);
	json_write_number(j->out, ",\"running\":", (int64_t)a->running);
	json_write_number(j->out, ",\"waiting\":", (int64_t)a->waiting);
	json_write_number(j->out, ",\"removed\":", (int64_t)a->removed);
	json_write_number(j->out, ",\"refused\":", (int64_t)counts.refused);
	json_write_string_or_null(j->out, ",\"refused_why\":", counts.refused_why);
	json_write_number(j->out, ",\"backfilled\":", (int64_t)a->backfilled);
	json_write_number(j->out, ",\"overtaken\":", (int64_t)a->overtaken);
	json_write_number(j->out, ",\"starving\":", (int64_t)a->starving);
	json_write_number(j->out, ",\"vacated\":", (int64_t)counts.vacated);
	json_write_number(j->out, ",\"suspended\":", (int64_t)counts.suspended);
	json_write_number(j->out, ",\"limited\":", (int64_t)counts.limited);
	put(j, ",\"lost_slot_s\":", a->lost_slot_s);
	json_write_number(j->out, ",\"runs\":", (int64_t)counts.runs);
	json_write_number(j->out, ",\"most_pending\":", (int64_t)counts.most_pending);
}

static void put_column(struct replay_json *j, const struct replay_column *c)
{
	const struct answers *a = &c->answers;

	json_write_string(j->out, "{\"name\":", c->name);
	json_write_string_or_null(j->out, ",\"cell\":", c->cell ? c->cell : "");
	json_write_string_or_null(j->out, ",\"algorithm\":", replay_column_policy(c));
	json_write_bool(j->out, ",\"recorded\":", !c->cell);
	json_write_bool(j->out, ",\"partial\":", c->stopped);
	put_counts(j, c);
	put_utilisation(j, ",\n\"utilisation\":", &a->whole);
	put_utilisation(j, ",\"utilisation_inner\":", &a->inner);
	put_distribution(j, ",\n\"wait\":", &a->wait, false);
	put_distribution(j, ",\n\"slowdown\":", &a->slowdown, false);
	json_write_string(j->out, ",\n\"shares\":{\"promised_by\":", outcome_title(a->promiser));
	put_shares(j, ",\"users\":", &a->users);
	put_shares(j, ",\"projects\":", &a->projects);
	put_groups(j, "},\n\"users\":[", a, BY_USER);
	if (j->numbers.exact)
		put_groups(j, ",\n\"groups\":[", a, BY_GROUP);
	put_groups(j, ",\n\"projects\":[", a, BY_PROJECT);
	put_groups(j, ",\n\"sizes\":[", a, BY_SIZE);
	put_groups(j, ",\n\"run_times\":[", a, BY_TIME);
	put_longest(j, c);
	if (!j->rc)
		j->rc = replay_pictures_print(j->out, j->result, c, j->numbers.exact);
	json_write_literal(j->out, "}");
}

static void put_distances(struct replay_json *j)
{
	const struct replay_result *r = j->result;
	bool follows = false;

	json_write_literal(j->out, ",\n\"distances\":[");
	for (size_t k = 0; k < r->n; k++)
		for (size_t i = k + 1; i < r->n; i++) {
			struct distance d;

			if (distance_between(&d, &r->columns[k].answers, &r->columns[i].answers))
				continue;
			json_write_string(j->out, follows ? ",\n{\"a\":" : "\n{\"a\":", r->columns[k].name);
			json_write_string(j->out, ",\"b\":", r->columns[i].name);
			json_write_number(j->out, ",\"jobs\":", (int64_t)d.jobs);
			put(j, ",\"earlier\":", d.earlier);
			put(j, ",\"later\":", d.later);
			put(j, ",\"same\":", d.same);
			put(j, ",\"mean_s\":", d.mean_s);
			put(j, ",\"mean_absolute_s\":", d.mean_absolute_s);
			put(j, ",\"median_absolute_s\":", d.median_absolute_s);
			put(j, ",\"users\":", d.users);
			put(j, ",\"projects\":", d.projects);
			json_write_literal(j->out, "}");
			follows = true;
		}
	json_write_literal(j->out, "]");
}

struct finding_list {
	struct out *out;
	bool follows;
};

static void put_finding(void *context, const char *sentence)
{
	struct finding_list *l = context;

	json_write_string(l->out, l->follows ? ",\n" : "\n", sentence);
	l->follows = true;
}

int replay_json_print(struct out *o, const struct replay_result *r, struct replay_numbers numbers)
{
	struct replay_json j = { o, r, numbers, 0 };
	struct finding_list findings = { o, false };

	json_write_string(o, "{\"fairlead\":", FAIRLEAD_VERSION);
	json_write_string(o, ",\"command\":", r->query->command);
	json_write_bool(o, ",\"partial\":", r->partial);
	json_write_literal(o, ",\n\"trace\":");
	replay_about_json(o, r->trace);
	json_write_literal(o, ",\n\"findings\":[");
	replay_findings(r, put_finding, &findings);
	json_write_literal(o, "],\n\"policies\":[\n");
	for (size_t k = 0; k < r->n; k++) {
		if (k > 0)
			json_write_literal(o, ",\n");
		put_column(&j, &r->columns[k]);
	}
	json_write_literal(o, "]");
	put_distances(&j);
	json_write_literal(o, "}\n");
	return j.rc;
}
