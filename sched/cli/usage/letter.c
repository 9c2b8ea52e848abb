/* SPDX-License-Identifier: Apache-2.0 */
/* The statement as text and as JSON. letter_page.c writes the page. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "sched/cli/text.h"
#include "sched/cli/usage/letter.h"
#include "sched/process/json.h"

#define HOUR_S 3600.0
#define DAY_S 86400
#define WEEK_S (7 * DAY_S)

/* Sentences, shared by text and page */

/* Write a time: with the name of the day in the next week, otherwise as a date. */
static void time_text(char *text, size_t size, int64_t now, int64_t time)
{
	time_t seconds = (time_t)time;
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	if (!strftime(text, size, time - now < WEEK_S ? "on %A %H:%M" : "on %Y-%m-%d %H:%M", &tm))
		snprintf(text, size, "-");
}

static void duration_text(char *text, size_t size, int64_t seconds)
{
	if (seconds >= 2 * DAY_S)
		snprintf(text, size, "%" PRId64 " days", (seconds + DAY_S - 1) / DAY_S);
	else if (seconds >= 2 * 3600)
		snprintf(text, size, "%" PRId64 " hours", (seconds + 3599) / 3600);
	else
		snprintf(text, size, "%" PRId64 " minutes", (seconds + 59) / 60);
}

void letter_used(char *text, size_t size, const struct user_statement *statement)
{
	const struct usage_sum *used = &statement->used;
	char wait[40] = "-";

	if (used->waits)
		*text_duration(wait, used->waiting_s / (double)used->waits) = '\0';
	snprintf(text, size, "%" PRIu64 " job%s, %.2f slot hours, %.2f CPU hours, %.2f GB hours; mean wait %s",
		 used->jobs, plural(used->jobs), used->slot_s / HOUR_S, used->cpu_s / HOUR_S, used->mem_gbs / HOUR_S,
		 wait);
}

void letter_jobs(char *text, size_t size, const struct statement_jobs *jobs)
{
	char endless[100] = "";

	if (jobs->endless)
		snprintf(endless, sizeof(endless), "%s%" PRIu64 " task%s ha%s no time limit",
			 jobs->committed_slot_s > 0 ? "; " : "", jobs->endless, plural(jobs->endless),
			 jobs->endless == 1 ? "s" : "ve");
	if (jobs->tasks == 0)
		snprintf(text, size, "none");
	else if (jobs->endless < jobs->tasks)
		snprintf(text, size, "%" PRIu64 " task%s, %" PRIu64 " slot%s: up to %.2f slot hours%s", jobs->tasks,
			 plural(jobs->tasks), jobs->slots, plural(jobs->slots), jobs->committed_slot_s / HOUR_S,
			 endless);
	else
		snprintf(text, size, "%" PRIu64 " task%s, %" PRIu64 " slot%s: %s", jobs->tasks, plural(jobs->tasks),
			 jobs->slots, plural(jobs->slots), endless);
}

void letter_share(char *text, size_t size, const struct user_statement *statement)
{
	switch (statement->share) {
	case SHARE_NONE:
		snprintf(text, size, "no share of this user is known");
		break;
	case SHARE_PRIORITY:
		snprintf(text, size,
			 "real user priority %.2f, effective %.2f (lower is better), weight of slots in use %.2f",
			 statement->rup, statement->eup, statement->weight_used);
		break;
	default:
		snprintf(text, size, "promised %.1f %%, received %.1f %%", 100 * statement->recovery.promised,
			 100 * statement->received);
	}
}

void letter_rank(char *text, size_t size, const struct user_statement *statement)
{
	char without[60] = "would start";

	if (statement->job_number == 0) {
		snprintf(text, size, "no pending job is eligible");
	} else if (!statement->has_ranks) {
		snprintf(text, size, "not known: %s", statement->why_no_ranks);
	} else if (statement->rank == 0) {
		snprintf(text, size, "job %u starts in this run", statement->job_number);
	} else {
		if (statement->rank_without > 0)
			snprintf(without, sizeof(without), "would be at position %" PRIu64, statement->rank_without);
		snprintf(text, size, "job %u is at position %" PRIu64 " of %" PRIu64 "; without the past usage it %s",
			 statement->job_number, statement->rank, statement->jobs, without);
	}
}

static void recovery_text(char *text, size_t size, const struct user_statement *statement, int64_t seconds)
{
	char after[60], at[60];

	if (seconds < 0) {
		snprintf(text, size, "not within ten years");
		return;
	}
	duration_text(after, sizeof(after), seconds);
	time_text(at, sizeof(at), statement->now, statement->now + seconds);
	snprintf(text, size, "%s, in %s", at, after);
}

void letter_recovery(char *text, size_t size, const struct user_statement *statement)
{
	char idle[150], present[150];

	if (!statement->has_recovery) {
		snprintf(text, size, "not known%s%s", statement->no_recovery ? ": " : "",
			 statement->no_recovery ? statement->no_recovery : "");
		return;
	}
	if (statement->idle_s == 0 && statement->present_s == 0) {
		snprintf(text, size, "the share is not used up");
		return;
	}
	recovery_text(idle, sizeof(idle), statement, statement->idle_s);
	recovery_text(present, sizeof(present), statement, statement->present_s);
	snprintf(text, size, "%s if nothing more runs; at the present rate %s", idle, present);
}

void letter_since(char *text, size_t size, const struct user_statement *statement)
{
	const struct usage_query *query = statement->query;
	time_t since = (time_t)query->since, until = (time_t)query->until;
	struct tm tm = { 0 };
	size_t n = 0;

	*text = '\0';
	if (query->since >= 0)
		n = strftime(text, size, " since %Y-%m-%d %H:%M", localtime_r(&since, &tm));
	if (query->until >= 0)
		strftime(text + n, size - n, " until %Y-%m-%d %H:%M", localtime_r(&until, &tm));
}

/* Text */

static void put_line(struct out *out, const char *name, const char *text)
{
	out_put(out, "%-14s%s\n", name, text);
}

void statement_text(struct out *out, const struct user_statement *statement)
{
	char text[LETTER_BYTES];

	letter_since(text, sizeof(text), statement);
	out_text(out, "Usage of ");
	text_plain(out, statement->query->user);
	out_put(out, "%s\n\n", text);
	letter_used(text, sizeof(text), statement);
	put_line(out, "used", text);
	letter_jobs(text, sizeof(text), &statement->running);
	put_line(out, "running", text);
	letter_jobs(text, sizeof(text), &statement->pending);
	put_line(out, "pending", text);
	letter_share(text, sizeof(text), statement);
	put_line(out, "share", text);
	letter_rank(text, sizeof(text), statement);
	put_line(out, "rank", text);
	letter_recovery(text, sizeof(text), statement);
	put_line(out, "recovers", text);
}

/* JSON */

static void jobs_json(struct out *out, const char *key, const struct statement_jobs *jobs)
{
	json_write_literal(out, key);
	json_write_number(out, "{\"tasks\":", (int64_t)jobs->tasks);
	json_write_number(out, ",\"slots\":", (int64_t)jobs->slots);
	json_write_exact(out, ",\"committed_slot_seconds\":", jobs->committed_slot_s);
	json_write_number(out, ",\"tasks_without_limit\":", (int64_t)jobs->endless);
	json_write_literal(out, "}");
}

static void share_json(struct out *out, const struct user_statement *statement)
{
	if (statement->share == SHARE_NONE) {
		json_write_literal(out, ",\"share\":null");
	} else if (statement->share == SHARE_PRIORITY) {
		json_write_exact(out, ",\"share\":{\"real_priority\":", statement->rup);
		json_write_exact(out, ",\"effective_priority\":", statement->eup);
		json_write_exact(out, ",\"weight_used\":", statement->weight_used);
		json_write_literal(out, "}");
	} else {
		json_write_exact(out, ",\"share\":{\"promised\":", statement->recovery.promised);
		json_write_exact(out, ",\"received\":", statement->received);
		json_write_literal(out, "}");
	}
}

/* Write a time of recovery; null: it is not within ten years. */
static void recovery_json(struct out *out, const char *key, int64_t seconds)
{
	json_write_literal(out, key);
	if (seconds < 0)
		json_write_literal(out, "null");
	else
		json_write_number(out, "", seconds);
}

static void rank_json(struct out *out, const struct user_statement *statement)
{
	if (!statement->has_ranks) {
		json_write_literal(out, ",\"rank\":null");
		return;
	}
	json_write_number(out, ",\"rank\":{\"job_number\":", statement->job_number);
	json_write_number(out, ",\"position\":", (int64_t)statement->rank);
	json_write_number(out, ",\"without_usage\":", (int64_t)statement->rank_without);
	json_write_number(out, ",\"jobs\":", (int64_t)statement->jobs);
	json_write_literal(out, "}");
}

void statement_json(struct out *out, const struct user_statement *statement)
{
	json_write_string(out, "{\"user\":", statement->query->user);
	json_write_number(out, ",\"now\":", statement->now);
	out_take(out, json_put_time(out_room(out, 80),
				    ",\"since\":", statement->query->since < 0 ? 0 : statement->query->since));
	out_take(out, json_put_time(out_room(out, 80),
				    ",\"until\":", statement->query->until < 0 ? 0 : statement->query->until));
	json_write_literal(out, ",\n\"used\":{");
	usage_sum_json(out, &statement->used);
	json_write_literal(out, "}");
	jobs_json(out, ",\n\"running\":", &statement->running);
	jobs_json(out, ",\n\"pending\":", &statement->pending);
	share_json(out, statement);
	rank_json(out, statement);
	if (statement->has_recovery) {
		recovery_json(out, ",\"recovery\":{\"idle_seconds\":", statement->idle_s);
		recovery_json(out, ",\"present_rate_seconds\":", statement->present_s);
		json_write_literal(out, "}}\n");
	} else {
		json_write_literal(out, ",\"recovery\":null}\n");
	}
}
