/* SPDX-License-Identifier: Apache-2.0 */
/* What would bring a job forward: a line for each kind of change, a column for each goal. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain_place.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define COLUMNS (1 + ADVICE_GOALS)

/* Of values */

static void put_value(table_cell to, enum advice_kind kind, int64_t value)
{
	static const char *const names[ADVICE_KINDS] = {
		[ADVICE_PRIORITY] = "-p ", [ADVICE_NICE] = "nice ", [ADVICE_JOB_PRIO] = "job_prio ", [ADVICE_FACTOR] = "factor ",
	};

	if (names[kind])
		snprintf(to, CELL_BYTES, "%s%" PRId64, names[kind], value);
	else if (value < 86400)
		snprintf(to, CELL_BYTES, "%d:%02d h", (int)(value / 3600), (int)(value / 60 % 60));
	else if (value % 86400 == 0)
		snprintf(to, CELL_BYTES, "%d d", (int)(value / 86400));
	else
		snprintf(to, CELL_BYTES, "%d d %d:%02d h", (int)(value / 86400), (int)(value / 3600 % 24), (int)(value / 60 % 60));
}

static void put_label(table_cell to, const struct advice *a, const char *owner)
{
	table_cell now;

	switch (a->kind) {
	case ADVICE_WAITING:
		cell_text(to, "waiting");
		break;
	case ADVICE_USAGE:
		snprintf(to, CELL_BYTES, "usage of %.40s decays for", owner);
		break;
	default:
		put_value(now, a->kind, a->from);
		snprintf(to, CELL_BYTES, "%s instead of %.*s", a->kind == ADVICE_PRIORITY ? "-p" : advice_kind_name(a->kind), 20, strchr(now, ' ') + 1);
	}
}

/* Sentences about what can't be had. */

static void put_never(struct out *o, const struct advice *a, const char *owner)
{
	const char *name = a->kind == ADVICE_PRIORITY ? "-p" : advice_kind_name(a->kind);
	char text[300];
	table_cell most;

	out_text(o, "  ");
	out_text(o, name);
	if (a->kind == ADVICE_USAGE) {
		out_text(o, " of ");
		text_plain(o, owner);
	}
	if (a->never) {
		snprintf(text, sizeof(text), ": no: %s.\n", a->never);
	} else {
		put_value(most, a->kind, a->most);
		if (a->kind == ADVICE_WAITING)
			snprintf(text, sizeof(text), ": no time up to %s does it: all others wait as well.\n", most);
		else
			snprintf(text, sizeof(text), ": nothing up to %s does it: its place would be %" PRIu64 ".\n", most, a->most_place);
	}
	out_text(o, text);
}

static bool any_found(const struct advice *a)
{
	for (int goal = 0; goal < ADVICE_GOALS; goal++)
		if (a->answers[goal].found)
			return true;
	return false;
}

/* The table */

static void row_cells(const struct outlook *l, const struct advice *a, table_cell *row)
{
	put_label(row[0], a, l->job.owner);
	for (int goal = 0; goal < ADVICE_GOALS; goal++) {
		const struct advice_answer *answer = &a->answers[goal];

		row[goal + 1][0] = '\0';
		if (answer->found)
			put_value(row[goal + 1], a->kind, answer->value);
		else if (answer->asked)
			cell_text(row[goal + 1], "no");
		if (answer->found && answer->place == 0)
			strcat(row[goal + 1], " *");
	}
}

static bool put_table(struct out *o, const struct outlook *l)
{
	table_cell heads[COLUMNS] = { "", "past the next", "into the first 10", "to the first place" }, row[COLUMNS];
	struct cells c = { .columns = COLUMNS };
	bool starts = false;

	for (size_t i = 0; i < l->advices.n; i++) {
		row_cells(l, &l->advices.items[i], row);
		if (any_found(&l->advices.items[i]))
			cells_measure(&c, row);
	}
	if (c.widths[0])
		cells_heads(&c, o, heads);
	for (size_t i = 0; i < l->advices.n; i++) {
		row_cells(l, &l->advices.items[i], row);
		if (any_found(&l->advices.items[i]))
			cells_print(&c, o, row);
		for (int goal = 0; goal < ADVICE_GOALS; goal++)
			starts |= l->advices.items[i].answers[goal].found && l->advices.items[i].answers[goal].place == 0;
	}
	return starts;
}

/* Who may do it, and what it is about. */
static void put_kind(struct out *o, const struct advice *a)
{
	char text[256];

	if (!any_found(a))
		return;
	if (a->kind == ADVICE_PRIORITY)
		out_text(o, "  -p upwards is for operators: users may only lower it.\n");
	else if (a->kind == ADVICE_NICE)
		out_text(o, "  nice downwards is for operators: users may only raise it.\n");
	else if (a->kind == ADVICE_FACTOR)
		out_text(o, "  The factor is for operators: fairlead userprio -setfactor.\n");
	if (a->kind != ADVICE_JOB_PRIO || a->place == 0)
		return;
	snprintf(text, sizeof(text), "  job_prio counts among the jobs of its submitter alone, where it is number %" PRIu64 ": places are those there.\n", a->place);
	out_text(o, text);
}

static void put_who(struct out *o, const struct outlook *l)
{
	bool own_order = false;
	char text[256];

	for (size_t i = 0; i < l->advices.n; i++) {
		put_kind(o, &l->advices.items[i]);
		own_order |= l->advices.items[i].kind == ADVICE_JOB_PRIO;
	}
	if (l->advices.own == 0 || own_order)
		return;
	snprintf(text, sizeof(text), "  Of those ahead %" PRIu64 " job%s the same user's, who may lower %s: fairlead alter -p.\n", l->advices.own,
		 l->advices.own == 1 ? " is" : "s are", l->advices.own == 1 ? "it" : "them");
	out_text(o, text);
}

/* What is tried is the published run once more, so what that has started waits there. */
static bool has_started(const struct fl_view *view)
{
	struct fl_health health;

	return fl_health(view, &health) == 0 && health.starts > 0;
}

void advices_text(struct out *o, const struct outlook *l)
{
	char text[128];

	if (l->advices.n == 0 || l->standing.rank < 2)
		return;
	snprintf(text, sizeof(text), "\nWhat would bring it forward, each tried (%u runs)\n", l->advices.runs);
	out_text(o, text);
	if (put_table(o, l))
		out_text(o, has_started(l->view) ? "  *: the run would have started it; others were, and have the slots by now.\n" : "  *: it would start at once.\n");
	for (size_t i = 0; i < l->advices.n; i++)
		if (!any_found(&l->advices.items[i]) && l->advices.items[i].place > 1)
			put_never(o, &l->advices.items[i], l->job.owner);
	put_who(o, l);
}

/* JSON */

static void put_answer(struct out *o, const struct advice *a, enum advice_goal goal, bool is_first)
{
	const struct advice_answer *answer = &a->answers[goal];

	json_write_string(o, is_first ? "{\"goal\":" : ",{\"goal\":", advice_goal_name(goal));
	json_write_number(o, ",\"place\":", (int64_t)advice_goal_place(a, goal));
	if (answer->found) {
		json_write_number(o, ",\"value\":", answer->value);
		json_write_bool(o, ",\"starts\":", answer->place == 0);
		json_write_number(o, ",\"reached\":", (int64_t)answer->place);
	} else {
		json_write_literal(o, ",\"value\":null");
	}
	json_write_literal(o, "}");
}

static void put_advice(struct out *o, const struct advice *a, bool is_first)
{
	bool none = true;

	json_write_string(o, is_first ? "\n   {\"change\":" : ",\n   {\"change\":", advice_kind_name(a->kind));
	json_write_number(o, ",\"place\":", (int64_t)a->place);
	json_write_number(o, ",\"from\":", a->from);
	json_write_number(o, ",\"most\":", a->most);
	if (a->never)
		json_write_string(o, ",\"never\":", a->never);
	json_write_literal(o, ",\"answers\":[");
	for (int goal = 0; goal < ADVICE_GOALS; goal++)
		if (a->answers[goal].asked && !a->never) {
			put_answer(o, a, (enum advice_goal)goal, none);
			none = false;
		}
	json_write_literal(o, "]}");
}

void advices_json(struct out *o, const struct advices *a)
{
	json_write_number(o, ",\n \"advice\":{\"runs\":", a->runs);
	json_write_number(o, ",\"own_ahead\":", (int64_t)a->own);
	json_write_literal(o, ",\n  \"changes\":[");
	for (size_t i = 0; i < a->n; i++)
		put_advice(o, &a->items[i], i == 0);
	json_write_literal(o, "]}");
}
