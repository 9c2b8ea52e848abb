/* SPDX-License-Identifier: Apache-2.0 */
/* Results for people: policies side by side. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/replay/replay.h"
#include "sched/cli/text.h"

#define NAME_BYTES 34u			/* width of the first column */
#define COLUMN_BYTES 16u
#define USER_BYTES 20u

/* Lines of a table: a name, then a value for each column */

static void put_name(struct out *out, const char *name, size_t width)
{
	char *p = out_room(out, width + 8);

	p = text_column(p, name, width);
	*p++ = ' ';
	out_take(out, p);
}

static void put_cell(struct out *out, const char *text)
{
	char *p = out_room(out, COLUMN_BYTES + 1), *end = text_column(p, text, COLUMN_BYTES - 1);

	while (end > p && end[-1] == ' ')
		end--;
	end = text_pad_left(p, end, COLUMN_BYTES);
	out_take(out, end);
}

/* Write a title. A long name keeps its end, because names of cells differ there. */
static void put_title(struct out *out, const char *name)
{
	size_t bytes = strlen(name), most = COLUMN_BYTES - 1;
	char cut[COLUMN_BYTES];

	if (bytes <= most) {
		put_cell(out, name);
		return;
	}
	for (name += bytes - (most - 2); ((unsigned char)*name & 0xc0) == 0x80; name++)
		;
	snprintf(cut, sizeof(cut), "..%s", name);
	put_cell(out, cut);
}

static void put_head(struct out *out, const struct replay_result *result, const char *name)
{
	out_put(out, "\n");
	put_name(out, name, NAME_BYTES);
	for (size_t k = 0; k < result->n; k++)
		put_title(out, result->columns[k].name);
	out_put(out, "\n");
}

/*
 * Write the value of a column, or leave `text` empty if there is none. A row without any value is
 * left out.
 */
typedef void cell_write(char *text, const struct replay_column *column, size_t detail);

static void put_row(struct out *out, const struct replay_result *result, const char *name, cell_write *write,
		    size_t detail)
{
	char texts[REPLAY_COLUMNS + 1][REPLAY_WORD] = { "" };
	bool any = false;

	for (size_t k = 0; k < result->n; k++) {
		write(texts[k], &result->columns[k], detail);
		any |= *texts[k] != '\0';
	}
	if (!any)
		return;
	put_name(out, name, NAME_BYTES);
	for (size_t k = 0; k < result->n; k++)
		put_cell(out, texts[k]);
	out_put(out, "\n");
}

/* Totals */

static bool is_recorded(const struct replay_column *column)
{
	return !column->cell;
}

static void write_count(char *text, const struct replay_column *column, size_t field)
{
	word_count(text, (double)*(const size_t *)((const char *)&column->answers + field));
}

static void write_refused(char *text, const struct replay_column *column, size_t unused)
{
	(void)unused;
	if (!is_recorded(column))
		word_count(text, (double)column->counts.refused);
}

static void write_vacated(char *text, const struct replay_column *column, size_t unused)
{
	(void)unused;
	if (!is_recorded(column))
		word_count(text, (double)column->counts.vacated);
}

static void write_lost(char *text, const struct replay_column *column, size_t unused)
{
	(void)unused;
	if (!is_recorded(column))
		word_count(text, column->answers.lost_slot_s / 3600.0);
}

static void write_used(char *text, const struct replay_column *column, size_t field)
{
	word_percent(text, ((const struct utilisation *)((const char *)&column->answers + field))->used);
}

static void write_wait(char *text, const struct replay_column *column, size_t field)
{
	if (column->answers.wait.n > 0)
		word_seconds(text, *(const double *)((const char *)&column->answers.wait + field));
}

static void write_slowdown(char *text, const struct replay_column *column, size_t field)
{
	if (column->answers.slowdown.n > 0)
		word_factor(text, *(const double *)((const char *)&column->answers.slowdown + field));
}

static void write_backfilled(char *text, const struct replay_column *column, size_t unused)
{
	(void)unused;
	if (!is_recorded(column) && column->answers.started > 0)
		word_percent(text, (double)column->answers.backfilled / (double)column->answers.started);
}

static void write_overtaken(char *text, const struct replay_column *column, size_t unused)
{
	(void)unused;
	word_percent(text, (double)column->answers.overtaken / (double)column->answers.jobs);
}

/* Write a value. If it is measured by the promises of another column, a star follows. */
static void put_measured(char *text, const struct replay_column *column, double part)
{
	word_percent(text, part);
	if (replay_column_is_measured(column))
		strcat(text, "*");
}

static void write_shares(char *text, const struct replay_column *column, size_t field)
{
	const struct shares_answer *answer = (const void *)((const char *)&column->answers + field);

	if (answer->samples > 0)
		put_measured(text, column, answer->distance_lasting);
}

static void write_unmet(char *text, const struct replay_column *column, size_t field)
{
	const struct shares_answer *answer = (const void *)((const char *)&column->answers + field);

	if (answer->samples > 0)
		put_measured(text, column, answer->unmet);
}

static void write_runs(char *text, const struct replay_column *column, size_t unused)
{
	struct outcome_counts counts;

	(void)unused;
	if (is_recorded(column))
		return;
	outcome_counts(column->outcome, &counts);
	word_count(text, (double)counts.runs);
}

#define ANSWER(field) offsetof(struct answers, field)
#define OF(field) offsetof(struct distribution, field)

static bool any_vacated(const struct replay_result *result)
{
	for (size_t k = 0; k < result->n; k++)
		if (result->columns[k].counts.vacated > 0)
			return true;
	return false;
}

static void put_totals(struct out *out, const struct replay_result *result)
{
	put_head(out, result, "");
	put_row(out, result, "jobs", write_count, ANSWER(jobs));
	put_row(out, result, "  that started", write_count, ANSWER(started));
	put_row(out, result, "  still waiting at the end", write_count, ANSWER(waiting));
	put_row(out, result, "  with no place in the cell", write_refused, 0);
	put_row(out, result, "utilisation", write_used, ANSWER(whole));
	put_row(out, result, "  without the ends of the trace", write_used, ANSWER(inner));
	put_row(out, result, "waiting time, median", write_wait, OF(median));
	put_row(out, result, "  mean", write_wait, OF(mean));
	put_row(out, result, "  95 % wait less than", write_wait, OF(p95));
	put_row(out, result, "  longest", write_wait, OF(most));
	put_row(out, result, "bounded slowdown, median", write_slowdown, OF(median));
	put_row(out, result, "  mean", write_slowdown, OF(mean));
	put_row(out, result, "  95 % have less than", write_slowdown, OF(p95));
	put_row(out, result, "  largest", write_slowdown, OF(most));
	put_row(out, result, "jobs that starve", write_count, ANSWER(starving));
	put_row(out, result, "started by backfill", write_backfilled, 0);
	put_row(out, result, "overtaken by later submissions", write_overtaken, 0);
	if (any_vacated(result)) {
		put_row(out, result, "jobs vacated", write_vacated, 0);
		put_row(out, result, "  slot hours lost by that", write_lost, 0);
	}
	put_row(out, result, "kept from users who waited", write_unmet, ANSWER(users));
	put_row(out, result, "  from projects", write_unmet, ANSWER(projects));
	put_row(out, result, "away from promised shares, users", write_shares, ANSWER(users));
	put_row(out, result, "  projects", write_shares, ANSWER(projects));
	put_row(out, result, "scheduling runs", write_runs, 0);
	for (size_t k = 0; k < result->n; k++)
		if (replay_column_is_measured(&result->columns[k])) {
			out_put(out, "* by what is promised in the replay of ");
			text_plain(out, outcome_title(result->columns[k].answers.promiser));
			out_put(out, "\n");
			break;
		}
}

/* Values by class */

static void write_class_jobs(char *text, const struct replay_column *column, size_t detail)
{
	const struct group_answer *answer =
		answers_group(&column->answers, detail < SIZE_CLASSES ? BY_SIZE : BY_TIME,
			      (uint32_t)(detail < SIZE_CLASSES ? detail : detail - SIZE_CLASSES));
	char median[REPLAY_WORD], p95[REPLAY_WORD];

	if (answer && answer->started > 0)
		snprintf(text, REPLAY_WORD, "%.18s/%.18s", word_seconds(median, answer->wait.median),
			 word_seconds(p95, answer->wait.p95));
}

static bool any_of_class(const struct replay_result *result, enum grouping by, uint32_t class)
{
	for (size_t k = 0; k < result->n; k++)
		if (answers_group(&result->columns[k].answers, by, class))
			return true;
	return false;
}

static void put_classes(struct out *out, const struct replay_result *result)
{
	put_head(out, result, "Waiting time: median / 95 %");
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		if (any_of_class(result, BY_SIZE, k))
			put_row(out, result, size_class_name(k), write_class_jobs, k);
	out_put(out, "\n");
	for (unsigned k = 0; k < TIME_CLASSES; k++)
		if (any_of_class(result, BY_TIME, k))
			put_row(out, result, time_class_name(k), write_class_jobs, SIZE_CLASSES + k);
}

/* Users and other groups */

static void put_group(struct out *out, const struct group_answer *answer, bool promised)
{
	char text[REPLAY_WORD];

	put_name(out, *answer->name ? answer->name : "(none)", USER_BYTES);
	out_put(out, "%9s", word_count(text, (double)answer->jobs));
	out_put(out, "%13s", word_count(text, answer->slot_s / 3600.0));
	out_put(out, "%10s", promised ? word_percent(text, answer->promised) : "");
	out_put(out, "%10s", word_percent(text, answer->received));
	out_put(out, "%10s", answer->started > 0 ? word_seconds(text, answer->wait.median) : "");
	out_put(out, "%10s", answer->started > 0 ? word_seconds(text, answer->wait.p95) : "");
	out_put(out, "%10s\n", answer->started > 0 ? word_factor(text, answer->slowdown.median) : "");
}

static void put_groups(struct out *out, const struct replay_result *result, enum grouping by, const char *title)
{
	for (size_t k = 0; k < result->n; k++) {
		const struct answers *answers = &result->columns[k].answers;
		const struct grouping_answer *answer = &answers->by[by];
		bool promised = !replay_column_is_measured(&result->columns[k]) &&
				(by == BY_USER ? answers->users : answers->projects).samples > 0;

		if (answer->n == 0 || (answer->n == 1 && !*answer->items[0].name) || result->query->top == 0)
			continue;
		out_put(out, "\n%s, %s%s\n", result->columns[k].name, title,
			answer->n > result->query->top ? " with most slot hours" : "");
		put_name(out, "", USER_BYTES);
		out_put(out, "%9s%13s%10s%10s%10s%10s%10s\n", "jobs", "slot hours", promised ? "promised" : "",
			"received", "wait", "wait 95%", "slowdown");
		for (size_t i = 0; i < answer->n && i < result->query->top; i++)
			put_group(out, &answer->items[i], promised);
	}
}

static void put_longest(struct out *out, const struct replay_result *result)
{
	for (size_t k = result->recorded; k < result->n; k++) {
		const struct replay_column *column = &result->columns[k];
		size_t n;
		const struct outcome_job *jobs = outcome_jobs(column->outcome, &n);
		char wait[REPLAY_WORD], date[REPLAY_WORD];

		out_put(out, "\n%s, longest waits\n", column->name);
		for (size_t i = 0; i < column->answers.nlongest && i < 5; i++) {
			const struct outcome_job *job = &jobs[column->answers.longest[i].job];

			out_put(out, "%10s  job %llu (line %llu) of ",
				word_seconds(wait, (double)column->answers.longest[i].wait_s),
				(unsigned long long)job->number, (unsigned long long)job->line);
			text_plain(out, outcome_name(column->outcome, OUTCOME_USER, job->names[OUTCOME_USER]));
			out_put(out, ", %u slot%s, submitted %s%s\n", job->slots, plural(job->slots),
				word_date(date, job->submit),
				column->answers.longest[i].started ? "" : ": it still waits");
		}
	}
}

/* Comparison of columns */

static void put_distance(struct out *out, const struct replay_column *a, const struct replay_column *b)
{
	struct distance distance;
	char mean[REPLAY_WORD], median[REPLAY_WORD];

	if (distance_between(&distance, &a->answers, &b->answers))
		return;
	text_plain(out, b->name);
	out_put(out, " against ");
	text_plain(out, a->name);
	out_put(out,
		": %.1f %% of the jobs start earlier, %.1f %% later, %.1f %% at the same time;\n  %s apart on "
		"the average, %s in the middle; "
		"%.1f %% of the slot hours go to\n  other users, looking at each hundredth of the time\n",
		100.0 * distance.earlier, 100.0 * distance.later, 100.0 * distance.same,
		word_seconds(mean, distance.mean_absolute_s), word_seconds(median, distance.median_absolute_s),
		100.0 * distance.users);
}

static void put_distances(struct out *out, const struct replay_result *result)
{
	if (result->n > 1)
		out_put(out, "\n");
	for (size_t k = 0; k < result->n; k++)
		for (size_t i = k + 1; i < result->n; i++)
			put_distance(out, &result->columns[k], &result->columns[i]);
}

/* Complete output */

static void put_beginning(struct out *out, const struct replay_result *result)
{
	const struct trace_about *about = result->trace->about;
	char jobs[REPLAY_WORD], first[REPLAY_WORD], last[REPLAY_WORD], span[REPLAY_WORD];

	text_plain(out, result->trace->name);
	out_put(out, ": %s job%s of %llu user%s, submitted from %s to %s (%s)%s\n",
		word_count(jobs, (double)about->jobs), plural(about->jobs), (unsigned long long)about->users,
		plural(about->users), word_date(first, about->submit_first), word_date(last, about->submit_last),
		word_seconds(span, (double)(about->submit_last - about->submit_first)),
		result->partial ? "; a part of it, as it was stopped" : "");
	replay_about_odd(out, about, "  left out: ");
	for (size_t k = result->recorded; k < result->n; k++) {
		struct outcome_counts counts;

		outcome_counts(result->columns[k].outcome, &counts);
		if (counts.refused == 0)
			continue;
		out_put(out, "  no place under ");
		text_plain(out, result->columns[k].name);
		out_put(out, ": %s job%s; the first, line %llu: ", word_count(jobs, (double)counts.refused),
			plural(counts.refused), (unsigned long long)counts.refused_line);
		text_plain(out, counts.refused_why);
		out_put(out, "\n");
	}
}

int replay_text_print(struct out *out, const struct replay_result *result)
{
	put_beginning(out, result);
	put_totals(out, result);
	put_classes(out, result);
	put_groups(out, result, BY_PROJECT, "projects");
	put_groups(out, result, BY_USER, "users");
	put_longest(out, result);
	put_distances(out, result);
	out_put(out,
		"\nBounded slowdown: (waiting + run time) / run time, which counts as %d s if it is shorter.\n"
		"Starving: %d times the median wait of jobs of like size and run time, and more than an hour.\n"
		"Kept from who waited: what they were promised beyond what they received, and waited for.\n"
		"Away from promised shares: half the sum of all differences. Both in parts of what the machine did.\n",
		SLOWDOWN_BOUND_S, STARVES_TIMES);
	return 0;
}
