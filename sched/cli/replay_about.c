/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace has, before anything is replayed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/replay.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

static void fact(struct out *o, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	out_put(o, "%-14s", name);
	text_plain(o, value);
	out_put(o, "\n");
}

static void odd(struct out *o, const char *indent, const struct trace_tally *tally, const char *text)
{
	char count[REPLAY_WORD];

	if (tally->n == 0)
		return;
	out_put(o, "%s%s %s %s", indent, word_count(count, (double)tally->n), tally->n == 1 ? "job" : "jobs", text);
	if (tally->line > 0)
		out_put(o, " (first: line %llu)", (unsigned long long)tally->line);
	out_put(o, "\n");
}

void replay_about_odd(struct out *o, const struct trace_about *about, const char *indent)
{
	for (unsigned k = 0; k < TRACE_REASONS; k++)
		odd(o, indent, &about->left_out[k], trace_reason_text(k));
}

static void put_counts(struct out *o, const struct trace_about *a)
{
	char jobs[REPLAY_WORD], records[REPLAY_WORD], text[3 * REPLAY_WORD];

	out_put(o, "%-14s%s to replay, of %s record%s\n", "jobs", word_count(jobs, (double)a->jobs), word_count(records, (double)a->records),
		plural(a->records));
	snprintf(text, sizeof(text), "%llu user%s, %llu group%s, %llu project%s", (unsigned long long)a->users, plural(a->users),
		 (unsigned long long)a->groups, plural(a->groups), (unsigned long long)a->projects, plural(a->projects));
	fact(o, "submitted by", text);
	snprintf(text, sizeof(text), "%llu queue%s, %llu partition%s", (unsigned long long)a->queues, plural(a->queues),
		 (unsigned long long)a->partitions, plural(a->partitions));
	fact(o, "to", text);
}

static void put_load(struct out *o, const struct trace_about *a)
{
	char first[REPLAY_WORD], last[REPLAY_WORD], span[REPLAY_WORD], hours[REPLAY_WORD], count[REPLAY_WORD];
	double passed = (double)(a->submit_last - a->submit_first);

	if (a->jobs == 0)
		return;
	out_put(o, "%-14s%s to %s (%s)\n", "submitted", word_date(first, a->submit_first), word_date(last, a->submit_last), word_seconds(span, passed));
	out_put(o, "%-14sup to %s slot%s\n", "a job has", word_count(count, a->slots_most), plural((uint64_t)a->slots_most));
	out_put(o, "%-14s%s slot hours", "they ran", word_count(hours, a->slot_s / 3600.0));
	if (a->max_procs > 0 && passed > 0.0)
		out_put(o, ": %.1f %% of %s processors in that time", 100.0 * a->slot_s / ((double)a->max_procs * passed),
			word_count(count, (double)a->max_procs));
	out_put(o, "\n");
}

static void put_text(struct out *o, const struct replay_trace *t)
{
	const struct trace_about *a = t->about;
	char text[2 * REPLAY_WORD];

	fact(o, "trace", t->name);
	snprintf(text, sizeof(text), "%s%s", trace_format_name(a->format), a->compressed ? ", compressed" : "");
	fact(o, "format", text);
	fact(o, "computer", a->computer);
	fact(o, "installation", a->installation);
	fact(o, "acknowledge", a->acknowledge);
	fact(o, "information", a->information);
	fact(o, "time zone", a->time_zone);
	if (a->max_procs > 0) {
		snprintf(text, sizeof(text), "%llu processors, %llu nodes", (unsigned long long)a->max_procs, (unsigned long long)a->max_nodes);
		fact(o, "machine", text);
	}
	put_counts(o, a);
	put_load(o, a);
	replay_about_odd(o, a, "left out      ");
	for (unsigned k = 0; k < TRACE_QUIRKS; k++)
		if (!trace_quirk_is_whole(k))
			odd(o, "odd           ", &a->quirks[k], trace_quirk_text(k));
		else if (a->quirks[k].n > 0)
			fact(o, "odd", trace_quirk_text(k));
}

static void put_tallies(struct out *o, const char *key, const struct trace_tally *tallies, unsigned n, const char *text(unsigned), bool is_whole(unsigned))
{
	bool follows = false;

	json_write_literal(o, key);
	for (unsigned k = 0; k < n; k++) {
		if (tallies[k].n == 0)
			continue;
		json_write_string(o, follows ? ",{\"text\":" : "{\"text\":", text(k));
		if (is_whole(k))
			json_write_literal(o, ",\"jobs\":null");
		else
			json_write_number(o, ",\"jobs\":", (int64_t)tallies[k].n);
		json_write_number(o, ",\"first_line\":", (int64_t)tallies[k].line);
		json_write_literal(o, "}");
		follows = true;
	}
	json_write_literal(o, "]");
}

static const char *reason_text(unsigned k)
{
	return trace_reason_text(k);
}

static const char *quirk_text(unsigned k)
{
	return trace_quirk_text(k);
}

static bool reason_is_whole(unsigned k)
{
	(void)k;
	return false;
}

static bool quirk_is_whole(unsigned k)
{
	return trace_quirk_is_whole(k);
}

void replay_about_json(struct out *o, const struct replay_trace *t)
{
	const struct trace_about *a = t->about;

	json_write_string(o, "{\"name\":", t->name);
	json_write_string(o, ",\"format\":", trace_format_name(a->format));
	json_write_string_or_null(o, ",\"computer\":", a->computer ? a->computer : "");
	json_write_string_or_null(o, ",\"installation\":", a->installation ? a->installation : "");
	json_write_string_or_null(o, ",\"acknowledge\":", a->acknowledge ? a->acknowledge : "");
	json_write_string_or_null(o, ",\"information\":", a->information ? a->information : "");
	json_write_string_or_null(o, ",\"time_zone\":", a->time_zone ? a->time_zone : "");
	json_write_number(o, ",\"max_procs\":", (int64_t)a->max_procs);
	json_write_number(o, ",\"max_nodes\":", (int64_t)a->max_nodes);
	json_write_number(o, ",\"lines\":", (int64_t)a->lines);
	json_write_number(o, ",\"records\":", (int64_t)a->records);
	json_write_number(o, ",\"jobs\":", (int64_t)a->jobs);
	json_write_number(o, ",\"users\":", (int64_t)a->users);
	json_write_number(o, ",\"groups\":", (int64_t)a->groups);
	json_write_number(o, ",\"projects\":", (int64_t)a->projects);
	json_write_number(o, ",\"queues\":", (int64_t)a->queues);
	json_write_number(o, ",\"partitions\":", (int64_t)a->partitions);
	json_write_number(o, ",\"slots_most\":", a->slots_most);
	json_write_number(o, ",\"submit_first\":", a->submit_first);
	json_write_number(o, ",\"submit_last\":", a->submit_last);
	json_write_number(o, ",\"end_last\":", a->end_last);
	json_write_exact(o, ",\"slot_s\":", a->slot_s);
	put_tallies(o, ",\"left_out\":[", a->left_out, TRACE_REASONS, reason_text, reason_is_whole);
	put_tallies(o, ",\"odd\":[", a->quirks, TRACE_QUIRKS, quirk_text, quirk_is_whole);
	json_write_literal(o, "}");
}

int replay_about_print(const struct replay_query *q, const struct replay_trace *t)
{
	struct out o;
	int rc = out_open(&o, STDOUT_FILENO);

	if (!rc) {
		if (q->json)
			replay_about_json(&o, t);
		else
			put_text(&o, t);
		if (q->json)
			json_write_literal(&o, "\n");
		rc = out_flush(&o);
	}
	out_close(&o);
	return rc ? cli_fail(EXIT_NO_DATA, "writing the output: %s", strerror(-rc)) : EXIT_OK;
}
