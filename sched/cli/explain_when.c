/* SPDX-License-Identifier: Apache-2.0 */
/* When a job will start or end, and what that rests on. */
#include <inttypes.h>
#include <stdio.h>

#include "sched/cli/explain_place.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define DAY_S 86400

static void put_time(struct out *o, int64_t time)
{
	static struct local_clock clock;

	out_take(o, clock_put(&clock, out_room(o, 2 * TIME_BYTES), time, TIME_TABLE));
}

/* ", 3:20:00 h after the run" */
static void put_distance(struct out *o, int64_t seconds)
{
	char text[80];

	if (seconds >= DAY_S)
		snprintf(text, sizeof(text), ", %" PRId64 " d %d:%02d:%02d h after the run", seconds / DAY_S, (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60));
	else
		snprintf(text, sizeof(text), ", %d:%02d:%02d h after the run", (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
	out_text(o, text);
}

static void put_where(struct out *o, const struct starting *s)
{
	if (!s->queue || !*s->queue)
		return;
	out_text(o, ", on ");
	text_plain(o, s->queue);
	if (s->slots > 1)
		out_put(o, ", %u slots in all", s->slots);
}

static void put_found(struct out *o, const struct outlook *l, const char *what)
{
	struct fl_run run;

	fl_run(l->view, &run);
	out_text(o, what);
	put_time(o, l->starting.at);
	put_distance(o, l->starting.at - run.now);
	put_where(o, &l->starting);
	out_text(o, ".\n");
}

/* What is taken for granted */

/* "2 running tasks and 1 that would start before it have no time limit (h_rt)" */
static void put_endless(struct out *o, const struct starting *s)
{
	uint64_t n = s->endless + s->endless_later;
	char running[60] = "", later[80] = "";

	if (s->endless)
		snprintf(running, sizeof(running), "%" PRIu64 " running task%s", s->endless, plural(s->endless));
	if (s->endless_later)
		snprintf(later, sizeof(later), "%s%" PRIu64 " %sthat would start before it", s->endless ? " and " : "", s->endless_later,
			 s->endless ? "" : s->endless_later == 1 ? "task " : "tasks ");
	out_put(o, "%s%s ha%s no time limit (h_rt)", running, later, n == 1 ? "s" : "ve");
}

static void put_hours(struct out *o, const char *format, uint32_t seconds)
{
	char text[40];

	snprintf(text, sizeof(text), format, seconds / 3600, seconds / 60 % 60, seconds % 60);
	out_text(o, text);
}

/* What is taken for granted of tasks that have no limit. */
static void put_assumption(struct out *o, const struct starting *s)
{
	uint64_t n = s->endless + s->endless_later;

	if (n == 0 && s->run_s == 0)
		return;
	out_text(o, "  ");
	if (n > 0)
		put_endless(o, s);
	else
		out_text(o, "Tasks without a time limit");
	if (s->run_s == 0) {
		out_text(o, ", taken as for ever: see --assume-run-time.\n");
		return;
	}
	out_text(o, n == 1 ? "; it is taken to run for " : n > 1 ? "; they are taken to run for " : " are taken to run for ");
	put_hours(o, "%u:%02u:%02u h", s->run_s);
	out_text(o, s->is_default_duration ? " (default_duration).\n" : ".\n");
}

static void put_assumed(struct out *o, const struct outlook *l)
{
	out_text(o, "  Not known: ");
	put_endless(o, &l->starting);
	out_text(o, ".\n  With --assume-run-time ");
	put_hours(o, "%u:%u:%u", l->starting.run_s);
	put_found(o, l, ": ");
}

static void put_reasons(struct out *o, const struct starting *s)
{
	for (size_t i = 0; i < s->nreasons; i++) {
		out_text(o, "    ");
		text_plain(o, s->reasons[i]);
		out_text(o, "\n");
	}
}

static void put_unknown(struct out *o, const struct starting *s)
{
	out_text(o, "  No estimate");
	for (size_t i = 0; i < s->nreasons; i++) {
		out_text(o, ": ");
		text_plain(o, s->reasons[i]);
	}
	out_text(o, ".\n");
}

static void put_start(struct out *o, const struct outlook *l)
{
	switch (l->starting.answer) {
	case STARTING_UNKNOWN:
		if (l->starting.is_kept)
			out_text(o, "  That depends on who lets it go.\n");
		else
			put_unknown(o, &l->starting);
		return;
	case STARTING_RESERVED:
		put_found(o, l, "  Reserved: ");
		return;
	case STARTING_ESTIMATED:
		put_found(o, l, "  Estimate: ");
		out_text(o, "  If running tasks use all the time that they asked for, and nobody submits anything.\n");
		break;
	case STARTING_ASSUMED:
		put_assumed(o, l);
		return;
	case STARTING_NEVER:
		out_text(o, "  Never, as things are. It still waits when the running tasks have ended:\n");
		put_reasons(o, &l->starting);
		break;
	case STARTING_LATER:
		put_found(o, l, "  Not within 30 days: looked at up to ");
		break;
	case STARTING_GIVEN_UP:
		put_found(o, l, "  No estimate in the time that there was (--when takes more): it has not started by ");
		break;
	}
	put_assumption(o, &l->starting);
}

static void put_end(struct out *o, const struct outlook *l)
{
	out_text(o, "\nWhen it ends\n");
	if (l->starting.end == 0) {
		out_text(o, "  Not known: it has no time limit (h_rt), or is suspended.\n");
		return;
	}
	out_text(o, "  By ");
	put_time(o, l->starting.end);
	out_text(o, ", if it uses all the time that it asked for.\n");
}

static void put_after(struct out *o, const struct starting *s)
{
	char text[60];

	if (s->nafter == 0)
		return;
	out_text(o, "  It waits for the end of ");
	for (size_t i = 0; i < s->nafter && i < STARTING_FEW; i++) {
		snprintf(text, sizeof(text), "%s%u", i ? ", " : s->nafter > 1 ? "jobs " : "job ", s->after[i]);
		out_text(o, text);
	}
	snprintf(text, sizeof(text), " and %zu more", s->nafter - STARTING_FEW);
	out_text(o, s->nafter > STARTING_FEW ? text : "");
	out_text(o, ".\n");
}

void when_text(struct out *o, const struct outlook *l)
{
	if (l->job.is_started) {
		put_end(o, l);
		return;
	}
	out_text(o, "\nWhen it starts\n");
	put_after(o, &l->starting);
	put_start(o, l);
}

/* JSON */

void when_json(struct out *o, const struct outlook *l)
{
	const struct starting *s = &l->starting;

	if (l->job.is_started) {
		out_take(o, json_put_time(out_room(o, 100), ",\n \"end\":{\"time\":", s->end));
		json_write_literal(o, "}");
		return;
	}
	json_write_string(o, ",\n \"when\":{\"answer\":", starting_answer_name(s->answer));
	out_take(o, json_put_time(out_room(o, 100), ",\"time\":", s->at));
	json_write_string_or_null(o, ",\"queue\":", s->queue ? s->queue : "");
	json_write_number(o, ",\"slots\":", s->slots);
	json_write_number(o, ",\"runs\":", (int64_t)s->runs);
	json_write_number(o, ",\"endless\":", (int64_t)s->endless);
	json_write_number(o, ",\"endless_later\":", (int64_t)s->endless_later);
	json_write_number(o, ",\"assumed_run_time\":", s->run_s);
	json_write_literal(o, ",\"reasons\":[");
	for (size_t i = 0; i < s->nreasons; i++)
		json_write_string(o, i ? "," : "", s->reasons[i]);
	json_write_literal(o, "],\"after\":[");
	for (size_t i = 0; i < s->nafter && i < STARTING_FEW; i++)
		json_write_number(o, i ? "," : "", s->after[i]);
	json_write_literal(o, "]}");
}
