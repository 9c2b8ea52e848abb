/* SPDX-License-Identifier: Apache-2.0 */
/* Summary of a replay in sentences for an administrator. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "sched/cli/replay/replay.h"

#define SENTENCE_BYTES 4096

struct teller {
	const struct replay_result *r;
	replay_report *tell;
	void *context;
};

static void __attribute__((format(printf, 2, 3))) say(const struct teller *teller, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	teller->tell(teller->context, sentence);
}

/* Find the columns with the lowest and the highest value. Only policies are compared. */
static void extremes(const struct replay_result *result, double value_of(const struct answers *answers), size_t *least,
		     size_t *most)
{
	size_t first = result->recorded;

	*least = *most = first;
	for (size_t k = first; k < result->n; k++) {
		double value = value_of(&result->columns[k].answers);

		*least = value < value_of(&result->columns[*least].answers) ? k : *least;
		*most = value > value_of(&result->columns[*most].answers) ? k : *most;
	}
}

static double mean_wait(const struct answers *answers)
{
	return answers->wait.mean;
}

static double median_slowdown(const struct answers *answers)
{
	return answers->slowdown.median;
}

static double utilisation(const struct answers *answers)
{
	return answers->inner.used;
}

/* Return whether two values are too close for a difference to be reported. */
static bool is_about_equal(double a, double b)
{
	return fabs(a - b) <= 0.05 * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
}

static void say_waiting(const struct teller *teller)
{
	const struct replay_column *column = teller->r->columns;
	char one[REPLAY_WORD], two[REPLAY_WORD], three[REPLAY_WORD];
	size_t least, most;

	for (size_t k = teller->r->recorded; k < teller->r->n; k++)
		if (column[k].answers.started == 0) {
			say(teller, "With %.60s not a single job starts.", column[k].name);
			return;
		}
	extremes(teller->r, mean_wait, &least, &most);
	if (is_about_equal(column[least].answers.wait.mean, column[most].answers.wait.mean))
		say(teller,
		    "%s a job waits %s on the average; half of all wait less than %s, one in twenty longer than %s.",
		    least == most && teller->r->n - teller->r->recorded == 1 ? "By this policy"
									     : "With each policy, give or take 5 %,",
		    word_seconds(one, column[least].answers.wait.mean),
		    word_seconds(two, column[least].answers.wait.median),
		    word_seconds(three, column[least].answers.wait.p95));
	else
		say(teller, "Jobs wait least with %.60s, %s on the average, and most with %.60s, %s.",
		    column[least].name, word_seconds(one, column[least].answers.wait.mean), column[most].name,
		    word_seconds(two, column[most].answers.wait.mean));
	extremes(teller->r, median_slowdown, &least, &most);
	if (!is_about_equal(column[most].answers.slowdown.median, column[least].answers.slowdown.median))
		say(teller,
		    "The bounded slowdown of the job in the middle is smallest with %.60s, %s, and largest with "
		    "%.60s, %s.",
		    column[least].name, word_factor(one, column[least].answers.slowdown.median), column[most].name,
		    word_factor(two, column[most].answers.slowdown.median));
}

/* List of the values of policies in a sentence: "21 under fair, 23 under fifo". */
struct reported_list {
	char text[SENTENCE_BYTES / 2];
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) list(struct reported_list *reported_list, const char *format, ...)
{
	const char *parted = reported_list->used > 0 ? ", " : "";
	char item[256];
	va_list arguments;
	int n;

	va_start(arguments, format);
	vsnprintf(item, sizeof(item), format, arguments);
	va_end(arguments);
	n = snprintf(reported_list->text + reported_list->used, sizeof(reported_list->text) - reported_list->used, "%s%s", parted,
		     item);
	reported_list->used += (size_t)n < sizeof(reported_list->text) - reported_list->used
				   ? (size_t)n
				   : sizeof(reported_list->text) - reported_list->used - 1;
}

static void say_recorded(const struct teller *teller)
{
	const struct replay_column *column = teller->r->columns;
	struct reported_list reported_list = { "", 0 };
	char one[REPLAY_WORD];

	if (!teller->r->recorded)
		return;
	for (size_t k = 1; k < teller->r->n; k++) {
		struct distance distance;

		if (distance_between(&distance, &column[0].answers, &column[k].answers) == 0)
			list(&reported_list, "%.0f %% with %.60s (later: %.0f %%)", 100.0 * distance.earlier,
			     column[k].name, 100.0 * distance.later);
	}
	say(teller,
	    "As the trace has recorded it, jobs waited %s on the average. Of all jobs, these start earlier than "
	    "that: %s.",
	    word_seconds(one, column[0].answers.wait.mean), reported_list.used > 0 ? reported_list.text : "none");
}

static void say_utilisation(const struct teller *teller)
{
	const struct replay_column *column = teller->r->columns;
	size_t least, most;

	extremes(teller->r, utilisation, &least, &most);
	if (is_about_equal(column[most].answers.inner.used, column[least].answers.inner.used))
		say(teller, "%.1f %% of the machine is in use%s, leaving out the ends of the trace.",
		    100.0 * column[most].answers.inner.used,
		    teller->r->n - teller->r->recorded > 1 ? " with each policy" : "");
	else
		say(teller,
		    "%.60s keeps %.1f %% of the machine in use, %.60s %.1f %%, leaving out the ends of the trace.",
		    column[most].name, 100.0 * column[most].answers.inner.used, column[least].name,
		    100.0 * column[least].answers.inner.used);
}

/*
 * Report the shares of all columns, the recorded one included, measured by the promises of one
 * policy.
 */
static void say_shares(const struct teller *teller)
{
	struct reported_list reported_list = { "", 0 };
	const struct replay_column *promiser = NULL;

	for (size_t k = 0; k < teller->r->n; k++) {
		const struct replay_column *column = &teller->r->columns[k];
		const struct shares_answer *answer =
			column->answers.projects.samples > 0 ? &column->answers.projects : &column->answers.users;

		if (answer->samples == 0)
			continue;
		list(&reported_list, "%.1f %% %s%.60s%s", 100.0 * answer->unmet, column->cell ? "with " : "", column->name,
		     answer == &column->answers.projects ? " (projects)" : " (users)");
		promiser = replay_column_is_measured(column) ? column : promiser;
	}
	if (reported_list.used == 0)
		say(teller, "Nothing is promised to anybody who has jobs here.");
	else if (promiser)
		say(teller,
		    "Of the machine's work, this much was promised to some who waited for it, and went to "
		    "others: %s. Where a policy promises nothing it is "
		    "measured by what %.60s promises.",
		    reported_list.text, outcome_title(promiser->answers.promiser));
	else
		say(teller,
		    "Of the machine's work, this much was promised to some who waited for it, and went to others: %s.",
		    reported_list.text);
}

static void say_starving(const struct teller *teller)
{
	struct reported_list reported_list = { "", 0 };
	char wait[REPLAY_WORD], jobs[REPLAY_WORD];

	for (size_t k = teller->r->recorded; k < teller->r->n; k++) {
		const struct replay_column *column = &teller->r->columns[k];

		list(&reported_list, "%s under %.60s (longest wait %s)", word_count(jobs, (double)column->answers.starving),
		     column->name,
		     word_seconds(wait,
				  column->answers.nlongest > 0 ? (double)column->answers.longest[0].wait_s : 0.0));
	}
	say(teller,
	    "Jobs that starve, which is to wait an hour and %d times the median of jobs of like size and run time: %s.",
	    STARVES_TIMES, reported_list.text);
}

/* Report limitations that an administrator must know to interpret the rest. */
static void say_left(const struct teller *teller)
{
	char jobs[REPLAY_WORD];

	for (size_t k = teller->r->recorded; k < teller->r->n; k++) {
		const struct replay_column *column = &teller->r->columns[k];
		size_t waiting = column->answers.waiting;

		if (waiting > 0)
			say(teller, "%s %s still waiting when %.60s came to its end.",
			    word_count(jobs, (double)waiting), waiting == 1 ? "job was" : "jobs were", column->name);
		if (column->counts.refused > 0)
			say(teller, "%s %s not run under %.60s at all: its cell cannot run %s.",
			    word_count(jobs, (double)column->counts.refused),
			    column->counts.refused == 1 ? "job could" : "jobs could", column->name,
			    column->counts.refused == 1 ? "it" : "them");
	}
}

void replay_findings(const struct replay_result *result, replay_report *tell, void *context)
{
	struct teller teller = { result, tell, context };

	if (result->partial)
		say(&teller,
		    "This is a part: the replay was stopped early, and policies may have come to different times.");
	say_left(&teller);
	say_waiting(&teller);
	say_recorded(&teller);
	say_utilisation(&teller);
	say_shares(&teller);
	say_starving(&teller);
}
