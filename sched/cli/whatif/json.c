/* SPDX-License-Identifier: Apache-2.0 */
/* JSON output: the data of whatif/print.c with all digits. */
#include "sched/cli/whatif/whatif.h"
#include "sched/process/json.h"
#include "sched/process/json_members.h"

static void write_job(struct out *out, const struct fl_view *before, const struct move *move)
{
	struct fl_job job = { .owner = "", .project = "" };

	(void)fl_get(before, FL_PENDING, move->before - 1, &job);
	json_write_number(out, "{\"job_number\":", move->job_number);
	json_write_string_or_null(out, ",\"owner\":", job.owner);
	json_write_string_or_null(out, ",\"project\":", job.project);
	json_write_number(out, ",\"before\":", move->before);
	json_write_number(out, ",\"after\":", move->after);
	json_write_number(out, ",\"places\":", move->places);
	json_write_literal(out, "}");
}

static const struct json_member sum_members[] = {
	JSON_NAME(struct moved_sum, name, "name"),
	JSON_MEMBER(struct moved_sum, jobs, "jobs"),
	JSON_MEMBER(struct moved_sum, up, "up"),
	JSON_MEMBER(struct moved_sum, down, "down"),
	JSON_MEMBER(struct moved_sum, places, "places"),
	JSON_MEMBER(struct moved_sum, starts, "starts"),
	JSON_MEMBER(struct moved_sum, waits, "waits"),
};

static void write_sums(struct out *out, const char *key, const struct moved_sum *sums, size_t n)
{
	json_write_literal(out, key);
	for (size_t i = 0; i < n; i++) {
		JSON_WRITE_MEMBERS(out, i ? ",\n{" : "\n{", sum_members, &sums[i]);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static const struct json_member start_members[] = {
	JSON_MEMBER(struct moved_start, job_number, "job_number"),
	JSON_MEMBER(struct moved_start, task, "task"),
	JSON_MEMBER(struct moved_start, slots, "slots"),
	JSON_NAME(struct moved_start, before, "queue_before"),
	JSON_NAME(struct moved_start, after, "queue_after"),
};

static void write_starts(struct out *out, const struct moves *moves)
{
	static const char *const how[] = {
		[MOVED_STARTS] = "starts", [MOVED_WAITS] = "waits", [MOVED_ELSEWHERE] = "elsewhere"
	};

	json_write_literal(out, ",\n\"starts\":[");
	for (size_t i = 0; i < moves->nstarts; i++) {
		const struct moved_start *start = &moves->starts[i];

		json_write_string(out, i ? ",\n{\"how\":" : "\n{\"how\":", how[start->how]);
		JSON_WRITE_MEMBERS(out, ",", start_members, start);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void write_values(struct out *out, const char *key, bool there, enum target_kind kind, const double values[2])
{
	static const char *const keys[][2] = { [TARGETS_NODES] = { "{\"long_target_share\":",
								   ",\"short_target_share\":" },
					       [TARGETS_ASSOCIATIONS] = { "{\"norm_shares\":", ",\"fairshare\":" },
					       [TARGETS_SUBMITTERS] = { "{\"share\":", ",\"slice\":" } };

	json_write_literal(out, key);
	if (!there) {
		json_write_literal(out, "null");
		return;
	}
	json_write_exact(out, keys[kind][0], values[0]);
	json_write_exact(out, keys[kind][1], values[1]);
	json_write_literal(out, "}");
}

static void write_targets(struct out *out, const struct targets *targets)
{
	json_write_literal(out, ",\n\"targets\":[");
	for (size_t i = 0; i < targets->n; i++) {
		const struct target_change *change = &targets->items[i];

		json_write_string(out, i ? ",\n{\"name\":" : "\n{\"name\":", *change->name ? change->name : "/");
		write_values(out, ",\"before\":", change->in_before, targets->before_kind, change->before);
		write_values(out, ",\"after\":", change->in_after, targets->after_kind, change->after);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void write_notes(struct out *out, const char *notes)
{
	json_write_literal(out, ",\"notes\":[");
	for (const char *note = notes; *note; note += strcspn(note, "\n") + 1) {
		char text[1000];

		snprintf(text, sizeof(text), "%.*s", (int)strcspn(note, "\n"), note);
		json_write_string(out, note > notes ? "," : "", text);
	}
	json_write_literal(out, "]");
}

static const struct json_member column_members[] = {
	JSON_MEMBER(struct whatif_column, run.now, "now"),
	JSON_MEMBER(struct whatif_column, moves.jobs, "waiting_in_both"),
	JSON_MEMBER(struct whatif_column, moves.begun, "waiting_before_only"),
	JSON_MEMBER(struct whatif_column, moves.back, "waiting_after_only"),
	JSON_MEMBER(struct whatif_column, moves.up, "up"),
	JSON_MEMBER(struct whatif_column, moves.down, "down"),
	JSON_MEMBER(struct whatif_column, moves.starting, "tasks_start"),
	JSON_MEMBER(struct whatif_column, moves.waiting, "tasks_wait"),
	JSON_MEMBER(struct whatif_column, moves.elsewhere, "tasks_elsewhere"),
	JSON_MEMBER(struct whatif_column, targets.different, "targets_different"),
};

static void write_column(struct out *out, const struct whatif_column *column, const struct fl_view *before)
{
	const struct moves *moves = &column->moves;

	json_write_string(out, "{\"changes\":", column->title);
	write_notes(out, column->notes);
	JSON_WRITE_MEMBERS(out, ",", column_members, column);
	json_write_literal(out, ",\n\"jobs\":[");
	for (size_t i = 0; i < moves->nmost; i++) {
		json_write_literal(out, i ? ",\n" : "\n");
		write_job(out, before, &moves->most[i]);
	}
	json_write_literal(out, "]");
	write_sums(out, ",\n\"users\":[", moves->users, moves->nusers);
	write_sums(out, ",\n\"projects\":[", moves->projects, moves->nprojects);
	write_starts(out, moves);
	write_targets(out, &column->targets);
	json_write_literal(out, "}");
}

void whatif_json(struct out *out, const struct whatif_query *query, const struct fl_view *before)
{
	json_write_literal(out, "{");
	cli_json_run(out, before);
	json_write_bool(out, ",\"different\":", query->different);
	json_write_literal(out, ",\n\"columns\":[");
	for (size_t k = 0; k < query->ncolumns; k++) {
		json_write_literal(out, k ? ",\n" : "\n");
		write_column(out, &query->columns[k], before);
	}
	json_write_literal(out, "]}\n");
}
