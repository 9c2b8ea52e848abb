/* SPDX-License-Identifier: Apache-2.0 */
/* --about: describe a trace without replaying it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/replay/replay.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

static void fact(struct out *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	out_put(out, "%-14s", name);
	text_plain(out, value);
	out_put(out, "\n");
}

static void odd(struct out *out, const char *indent, const struct trace_tally *tally, const char *text)
{
	char count[REPLAY_WORD];

	if (tally->n == 0)
		return;
	out_put(out, "%s%s %s %s", indent, word_count(count, (double)tally->n), tally->n == 1 ? "job" : "jobs", text);
	if (tally->line > 0)
		out_put(out, " (first: line %llu)", (unsigned long long)tally->line);
	out_put(out, "\n");
}

void replay_about_odd(struct out *out, const struct trace_about *about, const char *indent)
{
	for (unsigned k = 0; k < TRACE_REASONS; k++)
		odd(out, indent, &about->left_out[k], trace_reason_text(k));
}

static void put_counts(struct out *out, const struct trace_about *about)
{
	char jobs[REPLAY_WORD], records[REPLAY_WORD], text[3 * REPLAY_WORD];

	out_put(out, "%-14s%s to replay, of %s record%s\n", "jobs", word_count(jobs, (double)about->jobs),
		word_count(records, (double)about->records), plural(about->records));
	snprintf(text, sizeof(text), "%llu user%s, %llu group%s, %llu project%s", (unsigned long long)about->users,
		 plural(about->users), (unsigned long long)about->groups, plural(about->groups),
		 (unsigned long long)about->projects, plural(about->projects));
	fact(out, "submitted by", text);
	snprintf(text, sizeof(text), "%llu queue%s, %llu partition%s", (unsigned long long)about->queues,
		 plural(about->queues), (unsigned long long)about->partitions, plural(about->partitions));
	fact(out, "to", text);
}

static void put_load(struct out *out, const struct trace_about *about)
{
	char first[REPLAY_WORD], last[REPLAY_WORD], span[REPLAY_WORD], hours[REPLAY_WORD], count[REPLAY_WORD];
	double passed = (double)(about->submit_last - about->submit_first);

	if (about->jobs == 0)
		return;
	out_put(out, "%-14s%s to %s (%s)\n", "submitted", word_date(first, about->submit_first),
		word_date(last, about->submit_last), word_seconds(span, passed));
	out_put(out, "%-14sup to %s slot%s\n", "a job has", word_count(count, about->slots_most),
		plural((uint64_t)about->slots_most));
	out_put(out, "%-14s%s slot hours", "they ran", word_count(hours, about->slot_s / 3600.0));
	if (about->max_procs > 0 && passed > 0.0)
		out_put(out, ": %.1f %% of %s processors in that time",
			100.0 * about->slot_s / ((double)about->max_procs * passed),
			word_count(count, (double)about->max_procs));
	out_put(out, "\n");
}

static void put_text(struct out *out, const struct replay_trace *trace)
{
	const struct trace_about *about = trace->about;
	char text[2 * REPLAY_WORD];

	fact(out, "trace", trace->name);
	snprintf(text, sizeof(text), "%s%s", trace_format_name(about->format), about->compressed ? ", compressed" : "");
	fact(out, "format", text);
	fact(out, "computer", about->computer);
	fact(out, "installation", about->installation);
	fact(out, "acknowledge", about->acknowledge);
	fact(out, "information", about->information);
	fact(out, "time zone", about->time_zone);
	if (about->max_procs > 0) {
		snprintf(text, sizeof(text), "%llu processors, %llu nodes", (unsigned long long)about->max_procs,
			 (unsigned long long)about->max_nodes);
		fact(out, "machine", text);
	}
	put_counts(out, about);
	put_load(out, about);
	replay_about_odd(out, about, "left out      ");
	for (unsigned k = 0; k < TRACE_QUIRKS; k++)
		if (!trace_quirk_is_whole(k))
			odd(out, "odd           ", &about->quirks[k], trace_quirk_text(k));
		else if (about->quirks[k].n > 0)
			fact(out, "odd", trace_quirk_text(k));
}

static void put_tallies(struct out *out, const char *key, const struct trace_tally *tallies, unsigned n,
			const char *text(unsigned), bool is_whole(unsigned))
{
	bool follows = false;

	json_write_literal(out, key);
	for (unsigned k = 0; k < n; k++) {
		if (tallies[k].n == 0)
			continue;
		json_write_string(out, follows ? ",{\"text\":" : "{\"text\":", text(k));
		if (is_whole(k))
			json_write_literal(out, ",\"jobs\":null");
		else
			json_write_number(out, ",\"jobs\":", (int64_t)tallies[k].n);
		json_write_number(out, ",\"first_line\":", (int64_t)tallies[k].line);
		json_write_literal(out, "}");
		follows = true;
	}
	json_write_literal(out, "]");
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

void replay_about_json(struct out *out, const struct replay_trace *trace)
{
	const struct trace_about *about = trace->about;

	json_write_string(out, "{\"name\":", trace->name);
	json_write_string(out, ",\"format\":", trace_format_name(about->format));
	json_write_string_or_null(out, ",\"computer\":", about->computer ? about->computer : "");
	json_write_string_or_null(out, ",\"installation\":", about->installation ? about->installation : "");
	json_write_string_or_null(out, ",\"acknowledge\":", about->acknowledge ? about->acknowledge : "");
	json_write_string_or_null(out, ",\"information\":", about->information ? about->information : "");
	json_write_string_or_null(out, ",\"time_zone\":", about->time_zone ? about->time_zone : "");
	json_write_number(out, ",\"max_procs\":", (int64_t)about->max_procs);
	json_write_number(out, ",\"max_nodes\":", (int64_t)about->max_nodes);
	json_write_number(out, ",\"lines\":", (int64_t)about->lines);
	json_write_number(out, ",\"records\":", (int64_t)about->records);
	json_write_number(out, ",\"jobs\":", (int64_t)about->jobs);
	json_write_number(out, ",\"users\":", (int64_t)about->users);
	json_write_number(out, ",\"groups\":", (int64_t)about->groups);
	json_write_number(out, ",\"projects\":", (int64_t)about->projects);
	json_write_number(out, ",\"queues\":", (int64_t)about->queues);
	json_write_number(out, ",\"partitions\":", (int64_t)about->partitions);
	json_write_number(out, ",\"slots_most\":", about->slots_most);
	json_write_number(out, ",\"submit_first\":", about->submit_first);
	json_write_number(out, ",\"submit_last\":", about->submit_last);
	json_write_number(out, ",\"end_last\":", about->end_last);
	json_write_exact(out, ",\"slot_s\":", about->slot_s);
	put_tallies(out, ",\"left_out\":[", about->left_out, TRACE_REASONS, reason_text, reason_is_whole);
	put_tallies(out, ",\"odd\":[", about->quirks, TRACE_QUIRKS, quirk_text, quirk_is_whole);
	json_write_literal(out, "}");
}

int replay_about_print(const struct replay_query *query, const struct replay_trace *trace)
{
	struct out out;
	int rc = out_open(&out, STDOUT_FILENO);

	if (!rc) {
		if (query->json)
			replay_about_json(&out, trace);
		else
			put_text(&out, trace);
		if (query->json)
			json_write_literal(&out, "\n");
		rc = out_flush(&out);
	}
	out_close(&out);
	return rc ? cli_unwritten(-rc) : EXIT_OK;
}
