/* SPDX-License-Identifier: Apache-2.0 */
/* What an administrator would tell others of a replay. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "sched/cli/replay.h"

#define SENTENCE_BYTES 4096

struct teller {
	const struct replay_result *r;
	replay_tell *tell;
	void *context;
};

static void __attribute__((format(printf, 2, 3))) say(const struct teller *t, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	t->tell(t->context, sentence);
}

/* The column with the least, and that with the most, of policies alone. */
static void extremes(const struct replay_result *r, double value_of(const struct answers *a), size_t *least, size_t *most)
{
	size_t first = r->recorded;

	*least = *most = first;
	for (size_t k = first; k < r->n; k++) {
		double value = value_of(&r->columns[k].answers);

		*least = value < value_of(&r->columns[*least].answers) ? k : *least;
		*most = value > value_of(&r->columns[*most].answers) ? k : *most;
	}
}

static double mean_wait(const struct answers *a)
{
	return a->wait.mean;
}

static double median_slowdown(const struct answers *a)
{
	return a->slowdown.median;
}

static double utilisation(const struct answers *a)
{
	return a->inner.used;
}

/* Less than this is no difference to tell others of. */
static bool is_alike(double a, double b)
{
	return fabs(a - b) <= 0.05 * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
}

static void say_waiting(const struct teller *t)
{
	const struct replay_column *c = t->r->columns;
	char one[REPLAY_WORD], two[REPLAY_WORD], three[REPLAY_WORD];
	size_t least, most;

	for (size_t k = t->r->recorded; k < t->r->n; k++)
		if (c[k].answers.started == 0) {
			say(t, "With %.60s not a single job starts.", c[k].name);
			return;
		}
	extremes(t->r, mean_wait, &least, &most);
	if (is_alike(c[least].answers.wait.mean, c[most].answers.wait.mean))
		say(t, "%s a job waits %s on the average; half of all wait less than %s, one in twenty longer than %s.",
		    least == most && t->r->n - t->r->recorded == 1 ? "By this policy" : "With each policy, give or take 5 %,",
		    word_seconds(one, c[least].answers.wait.mean), word_seconds(two, c[least].answers.wait.median),
		    word_seconds(three, c[least].answers.wait.p95));
	else
		say(t, "Jobs wait least with %.60s, %s on the average, and most with %.60s, %s.", c[least].name,
		    word_seconds(one, c[least].answers.wait.mean), c[most].name, word_seconds(two, c[most].answers.wait.mean));
	extremes(t->r, median_slowdown, &least, &most);
	if (!is_alike(c[most].answers.slowdown.median, c[least].answers.slowdown.median))
		say(t, "The bounded slowdown of the job in the middle is smallest with %.60s, %s, and largest with %.60s, %s.", c[least].name,
		    word_factor(one, c[least].answers.slowdown.median), c[most].name, word_factor(two, c[most].answers.slowdown.median));
}

/* "21 under fair, 23 under fifo": what each policy comes to, where there is something to say. */
struct told_list {
	char text[SENTENCE_BYTES / 2];
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) list(struct told_list *l, const char *format, ...)
{
	const char *parted = l->used > 0 ? ", " : "";
	char item[256];
	va_list arguments;
	int n;

	va_start(arguments, format);
	vsnprintf(item, sizeof(item), format, arguments);
	va_end(arguments);
	n = snprintf(l->text + l->used, sizeof(l->text) - l->used, "%s%s", parted, item);
	l->used += (size_t)n < sizeof(l->text) - l->used ? (size_t)n : sizeof(l->text) - l->used - 1;
}

static void say_recorded(const struct teller *t)
{
	const struct replay_column *c = t->r->columns;
	struct told_list l = { "", 0 };
	char one[REPLAY_WORD];

	if (!t->r->recorded)
		return;
	for (size_t k = 1; k < t->r->n; k++) {
		struct distance d;

		if (distance_between(&d, &c[0].answers, &c[k].answers) == 0)
			list(&l, "%.0f %% with %.60s (later: %.0f %%)", 100.0 * d.earlier, c[k].name, 100.0 * d.later);
	}
	say(t, "As the trace has recorded it, jobs waited %s on the average. Of all jobs, these start earlier than that: %s.",
	    word_seconds(one, c[0].answers.wait.mean), l.used > 0 ? l.text : "none");
}

static void say_utilisation(const struct teller *t)
{
	const struct replay_column *c = t->r->columns;
	size_t least, most;

	extremes(t->r, utilisation, &least, &most);
	if (is_alike(c[most].answers.inner.used, c[least].answers.inner.used))
		say(t, "%.1f %% of the machine is in use%s, leaving out the ends of the trace.", 100.0 * c[most].answers.inner.used,
		    t->r->n - t->r->recorded > 1 ? " with each policy" : "");
	else
		say(t, "%.60s keeps %.1f %% of the machine in use, %.60s %.1f %%, leaving out the ends of the trace.", c[most].name,
		    100.0 * c[most].answers.inner.used, c[least].name, 100.0 * c[least].answers.inner.used);
}

/* Of all columns, what was recorded too, by the promises of one of them. */
static void say_shares(const struct teller *t)
{
	struct told_list l = { "", 0 };
	const struct replay_column *promiser = NULL;

	for (size_t k = 0; k < t->r->n; k++) {
		const struct replay_column *c = &t->r->columns[k];
		const struct shares_answer *s = c->answers.projects.samples > 0 ? &c->answers.projects : &c->answers.users;

		if (s->samples == 0)
			continue;
		list(&l, "%.1f %% %s%.60s%s", 100.0 * s->unmet, c->cell ? "with " : "", c->name, s == &c->answers.projects ? " (projects)" : " (users)");
		promiser = replay_column_is_measured(c) ? c : promiser;
	}
	if (l.used == 0)
		say(t, "Nothing is promised to anybody who has jobs here.");
	else if (promiser)
		say(t, "Of the machine's work, this much was promised to some who waited for it, and went to others: %s. Where a policy promises nothing it is "
		       "measured by what %.60s promises.", l.text, outcome_title(promiser->answers.promiser));
	else
		say(t, "Of the machine's work, this much was promised to some who waited for it, and went to others: %s.", l.text);
}

static void say_starving(const struct teller *t)
{
	struct told_list l = { "", 0 };
	char wait[REPLAY_WORD], jobs[REPLAY_WORD];

	for (size_t k = t->r->recorded; k < t->r->n; k++) {
		const struct replay_column *c = &t->r->columns[k];

		list(&l, "%s under %.60s (longest wait %s)", word_count(jobs, (double)c->answers.starving), c->name,
		     word_seconds(wait, c->answers.nlongest > 0 ? (double)c->answers.longest[0].wait_s : 0.0));
	}
	say(t, "Jobs that starve, which is to wait an hour and %d times the median of jobs of like size and run time: %s.", STARVES_TIMES, l.text);
}

/* What an administrator must hear before he believes the rest. */
static void say_left(const struct teller *t)
{
	char jobs[REPLAY_WORD];

	for (size_t k = t->r->recorded; k < t->r->n; k++) {
		const struct replay_column *c = &t->r->columns[k];
		size_t waiting = c->answers.waiting;

		if (waiting > 0)
			say(t, "%s %s still waiting when %.60s came to its end.", word_count(jobs, (double)waiting), waiting == 1 ? "job was" : "jobs were", c->name);
		if (c->counts.refused > 0)
			say(t, "%s %s not run under %.60s at all: its cell has no place for %s.", word_count(jobs, (double)c->counts.refused),
			    c->counts.refused == 1 ? "job could" : "jobs could", c->name, c->counts.refused == 1 ? "it" : "them");
	}
}

void replay_findings(const struct replay_result *r, replay_tell *tell, void *context)
{
	struct teller t = { r, tell, context };

	if (r->partial)
		say(&t, "This is a part: the replay was stopped early, and policies may have come to different times.");
	say_left(&t);
	say_waiting(&t);
	say_recorded(&t);
	say_utilisation(&t);
	say_shares(&t);
	say_starving(&t);
}
