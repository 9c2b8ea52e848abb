/* SPDX-License-Identifier: Apache-2.0 */
/* Answers over time, on an axis. */
#include <string.h>

#include "conf/base/search.h"
#include "sched/replay/outcome/groups.h"
#include "sched/replay/outcome/promises.h"

struct picture {
	struct series *series;
	enum grouping by;
	size_t number;			/* number of a group; SIZE_MAX: all jobs */
};

static void used_add(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	const struct picture *picture = context;

	(void)lost;
	if (picture->number == SIZE_MAX || group_of(job, picture->by) == picture->number)
		series_add(picture->series, began, end, job->slots);
}

static int used_make(struct picture picture, const struct answers *answers, const struct axis *axis)
{
	int rc = series_make(picture.series, axis->bounds, axis->n);

	if (rc)
		return rc;
	outcome_walk(answers->outcome, answers->whole.end, used_add, &picture);
	series_settle(picture.series);
	return 0;
}

int answers_used(struct series *made, const struct answers *answers, const struct axis *axis)
{
	return used_make((struct picture){ .series = made, .number = SIZE_MAX }, answers, axis);
}

int answers_received(struct series *made, const struct answers *answers, const struct axis *axis, enum grouping by,
		     uint32_t number)
{
	return used_make((struct picture){ .series = made, .by = by, .number = number }, answers, axis);
}

/* Count jobs up to their first start, so that a job that was vacated is not counted twice. */
int answers_waiting(struct series *jobs, struct series *slots, const struct answers *answers, const struct axis *axis)
{
	size_t n;
	const struct outcome_job *all = outcome_jobs(answers->outcome, &n);
	int rc = series_make(jobs, axis->bounds, axis->n);

	if (!rc)
		rc = series_make(slots, axis->bounds, axis->n);
	if (rc) {
		series_free(jobs);
		return rc;
	}
	for (size_t k = 0; k < n; k++) {
		int64_t until = all[k].start ? all[k].start : answers->whole.end;

		if (all[k].state == OUTCOME_ABSENT || all[k].state == OUTCOME_REMOVED)
			continue;
		series_add(jobs, all[k].submit, until, 1.0);
		series_add(slots, all[k].submit, until, all[k].slots);
	}
	series_settle(jobs);
	series_settle(slots);
	return 0;
}

int answers_slots(struct series *made, const struct answers *answers, const struct axis *axis)
{
	size_t n;
	const struct outcome_slots *slots = outcome_slots(answers->outcome, &n);
	int rc = series_make(made, axis->bounds, axis->n);

	if (rc)
		return rc;
	for (size_t k = 0; k < n; k++)
		series_add(made, k > 0 ? slots[k].since : axis->bounds[0],
			   k + 1 < n ? slots[k + 1].since : axis->bounds[axis->n], (double)slots[k].slots);
	series_settle(made);
	return 0;
}

static double promised_in(const struct promises *promises, const struct promise_sample *sample, enum promise_kind kind,
			  uint32_t number)
{
	const struct promise *items = promises_items(promises) + sample->begin[kind];
	size_t at, n = sample->end[kind] - sample->begin[kind];

	if (number == PROMISED_ALL) {
		double sum = 0.0;

		for (size_t k = 0; k < n; k++)
			sum += (double)items[k].lasting;
		return sum;
	}
	lower_bound(at, n, items[at].who < number);
	return at < n && items[at].who == number ? (double)items[at].lasting : 0.0;
}

bool answers_promised(double *values, const struct answers *answers, const struct axis *axis, enum grouping by,
		      uint32_t number)
{
	enum promise_kind kind = by == BY_USER ? PROMISE_USER : PROMISE_PROJECT;
	const struct promises *promises = outcome_promises(answers->outcome);
	size_t n, next = 0;
	const struct promise_sample *samples = promises_samples(promises, &n);
	double last = 0.0;

	for (size_t k = 0; k < axis->n; k++) {
		double sum = 0.0;
		size_t seen = 0;

		for (; next < n && samples[next].now < axis->bounds[k + 1]; next++, seen++)
			sum += last = promised_in(promises, &samples[next], kind, number);
		values[k] = seen > 0 ? sum / (double)seen : last;
	}
	return n > 0;
}
