/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted start or end of a job, and its assumptions. */
#include <inttypes.h>
#include <stdio.h>

#include "sched/cli/explain/place.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define DAY_S 86400

static void put_time(struct out *out, int64_t time)
{
	static struct local_clock clock;

	out_take(out, clock_put(&clock, out_room(out, 2 * TIME_BYTES), time, TIME_TABLE));
}

/* Print ", 3:20:00 h after the run". */
static void put_distance(struct out *out, int64_t seconds)
{
	char text[80];

	if (seconds >= DAY_S)
		snprintf(text, sizeof(text), ", %" PRId64 " d %d:%02d:%02d h after the run", seconds / DAY_S,
			 (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60));
	else
		snprintf(text, sizeof(text), ", %d:%02d:%02d h after the run", (int)(seconds / 3600),
			 (int)(seconds / 60 % 60), (int)(seconds % 60));
	out_text(out, text);
}

static void put_where(struct out *out, const struct starting *starting)
{
	if (!starting->queue || !*starting->queue)
		return;
	out_text(out, ", on ");
	text_plain(out, starting->queue);
	if (starting->slots > 1)
		out_put(out, ", %u slots in all", starting->slots);
}

static void put_found(struct out *out, const struct outlook *outlook, const char *what)
{
	struct fl_run run;

	fl_run(outlook->view, &run);
	out_text(out, what);
	put_time(out, outlook->starting.at);
	put_distance(out, outlook->starting.at - run.now);
	put_where(out, &outlook->starting);
	out_text(out, ".\n");
}

/* Assumptions */

/* Print "2 running tasks and 1 that would start before it have no time limit (h_rt)". */
static void put_endless(struct out *out, const struct starting *starting)
{
	uint64_t n = starting->endless + starting->endless_later;
	char running[60] = "", later[80] = "";

	if (starting->endless)
		snprintf(running, sizeof(running), "%" PRIu64 " running task%s", starting->endless,
			 plural(starting->endless));
	if (starting->endless_later)
		snprintf(later, sizeof(later), "%s%" PRIu64 " %sthat would start before it",
			 starting->endless ? " and " : "", starting->endless_later,
			 starting->endless		? ""
			 : starting->endless_later == 1 ? "task "
							: "tasks ");
	out_put(out, "%s%s ha%s no time limit (h_rt)", running, later, n == 1 ? "s" : "ve");
}

static void put_hours(struct out *out, const char *format, uint32_t seconds)
{
	char text[40];

	snprintf(text, sizeof(text), format, seconds / 3600, seconds / 60 % 60, seconds % 60);
	out_text(out, text);
}

/* Print the assumed run time of tasks without a limit. */
static void put_assumption(struct out *out, const struct starting *starting)
{
	uint64_t n = starting->endless + starting->endless_later;

	if (n == 0 && starting->run_s == 0)
		return;
	out_text(out, "  ");
	if (n > 0)
		put_endless(out, starting);
	else
		out_text(out, "Tasks without a time limit");
	if (starting->run_s == 0) {
		out_text(out, ", taken as for ever: see --assume-run-time.\n");
		return;
	}
	out_text(out, n == 1  ? "; it is taken to run for "
		      : n > 1 ? "; they are taken to run for "
			      : " are taken to run for ");
	put_hours(out, "%u:%02u:%02u h", starting->run_s);
	out_text(out, starting->is_default_duration ? " (default_duration).\n" : ".\n");
}

static void put_assumed(struct out *out, const struct outlook *outlook)
{
	out_text(out, "  Not known: ");
	put_endless(out, &outlook->starting);
	out_text(out, ".\n  With --assume-run-time ");
	put_hours(out, "%u:%u:%u", outlook->starting.run_s);
	put_found(out, outlook, ": ");
}

static void put_reasons(struct out *out, const struct starting *starting)
{
	for (size_t i = 0; i < starting->nreasons; i++) {
		out_text(out, "    ");
		text_plain(out, starting->reasons[i]);
		out_text(out, "\n");
	}
}

static void put_unknown(struct out *out, const struct starting *starting)
{
	out_text(out, "  No estimate");
	for (size_t i = 0; i < starting->nreasons; i++) {
		out_text(out, ": ");
		text_plain(out, starting->reasons[i]);
	}
	out_text(out, ".\n");
}

static void put_start(struct out *out, const struct outlook *outlook)
{
	switch (outlook->starting.answer) {
	case STARTING_UNKNOWN:
		if (outlook->starting.is_kept)
			out_text(out, "  That depends on who lets it go.\n");
		else
			put_unknown(out, &outlook->starting);
		return;
	case STARTING_RESERVED:
		put_found(out, outlook, "  Reserved: ");
		return;
	case STARTING_ESTIMATED:
		put_found(out, outlook, "  Estimate: ");
		out_text(out,
			 "  If running tasks use all their requested time, and no job is submitted.\n");
		break;
	case STARTING_ASSUMED:
		put_assumed(out, outlook);
		return;
	case STARTING_NEVER:
		out_text(out, "  Never, as things are. It still waits when the running tasks have ended:\n");
		put_reasons(out, &outlook->starting);
		break;
	case STARTING_LATER:
		put_found(out, outlook, "  Not within 30 days: computed up to ");
		break;
	case STARTING_GIVEN_UP:
		put_found(out, outlook,
			  "  No estimate in the time that there was (--when takes more): it has not started by ");
		break;
	}
	put_assumption(out, &outlook->starting);
}

static void put_end(struct out *out, const struct outlook *outlook)
{
	out_text(out, "\nWhen it ends\n");
	if (outlook->starting.end == 0) {
		out_text(out, "  Not known: it has no time limit (h_rt), or is suspended.\n");
		return;
	}
	out_text(out, "  By ");
	put_time(out, outlook->starting.end);
	out_text(out, ", if it uses all the time that it asked for.\n");
}

static void put_after(struct out *out, const struct starting *starting)
{
	char text[60];

	if (starting->nafter == 0)
		return;
	out_text(out, "  It waits for the end of ");
	for (size_t i = 0; i < starting->nafter && i < STARTING_FEW; i++) {
		snprintf(text, sizeof(text), "%s%u",
			 i			? ", "
			 : starting->nafter > 1 ? "jobs "
						: "job ",
			 starting->after[i]);
		out_text(out, text);
	}
	snprintf(text, sizeof(text), " and %zu more", starting->nafter - STARTING_FEW);
	out_text(out, starting->nafter > STARTING_FEW ? text : "");
	out_text(out, ".\n");
}

void when_text(struct out *out, const struct outlook *outlook)
{
	if (outlook->job.is_started) {
		put_end(out, outlook);
		return;
	}
	out_text(out, "\nWhen it starts\n");
	put_after(out, &outlook->starting);
	put_start(out, outlook);
}

/* JSON */

void when_json(struct out *out, const struct outlook *outlook)
{
	const struct starting *starting = &outlook->starting;

	if (outlook->job.is_started) {
		out_take(out, json_put_time(out_room(out, 100), ",\n \"end\":{\"time\":", starting->end));
		json_write_literal(out, "}");
		return;
	}
	json_write_string(out, ",\n \"when\":{\"answer\":", starting_answer_name(starting->answer));
	out_take(out, json_put_time(out_room(out, 100), ",\"time\":", starting->at));
	json_write_string_or_null(out, ",\"queue\":", starting->queue ? starting->queue : "");
	json_write_number(out, ",\"slots\":", starting->slots);
	json_write_number(out, ",\"runs\":", (int64_t)starting->runs);
	json_write_number(out, ",\"endless\":", (int64_t)starting->endless);
	json_write_number(out, ",\"endless_later\":", (int64_t)starting->endless_later);
	json_write_number(out, ",\"assumed_run_time\":", starting->run_s);
	json_write_literal(out, ",\"reasons\":[");
	for (size_t i = 0; i < starting->nreasons; i++)
		json_write_string(out, i ? "," : "", starting->reasons[i]);
	json_write_literal(out, "],\"after\":[");
	for (size_t i = 0; i < starting->nafter && i < STARTING_FEW; i++)
		json_write_number(out, i ? "," : "", starting->after[i]);
	json_write_literal(out, "]}");
}
