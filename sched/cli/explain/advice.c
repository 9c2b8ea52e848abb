/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that would bring a job forward: a line for each kind of change, a column for each goal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain/place.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define COLUMNS (1 + ADVICE_GOALS)

/* Values */

static void put_value(table_cell to, enum advice_kind kind, int64_t value)
{
	static const char *const names[ADVICE_KINDS] = {
		[ADVICE_PRIORITY] = "-p ",
		[ADVICE_NICE] = "nice ",
		[ADVICE_JOB_PRIO] = "job_prio ",
		[ADVICE_FACTOR] = "factor ",
	};

	if (names[kind])
		snprintf(to, CELL_BYTES, "%s%" PRId64, names[kind], value);
	else if (value < 86400)
		snprintf(to, CELL_BYTES, "%d:%02d h", (int)(value / 3600), (int)(value / 60 % 60));
	else if (value % 86400 == 0)
		snprintf(to, CELL_BYTES, "%d d", (int)(value / 86400));
	else
		snprintf(to, CELL_BYTES, "%d d %d:%02d h", (int)(value / 86400), (int)(value / 3600 % 24),
			 (int)(value / 60 % 60));
}

static void put_label(table_cell to, const struct advice *advice, const char *owner)
{
	table_cell now;

	switch (advice->kind) {
	case ADVICE_WAITING:
		cell_text(to, "waiting");
		break;
	case ADVICE_USAGE:
		snprintf(to, CELL_BYTES, "usage of %.40s decays for", owner);
		break;
	default:
		put_value(now, advice->kind, advice->from);
		snprintf(to, CELL_BYTES, "%s instead of %.*s",
			 advice->kind == ADVICE_PRIORITY ? "-p" : advice_kind_name(advice->kind), 20,
			 strchr(now, ' ') + 1);
	}
}

/* Print a sentence about a goal that cannot be reached. */

static void put_never(struct out *out, const struct advice *advice, const char *owner)
{
	const char *name = advice->kind == ADVICE_PRIORITY ? "-p" : advice_kind_name(advice->kind);
	char text[300];
	table_cell most;

	out_text(out, "  ");
	out_text(out, name);
	if (advice->kind == ADVICE_USAGE) {
		out_text(out, " of ");
		text_plain(out, owner);
	}
	if (advice->never) {
		snprintf(text, sizeof(text), ": no: %s.\n", advice->never);
	} else {
		put_value(most, advice->kind, advice->most);
		if (advice->kind == ADVICE_WAITING)
			snprintf(text, sizeof(text), ": no time up to %s does it: all others wait as well.\n", most);
		else
			snprintf(text, sizeof(text), ": nothing up to %s does it: its place would be %" PRIu64 ".\n",
				 most, advice->most_place);
	}
	out_text(out, text);
}

static bool any_found(const struct advice *advice)
{
	for (int goal = 0; goal < ADVICE_GOALS; goal++)
		if (advice->answers[goal].found)
			return true;
	return false;
}

/* Table */

static void row_cells(const struct outlook *outlook, const struct advice *advice, table_cell *row)
{
	put_label(row[0], advice, outlook->job.owner);
	for (int goal = 0; goal < ADVICE_GOALS; goal++) {
		const struct advice_answer *answer = &advice->answers[goal];

		row[goal + 1][0] = '\0';
		if (answer->found)
			put_value(row[goal + 1], advice->kind, answer->value);
		else if (answer->asked)
			cell_text(row[goal + 1], "no");
		if (answer->found && answer->place == 0)
			strcat(row[goal + 1], " *");
	}
}

static bool put_table(struct out *out, const struct outlook *outlook)
{
	table_cell heads[COLUMNS] = { "", "past the next", "into the first 10", "to the first place" }, row[COLUMNS];
	struct cells cells = { .columns = COLUMNS };
	bool starts = false;

	for (size_t i = 0; i < outlook->advices.n; i++) {
		row_cells(outlook, &outlook->advices.items[i], row);
		if (any_found(&outlook->advices.items[i]))
			cells_measure(&cells, row);
	}
	if (cells.widths[0])
		cells_heads(&cells, out, heads);
	for (size_t i = 0; i < outlook->advices.n; i++) {
		row_cells(outlook, &outlook->advices.items[i], row);
		if (any_found(&outlook->advices.items[i]))
			cells_print(&cells, out, row);
		for (int goal = 0; goal < ADVICE_GOALS; goal++)
			starts |= outlook->advices.items[i].answers[goal].found &&
				  outlook->advices.items[i].answers[goal].place == 0;
	}
	return starts;
}

/* Print which users may make the change, and which object it changes. */
static void put_kind(struct out *out, const struct advice *advice)
{
	char text[256];

	if (!any_found(advice))
		return;
	if (advice->kind == ADVICE_PRIORITY)
		out_text(out, "  -p upwards is for operators: users may only lower it.\n");
	else if (advice->kind == ADVICE_NICE)
		out_text(out, "  nice downwards is for operators: users may only raise it.\n");
	else if (advice->kind == ADVICE_FACTOR)
		out_text(out, "  The factor is for operators: fairlead userprio -setfactor.\n");
	if (advice->kind != ADVICE_JOB_PRIO || advice->place == 0)
		return;
	snprintf(text, sizeof(text),
		 "  job_prio counts among the jobs of its submitter alone, where it is number %" PRIu64
		 ": positions are those of that run.\n",
		 advice->place);
	out_text(out, text);
}

static void put_who(struct out *out, const struct outlook *outlook)
{
	bool own_order = false;
	char text[256];

	for (size_t i = 0; i < outlook->advices.n; i++) {
		put_kind(out, &outlook->advices.items[i]);
		own_order |= outlook->advices.items[i].kind == ADVICE_JOB_PRIO;
	}
	if (outlook->advices.own == 0 || own_order)
		return;
	snprintf(text, sizeof(text),
		 "  Of those ahead %" PRIu64 " job%s the same user's, who may lower %s: fairlead alter -p.\n",
		 outlook->advices.own, outlook->advices.own == 1 ? " is" : "s are",
		 outlook->advices.own == 1 ? "it" : "them");
	out_text(out, text);
}

/*
 * Return whether the run has started jobs. Advice repeats the published run, in which these jobs
 * are pending.
 */
static bool has_started(const struct fl_view *view)
{
	struct fl_health health;

	return fl_health(view, &health) == 0 && health.starts > 0;
}

void advices_text(struct out *out, const struct outlook *outlook)
{
	char text[128];

	if (outlook->advices.n == 0 || outlook->standing.rank < 2)
		return;
	snprintf(text, sizeof(text), "\nWhat would bring it forward, each tried (%u runs)\n", outlook->advices.runs);
	out_text(out, text);
	if (put_table(out, outlook))
		out_text(out, has_started(outlook->view)
				      ? "  *: the run would have started it; others were, and have the slots by now.\n"
				      : "  *: it would start at once.\n");
	for (size_t i = 0; i < outlook->advices.n; i++)
		if (!any_found(&outlook->advices.items[i]) && outlook->advices.items[i].place > 1)
			put_never(out, &outlook->advices.items[i], outlook->job.owner);
	put_who(out, outlook);
}

/* JSON */

static void put_answer(struct out *out, const struct advice *advice, enum advice_goal goal, bool is_first)
{
	const struct advice_answer *answer = &advice->answers[goal];

	json_write_string(out, is_first ? "{\"goal\":" : ",{\"goal\":", advice_goal_name(goal));
	json_write_number(out, ",\"place\":", (int64_t)advice_goal_place(advice, goal));
	if (answer->found) {
		json_write_number(out, ",\"value\":", answer->value);
		json_write_bool(out, ",\"starts\":", answer->place == 0);
		json_write_number(out, ",\"reached\":", (int64_t)answer->place);
	} else {
		json_write_literal(out, ",\"value\":null");
	}
	json_write_literal(out, "}");
}

static void put_advice(struct out *out, const struct advice *advice, bool is_first)
{
	bool none = true;

	json_write_string(out, is_first ? "\n   {\"change\":" : ",\n   {\"change\":", advice_kind_name(advice->kind));
	json_write_number(out, ",\"place\":", (int64_t)advice->place);
	json_write_number(out, ",\"from\":", advice->from);
	json_write_number(out, ",\"most\":", advice->most);
	if (advice->never)
		json_write_string(out, ",\"never\":", advice->never);
	json_write_literal(out, ",\"answers\":[");
	for (int goal = 0; goal < ADVICE_GOALS; goal++)
		if (advice->answers[goal].asked && !advice->never) {
			put_answer(out, advice, (enum advice_goal)goal, none);
			none = false;
		}
	json_write_literal(out, "]}");
}

void advices_json(struct out *out, const struct advices *advices)
{
	json_write_number(out, ",\n \"advice\":{\"runs\":", advices->runs);
	json_write_number(out, ",\"own_ahead\":", (int64_t)advices->own);
	json_write_literal(out, ",\n  \"changes\":[");
	for (size_t i = 0; i < advices->n; i++)
		put_advice(out, &advices->items[i], i == 0);
	json_write_literal(out, "]}");
}
