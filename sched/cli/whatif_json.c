/* SPDX-License-Identifier: Apache-2.0 */
/* For programs: what whatif_print.c shows, with all digits. */
#include "sched/cli/whatif.h"
#include "sched/process/json.h"

static void write_job(struct out *o, const struct fl_view *before, const struct move *m)
{
	struct fl_job job = { .owner = "", .project = "" };

	(void)fl_get(before, FL_PENDING, m->before - 1, &job);
	json_write_number(o, "{\"job_number\":", m->job_number);
	json_write_string_or_null(o, ",\"owner\":", job.owner);
	json_write_string_or_null(o, ",\"project\":", job.project);
	json_write_number(o, ",\"before\":", m->before);
	json_write_number(o, ",\"after\":", m->after);
	json_write_number(o, ",\"places\":", m->places);
	json_write_literal(o, "}");
}

static void write_sums(struct out *o, const char *key, const struct moved_sum *sums, size_t n)
{
	json_write_literal(o, key);
	for (size_t i = 0; i < n; i++) {
		json_write_string_or_null(o, i ? ",\n{\"name\":" : "\n{\"name\":", sums[i].name);
		json_write_number(o, ",\"jobs\":", (int64_t)sums[i].jobs);
		json_write_number(o, ",\"up\":", (int64_t)sums[i].up);
		json_write_number(o, ",\"down\":", (int64_t)sums[i].down);
		json_write_number(o, ",\"places\":", sums[i].places);
		json_write_number(o, ",\"starts\":", (int64_t)sums[i].starts);
		json_write_number(o, ",\"waits\":", (int64_t)sums[i].waits);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void write_starts(struct out *o, const struct moves *m)
{
	static const char *const how[] = { [MOVED_STARTS] = "starts", [MOVED_WAITS] = "waits", [MOVED_ELSEWHERE] = "elsewhere" };

	json_write_literal(o, ",\n\"starts\":[");
	for (size_t i = 0; i < m->nstarts; i++) {
		const struct moved_start *s = &m->starts[i];

		json_write_string(o, i ? ",\n{\"how\":" : "\n{\"how\":", how[s->how]);
		json_write_number(o, ",\"job_number\":", s->job_number);
		json_write_number(o, ",\"task\":", s->task);
		json_write_number(o, ",\"slots\":", s->slots);
		json_write_string_or_null(o, ",\"queue_before\":", s->before);
		json_write_string_or_null(o, ",\"queue_after\":", s->after);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void write_values(struct out *o, const char *key, bool there, enum target_kind kind, const double values[2])
{
	static const char *const keys[][2] = { [TARGETS_NODES] = { "{\"long_target_share\":", ",\"short_target_share\":" },
					       [TARGETS_ASSOCIATIONS] = { "{\"norm_shares\":", ",\"fairshare\":" },
					       [TARGETS_SUBMITTERS] = { "{\"share\":", ",\"slice\":" } };

	json_write_literal(o, key);
	if (!there) {
		json_write_literal(o, "null");
		return;
	}
	json_write_exact(o, keys[kind][0], values[0]);
	json_write_exact(o, keys[kind][1], values[1]);
	json_write_literal(o, "}");
}

static void write_targets(struct out *o, const struct targets *t)
{
	json_write_literal(o, ",\n\"targets\":[");
	for (size_t i = 0; i < t->n; i++) {
		const struct target_change *c = &t->items[i];

		json_write_string(o, i ? ",\n{\"name\":" : "\n{\"name\":", *c->name ? c->name : "/");
		write_values(o, ",\"before\":", c->in_before, t->before_kind, c->before);
		write_values(o, ",\"after\":", c->in_after, t->after_kind, c->after);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void write_notes(struct out *o, const char *notes)
{
	json_write_literal(o, ",\"notes\":[");
	for (const char *note = notes; *note; note += strcspn(note, "\n") + 1) {
		char text[1000];

		snprintf(text, sizeof(text), "%.*s", (int)strcspn(note, "\n"), note);
		json_write_string(o, note > notes ? "," : "", text);
	}
	json_write_literal(o, "]");
}

static void write_column(struct out *o, const struct whatif_column *c, const struct fl_view *before)
{
	const struct moves *m = &c->moves;

	json_write_string(o, "{\"changes\":", c->title);
	write_notes(o, c->notes);
	json_write_number(o, ",\"now\":", c->run.now);
	json_write_number(o, ",\"waiting_in_both\":", (int64_t)m->jobs);
	json_write_number(o, ",\"waiting_before_only\":", (int64_t)m->begun);
	json_write_number(o, ",\"waiting_after_only\":", (int64_t)m->back);
	json_write_number(o, ",\"up\":", (int64_t)m->up);
	json_write_number(o, ",\"down\":", (int64_t)m->down);
	json_write_number(o, ",\"tasks_start\":", (int64_t)m->starting);
	json_write_number(o, ",\"tasks_wait\":", (int64_t)m->waiting);
	json_write_number(o, ",\"tasks_elsewhere\":", (int64_t)m->elsewhere);
	json_write_number(o, ",\"targets_different\":", (int64_t)c->targets.different);
	json_write_literal(o, ",\n\"jobs\":[");
	for (size_t i = 0; i < m->nmost; i++) {
		json_write_literal(o, i ? ",\n" : "\n");
		write_job(o, before, &m->most[i]);
	}
	json_write_literal(o, "]");
	write_sums(o, ",\n\"users\":[", m->users, m->nusers);
	write_sums(o, ",\n\"projects\":[", m->projects, m->nprojects);
	write_starts(o, m);
	write_targets(o, &c->targets);
	json_write_literal(o, "}");
}

void whatif_json(struct out *o, const struct whatif_query *q, const struct fl_view *before)
{
	json_write_literal(o, "{");
	cli_json_run(o, before);
	json_write_bool(o, ",\"different\":", q->different);
	json_write_literal(o, ",\n\"columns\":[");
	for (size_t k = 0; k < q->ncolumns; k++) {
		json_write_literal(o, k ? ",\n" : "\n");
		write_column(o, &q->columns[k], before);
	}
	json_write_literal(o, "]}\n");
}
