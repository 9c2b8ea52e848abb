/* SPDX-License-Identifier: Apache-2.0 */
/* The answers for people: policies side by side. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/replay.h"
#include "sched/cli/text.h"

#define NAME_BYTES 34u			/* of the first column */
#define COLUMN_BYTES 16u
#define USER_BYTES 20u

/* Lines of a table: what it is, then a value for each column */

static void put_name(struct out *o, const char *name, size_t width)
{
	char *p = out_room(o, width + 8);

	p = text_column(p, name, width);
	*p++ = ' ';
	out_take(o, p);
}

static void put_cell(struct out *o, const char *text)
{
	char *p = out_room(o, COLUMN_BYTES + 1), *end = text_column(p, text, COLUMN_BYTES - 1);

	while (end > p && end[-1] == ' ')
		end--;
	end = text_pad_left(p, end, COLUMN_BYTES);
	out_take(o, end);
}

/* Of a long name the end, where names of cells differ. */
static void put_title(struct out *o, const char *name)
{
	size_t bytes = strlen(name), most = COLUMN_BYTES - 1;
	char cut[COLUMN_BYTES];

	if (bytes <= most) {
		put_cell(o, name);
		return;
	}
	for (name += bytes - (most - 2); ((unsigned char)*name & 0xc0) == 0x80; name++)
		;
	snprintf(cut, sizeof(cut), "..%s", name);
	put_cell(o, cut);
}

static void put_head(struct out *o, const struct replay_result *r, const char *name)
{
	out_put(o, "\n");
	put_name(o, name, NAME_BYTES);
	for (size_t k = 0; k < r->n; k++)
		put_title(o, r->columns[k].name);
	out_put(o, "\n");
}

/* Writes what stands in a column; "": nothing does. A row with nothing in it is left out. */
typedef void cell_write(char *text, const struct replay_column *c, size_t detail);

static void put_row(struct out *o, const struct replay_result *r, const char *name, cell_write *write, size_t detail)
{
	char texts[REPLAY_COLUMNS + 1][REPLAY_WORD] = { "" };
	bool any = false;

	for (size_t k = 0; k < r->n; k++) {
		write(texts[k], &r->columns[k], detail);
		any |= *texts[k] != '\0';
	}
	if (!any)
		return;
	put_name(o, name, NAME_BYTES);
	for (size_t k = 0; k < r->n; k++)
		put_cell(o, texts[k]);
	out_put(o, "\n");
}

/* What there is in all */

static bool is_recorded(const struct replay_column *c)
{
	return !c->cell;
}

static void write_count(char *text, const struct replay_column *c, size_t field)
{
	word_count(text, (double)*(const size_t *)((const char *)&c->answers + field));
}

static void write_refused(char *text, const struct replay_column *c, size_t unused)
{
	(void)unused;
	if (!is_recorded(c))
		word_count(text, (double)c->counts.refused);
}

static void write_vacated(char *text, const struct replay_column *c, size_t unused)
{
	(void)unused;
	if (!is_recorded(c))
		word_count(text, (double)c->counts.vacated);
}

static void write_lost(char *text, const struct replay_column *c, size_t unused)
{
	(void)unused;
	if (!is_recorded(c))
		word_count(text, c->answers.lost_slot_s / 3600.0);
}

static void write_used(char *text, const struct replay_column *c, size_t field)
{
	word_percent(text, ((const struct utilisation *)((const char *)&c->answers + field))->used);
}

static void write_wait(char *text, const struct replay_column *c, size_t field)
{
	if (c->answers.wait.n > 0)
		word_seconds(text, *(const double *)((const char *)&c->answers.wait + field));
}

static void write_slowdown(char *text, const struct replay_column *c, size_t field)
{
	if (c->answers.slowdown.n > 0)
		word_factor(text, *(const double *)((const char *)&c->answers.slowdown + field));
}

static void write_backfilled(char *text, const struct replay_column *c, size_t unused)
{
	(void)unused;
	if (!is_recorded(c) && c->answers.started > 0)
		word_percent(text, (double)c->answers.backfilled / (double)c->answers.started);
}

static void write_overtaken(char *text, const struct replay_column *c, size_t unused)
{
	(void)unused;
	word_percent(text, (double)c->answers.overtaken / (double)c->answers.jobs);
}

/* By another one's promises: with a star. */
static void put_measured(char *text, const struct replay_column *c, double part)
{
	word_percent(text, part);
	if (replay_column_is_measured(c))
		strcat(text, "*");
}

static void write_shares(char *text, const struct replay_column *c, size_t field)
{
	const struct shares_answer *s = (const void *)((const char *)&c->answers + field);

	if (s->samples > 0)
		put_measured(text, c, s->distance_lasting);
}

static void write_unmet(char *text, const struct replay_column *c, size_t field)
{
	const struct shares_answer *s = (const void *)((const char *)&c->answers + field);

	if (s->samples > 0)
		put_measured(text, c, s->unmet);
}

static void write_runs(char *text, const struct replay_column *c, size_t unused)
{
	struct outcome_counts counts;

	(void)unused;
	if (is_recorded(c))
		return;
	outcome_counts(c->outcome, &counts);
	word_count(text, (double)counts.runs);
}

#define ANSWER(field) offsetof(struct answers, field)
#define OF(field) offsetof(struct distribution, field)

static bool any_vacated(const struct replay_result *r)
{
	for (size_t k = 0; k < r->n; k++)
		if (r->columns[k].counts.vacated > 0)
			return true;
	return false;
}

static void put_totals(struct out *o, const struct replay_result *r)
{
	put_head(o, r, "");
	put_row(o, r, "jobs", write_count, ANSWER(jobs));
	put_row(o, r, "  that started", write_count, ANSWER(started));
	put_row(o, r, "  still waiting at the end", write_count, ANSWER(waiting));
	put_row(o, r, "  with no place in the cell", write_refused, 0);
	put_row(o, r, "utilisation", write_used, ANSWER(whole));
	put_row(o, r, "  without the ends of the trace", write_used, ANSWER(inner));
	put_row(o, r, "waiting time, median", write_wait, OF(median));
	put_row(o, r, "  mean", write_wait, OF(mean));
	put_row(o, r, "  95 % wait less than", write_wait, OF(p95));
	put_row(o, r, "  longest", write_wait, OF(most));
	put_row(o, r, "bounded slowdown, median", write_slowdown, OF(median));
	put_row(o, r, "  mean", write_slowdown, OF(mean));
	put_row(o, r, "  95 % have less than", write_slowdown, OF(p95));
	put_row(o, r, "  largest", write_slowdown, OF(most));
	put_row(o, r, "jobs that starve", write_count, ANSWER(starving));
	put_row(o, r, "started by backfill", write_backfilled, 0);
	put_row(o, r, "overtaken by later submissions", write_overtaken, 0);
	if (any_vacated(r)) {
		put_row(o, r, "jobs vacated", write_vacated, 0);
		put_row(o, r, "  slot hours lost by that", write_lost, 0);
	}
	put_row(o, r, "kept from users who waited", write_unmet, ANSWER(users));
	put_row(o, r, "  from projects", write_unmet, ANSWER(projects));
	put_row(o, r, "away from promised shares, users", write_shares, ANSWER(users));
	put_row(o, r, "  projects", write_shares, ANSWER(projects));
	put_row(o, r, "scheduling runs", write_runs, 0);
	for (size_t k = 0; k < r->n; k++)
		if (replay_column_is_measured(&r->columns[k])) {
			out_put(o, "* by what is promised in the replay of ");
			text_plain(o, outcome_title(r->columns[k].answers.promiser));
			out_put(o, "\n");
			break;
		}
}

/* By class */

static void write_class_jobs(char *text, const struct replay_column *c, size_t detail)
{
	const struct group_answer *g = answers_group(&c->answers, detail < SIZE_CLASSES ? BY_SIZE : BY_TIME,
						     (uint32_t)(detail < SIZE_CLASSES ? detail : detail - SIZE_CLASSES));
	char median[REPLAY_WORD], p95[REPLAY_WORD];

	if (g && g->started > 0)
		snprintf(text, REPLAY_WORD, "%.18s/%.18s", word_seconds(median, g->wait.median), word_seconds(p95, g->wait.p95));
}

static bool any_of_class(const struct replay_result *r, enum grouping by, uint32_t class)
{
	for (size_t k = 0; k < r->n; k++)
		if (answers_group(&r->columns[k].answers, by, class))
			return true;
	return false;
}

static void put_classes(struct out *o, const struct replay_result *r)
{
	put_head(o, r, "Waiting time: median / 95 %");
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		if (any_of_class(r, BY_SIZE, k))
			put_row(o, r, size_class_name(k), write_class_jobs, k);
	out_put(o, "\n");
	for (unsigned k = 0; k < TIME_CLASSES; k++)
		if (any_of_class(r, BY_TIME, k))
			put_row(o, r, time_class_name(k), write_class_jobs, SIZE_CLASSES + k);
}

/* Who */

static void put_group(struct out *o, const struct group_answer *g, bool promised)
{
	char text[REPLAY_WORD];

	put_name(o, *g->name ? g->name : "(none)", USER_BYTES);
	out_put(o, "%9s", word_count(text, (double)g->jobs));
	out_put(o, "%13s", word_count(text, g->slot_s / 3600.0));
	out_put(o, "%10s", promised ? word_percent(text, g->promised) : "");
	out_put(o, "%10s", word_percent(text, g->received));
	out_put(o, "%10s", g->started > 0 ? word_seconds(text, g->wait.median) : "");
	out_put(o, "%10s", g->started > 0 ? word_seconds(text, g->wait.p95) : "");
	out_put(o, "%10s\n", g->started > 0 ? word_factor(text, g->slowdown.median) : "");
}

static void put_groups(struct out *o, const struct replay_result *r, enum grouping by, const char *title)
{
	for (size_t k = 0; k < r->n; k++) {
		const struct answers *a = &r->columns[k].answers;
		const struct grouping_answer *g = &a->by[by];
		bool promised = !replay_column_is_measured(&r->columns[k]) && (by == BY_USER ? a->users : a->projects).samples > 0;

		if (g->n == 0 || (g->n == 1 && !*g->items[0].name) || r->query->top == 0)
			continue;
		out_put(o, "\n%s, %s%s\n", r->columns[k].name, title, g->n > r->query->top ? " with most slot hours" : "");
		put_name(o, "", USER_BYTES);
		out_put(o, "%9s%13s%10s%10s%10s%10s%10s\n", "jobs", "slot hours", promised ? "promised" : "", "received", "wait", "wait 95%", "slowdown");
		for (size_t i = 0; i < g->n && i < r->query->top; i++)
			put_group(o, &g->items[i], promised);
	}
}

static void put_longest(struct out *o, const struct replay_result *r)
{
	for (size_t k = r->recorded; k < r->n; k++) {
		const struct replay_column *c = &r->columns[k];
		size_t n;
		const struct outcome_job *jobs = outcome_jobs(c->outcome, &n);
		char wait[REPLAY_WORD], date[REPLAY_WORD];

		out_put(o, "\n%s, longest waits\n", c->name);
		for (size_t i = 0; i < c->answers.nlongest && i < 5; i++) {
			const struct outcome_job *job = &jobs[c->answers.longest[i].job];

			out_put(o, "%10s  job %llu (line %llu) of ", word_seconds(wait, (double)c->answers.longest[i].wait_s), (unsigned long long)job->number,
				(unsigned long long)job->line);
			text_plain(o, outcome_name(c->outcome, OUTCOME_USER, job->names[OUTCOME_USER]));
			out_put(o, ", %u slot%s, submitted %s%s\n", job->slots, plural(job->slots), word_date(date, job->submit),
				c->answers.longest[i].started ? "" : ": it still waits");
		}
	}
}

/* Between columns */

static void put_distance(struct out *o, const struct replay_column *a, const struct replay_column *b)
{
	struct distance d;
	char mean[REPLAY_WORD], median[REPLAY_WORD];

	if (distance_between(&d, &a->answers, &b->answers))
		return;
	text_plain(o, b->name);
	out_put(o, " against ");
	text_plain(o, a->name);
	out_put(o, ": %.1f %% of the jobs start earlier, %.1f %% later, %.1f %% at the same time;\n  %s apart on the average, %s in the middle; "
		   "%.1f %% of the slot hours go to\n  other users, looking at each hundredth of the time\n", 100.0 * d.earlier, 100.0 * d.later, 100.0 * d.same,
		word_seconds(mean, d.mean_absolute_s), word_seconds(median, d.median_absolute_s), 100.0 * d.users);
}

static void put_distances(struct out *o, const struct replay_result *r)
{
	if (r->n > 1)
		out_put(o, "\n");
	for (size_t k = 0; k < r->n; k++)
		for (size_t i = k + 1; i < r->n; i++)
			put_distance(o, &r->columns[k], &r->columns[i]);
}

/* All of it */

static void put_beginning(struct out *o, const struct replay_result *r)
{
	const struct trace_about *about = r->trace->about;
	char jobs[REPLAY_WORD], first[REPLAY_WORD], last[REPLAY_WORD], span[REPLAY_WORD];

	text_plain(o, r->trace->name);
	out_put(o, ": %s job%s of %llu user%s, submitted from %s to %s (%s)%s\n", word_count(jobs, (double)about->jobs),
		plural(about->jobs), (unsigned long long)about->users, plural(about->users),
		word_date(first, about->submit_first), word_date(last, about->submit_last),
		word_seconds(span, (double)(about->submit_last - about->submit_first)), r->partial ? "; a part of it, as it was stopped" : "");
	replay_about_odd(o, about, "  left out: ");
	for (size_t k = r->recorded; k < r->n; k++) {
		struct outcome_counts counts;

		outcome_counts(r->columns[k].outcome, &counts);
		if (counts.refused == 0)
			continue;
		out_put(o, "  no place under ");
		text_plain(o, r->columns[k].name);
		out_put(o, ": %s job%s; the first, line %llu: ", word_count(jobs, (double)counts.refused), plural(counts.refused),
			(unsigned long long)counts.refused_line);
		text_plain(o, counts.refused_why);
		out_put(o, "\n");
	}
}

int replay_text_print(struct out *o, const struct replay_result *r)
{
	put_beginning(o, r);
	put_totals(o, r);
	put_classes(o, r);
	put_groups(o, r, BY_PROJECT, "projects");
	put_groups(o, r, BY_USER, "users");
	put_longest(o, r);
	put_distances(o, r);
	out_put(o, "\nBounded slowdown: (waiting + run time) / run time, which counts as %d s if it is shorter.\n"
		   "Starving: %d times the median wait of jobs of like size and run time, and more than an hour.\n"
		   "Kept from who waited: what they were promised beyond what they received, and waited for.\n"
		   "Away from promised shares: half the sum of all differences. Both in parts of what the machine did.\n",
		SLOWDOWN_BOUND_S, STARVES_TIMES);
	return 0;
}
