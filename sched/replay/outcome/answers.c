/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/answers.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/replay/outcome/groups.h"

/* Return the end of the known time: the last end, or the last run if jobs are left. */
static int64_t find_until(const struct answers *answers)
{
	struct outcome_counts counts;
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);
	int64_t until = INT64_MIN;

	outcome_counts(answers->outcome, &counts);
	for (size_t k = 0; k < n; k++) {
		if (jobs[k].state == OUTCOME_ENDED && jobs[k].end > until)
			until = jobs[k].end;
		else if (jobs[k].state != OUTCOME_ABSENT && jobs[k].submit > until)
			until = jobs[k].submit;
	}
	return answers->waiting + answers->running > 0 && counts.now > until ? counts.now : until;
}

static void count(struct answers *answers, int64_t *first, int64_t *last)
{
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);

	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t k = 0; k < n; k++) {
		const struct outcome_job *job = &jobs[k];

		if (job->state == OUTCOME_ABSENT)
			continue;
		*first = job->submit < *first ? job->submit : *first;
		*last = job->submit > *last ? job->submit : *last;
		answers->jobs++;
		answers->started += job->start > 0;
		answers->ended += job->state == OUTCOME_ENDED;
		answers->running += job->state == OUTCOME_RUNNING;
		answers->waiting += job->state == OUTCOME_WAITING;
		answers->removed += job->state == OUTCOME_REMOVED;
		answers->backfilled += job->backfilled;
	}
}

/* Utilisation */

struct window {
	int64_t begin, end;
	double slot_s;
};

static void within(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct window *window = context;

	(void)lost;
	began = began > window->begin ? began : window->begin;
	end = end < window->end ? end : window->end;
	if (end > began)
		window->slot_s += (double)job->slots * (double)(end - began);
}

/* Sum up slots x seconds. For the time before the first run, its number of slots is used. */
static double slot_seconds_there(const struct outcome *outcome, int64_t begin, int64_t end)
{
	size_t n;
	const struct outcome_slots *slots = outcome_slots(outcome, &n);
	double sum = 0.0;

	for (size_t k = 0; k < n; k++) {
		int64_t from = k > 0 && slots[k].since > begin ? slots[k].since : begin;
		int64_t to = k + 1 < n && slots[k + 1].since < end ? slots[k + 1].since : end;

		if (to > from)
			sum += (double)slots[k].slots * (double)(to - from);
	}
	return sum;
}

static struct utilisation utilisation_of(const struct outcome *outcome, int64_t begin, int64_t end)
{
	struct utilisation utilisation = { .begin = begin, .end = end };
	struct window window = { .begin = begin, .end = end };
	double there = slot_seconds_there(outcome, begin, end);

	outcome_walk(outcome, end, within, &window);
	utilisation.slots = end > begin ? there / (double)(end - begin) : 0.0;
	utilisation.used = there > 0.0 ? window.slot_s / there : 0.0;
	return utilisation;
}

/* Waiting */

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

double answers_slowdown(const struct outcome_job *job)
{
	double run = job->run_s == UINT32_MAX ? 0.0 : job->run_s, wait = (double)outcome_wait(job, 0);
	double slowdown = (wait + run) / (run > SLOWDOWN_BOUND_S ? run : SLOWDOWN_BOUND_S);

	return slowdown > 1.0 ? slowdown : 1.0;
}

static double wait_of(const struct outcome_job *job)
{
	return (double)outcome_wait(job, 0);
}

static int rank(struct ranking *ranking, const struct answers *answers, double value_of(const struct outcome_job *job))
{
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);

	ranking->items = malloc((answers->started + 1) * sizeof(*ranking->items));
	if (!ranking->items)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		if (jobs[k].state != OUTCOME_ABSENT && jobs[k].start > 0)
			ranking->items[ranking->n++] = (struct ranked){ value_of(&jobs[k]), k };
	qsort(ranking->items, ranking->n, sizeof(*ranking->items), by_value);
	return 0;
}

static int distribution_of_all(struct distribution *distribution, const struct ranking *ranking)
{
	double *values = malloc((ranking->n + 1) * sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t k = 0; k < ranking->n; k++)
		values[k] = ranking->items[k].value;
	distribution_of(distribution, values, ranking->n);
	free(values);
	return 0;
}

/* Overtaking */

struct arrival {
	int64_t submit, start;		/* start INT64_MAX: not started */
};

static int by_submit(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return (x->submit > y->submit) - (x->submit < y->submit);
}

/* Count the jobs that started after the earliest start of all jobs submitted later. */
static size_t overtaken_count(const struct arrival *arrivals, size_t n)
{
	int64_t earliest = INT64_MAX;
	size_t count = 0;

	for (size_t k = n, group; k > 0; k = group) {
		int64_t of_group = earliest;

		for (group = k; group > 0 && arrivals[group - 1].submit == arrivals[k - 1].submit; group--) {
			count += arrivals[group - 1].start > earliest;
			of_group = arrivals[group - 1].start < of_group ? arrivals[group - 1].start : of_group;
		}
		earliest = of_group;
	}
	return count;
}

static int overtaken_find(struct answers *answers)
{
	size_t n, kept = 0;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);
	struct arrival *arrivals = malloc((n + 1) * sizeof(*arrivals));

	if (!arrivals)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		if (jobs[k].state != OUTCOME_ABSENT && jobs[k].state != OUTCOME_REMOVED)
			arrivals[kept++] =
				(struct arrival){ jobs[k].submit, jobs[k].start ? jobs[k].start : INT64_MAX };
	qsort(arrivals, kept, sizeof(*arrivals), by_submit);
	answers->overtaken = overtaken_count(arrivals, kept);
	free(arrivals);
	return 0;
}

/* All answers */

static void lost_add(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct answers *answers = context;

	answers->lost_slot_s += lost ? (double)job->slots * (double)(end - began) : 0.0;
}

static int make(struct answers *answers, struct ranking *waits, struct ranking *slowdowns)
{
	int64_t first, last, until;
	int rc;

	count(answers, &first, &last);
	if (answers->jobs == 0)
		return -ENODATA;
	until = find_until(answers);
	answers->whole = utilisation_of(answers->outcome, first, until);
	answers->inner = utilisation_of(answers->outcome, first + (last - first) / 20, last - (last - first) / 20);
	outcome_walk(answers->outcome, until, lost_add, answers);
	rc = rank(waits, answers, wait_of);
	if (!rc)
		rc = rank(slowdowns, answers, answers_slowdown);
	if (!rc)
		rc = distribution_of_all(&answers->wait, waits);
	if (!rc)
		rc = distribution_of_all(&answers->slowdown, slowdowns);
	if (!rc)
		rc = groups_make(answers, waits, slowdowns, until);
	if (!rc)
		rc = shares_make(answers);
	if (!rc)
		rc = overtaken_find(answers);
	if (!rc)
		starving_find(answers, waits, until);
	return rc;
}

int answers_make(struct answers *answers, const struct outcome *outcome)
{
	struct ranking waits = { .n = 0 }, slowdowns = { .n = 0 };
	int rc;

	*answers = (struct answers){ .outcome = outcome };
	rc = make(answers, &waits, &slowdowns);
	free(waits.items);
	free(slowdowns.items);
	if (rc)
		answers_free(answers);
	return rc;
}

static void grouping_free(struct grouping_answer *answer)
{
	free(answer->items);
	free(answer->places);
}

void answers_free(struct answers *answers)
{
	for (unsigned by = 0; by < GROUPINGS; by++)
		grouping_free(&answers->by[by]);
	*answers = (struct answers){ .outcome = NULL };
}
