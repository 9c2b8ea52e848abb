/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between two policies on the same jobs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/base/search.h"
#include "sched/replay/outcome/groups.h"

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool has_started(const struct outcome_job *job)
{
	return job->state != OUTCOME_ABSENT && job->start > 0;
}

/*
 * Add up the seconds that jobs started later in b. Return the number of jobs that started in both,
 * and their absolute differences.
 */
static size_t compare_starts(struct distance *distance, const struct answers *a, const struct answers *b,
			     double *absolute)
{
	size_t na, nb, n = 0;
	const struct outcome_job *first = outcome_jobs(a->outcome, &na), *second = outcome_jobs(b->outcome, &nb);

	for (size_t k = 0; k < na && k < nb; k++) {
		double later;

		if (!has_started(&first[k]) || !has_started(&second[k]))
			continue;
		later = (double)(outcome_wait(&second[k], 0) - outcome_wait(&first[k], 0));
		distance->mean_s += later;
		distance->mean_absolute_s += fabs(later);
		distance->earlier += later < 0.0;
		distance->later += later > 0.0;
		distance->same += later == 0.0;
		absolute[n++] = fabs(later);
	}
	return n;
}

/* Use received by users or projects, step by step */

#define STEPS 100

struct receipts {			/* use recorded in one outcome */
	const struct answers *answers;
	enum outcome_name kind;
	struct owned_time *times;
	size_t n;
	struct series own;
};

static int receipts_make(struct receipts *receipts, const struct answers *answers, enum grouping by,
			 const struct axis *axis)
{
	*receipts = (struct receipts){ .answers = answers, .kind = by == BY_USER ? OUTCOME_USER : OUTCOME_PROJECT };
	return series_make(&receipts->own, axis->bounds, axis->n)
		       ? -ENOMEM
		       : owned_times_make(&receipts->times, &receipts->n, answers, by);
}

static void receipts_free(struct receipts *receipts)
{
	series_free(&receipts->own);
	free(receipts->times);
}

/* Sum up the use of a name. Each outcome numbers names by itself; 0 is none in both. */
static void receive(struct receipts *receipts, const char *name)
{
	uint32_t who = outcome_find(receipts->answers->outcome, receipts->kind, name);
	size_t at;

	lower_bound(at, receipts->n, receipts->times[at].who < who);
	owned_times_add(&receipts->own, receipts->times, receipts->n, &at, who);
}

/* Return the difference for one user or project. *all grows by both sums. */
static double differ(const struct receipts *a, const struct receipts *b, double *all)
{
	double sum = 0.0;

	for (size_t k = 0; k < a->own.n; k++) {
		sum += fabs(a->own.values[k] - b->own.values[k]);
		*all += a->own.values[k] + b->own.values[k];
	}
	return sum;
}

static double differ_in_all(struct receipts *a, struct receipts *b)
{
	const struct outcome *first = a->answers->outcome, *second = b->answers->outcome;
	double sum = 0.0, all = 0.0;

	for (uint32_t k = 0; k <= outcome_names(first, a->kind); k++) {
		const char *name = outcome_name(first, a->kind, k);

		receive(a, name);
		receive(b, name);
		sum += differ(a, b, &all);
	}
	series_clear(&a->own);
	for (uint32_t k = 1; k <= outcome_names(second, b->kind); k++) {
		const char *name = outcome_name(second, b->kind, k);

		if (outcome_find(first, a->kind, name))
			continue;
		receive(b, name);
		sum += differ(a, b, &all);
	}
	return all > 0.0 ? sum / all : 0.0;
}

static int receipts_between(double *distance, const struct answers *a, const struct answers *b, enum grouping by)
{
	struct receipts first = { .n = 0 }, second = { .n = 0 };
	int64_t begin = a->whole.begin < b->whole.begin ? a->whole.begin : b->whole.begin;
	int64_t end = a->whole.end > b->whole.end ? a->whole.end : b->whole.end;
	struct axis axis;
	int rc = axis_make(&axis, begin, end, STEPS);

	if (!rc)
		rc = receipts_make(&first, a, by, &axis);
	if (!rc)
		rc = receipts_make(&second, b, by, &axis);
	if (!rc)
		*distance = differ_in_all(&first, &second);
	receipts_free(&first);
	receipts_free(&second);
	axis_free(&axis);
	return rc;
}

static int starts_between(struct distance *distance, const struct answers *a, const struct answers *b)
{
	double *absolute = malloc((a->started + 1) * sizeof(*absolute)), n;

	if (!absolute)
		return -ENOMEM;
	distance->jobs = compare_starts(distance, a, b, absolute);
	n = (double)distance->jobs;
	if (distance->jobs > 0) {
		qsort(absolute, distance->jobs, sizeof(*absolute), by_number);
		distance->median_absolute_s = absolute[(distance->jobs - 1) / 2];
		distance->mean_s /= n;
		distance->mean_absolute_s /= n;
		distance->earlier /= n;
		distance->later /= n;
		distance->same /= n;
	}
	free(absolute);
	return distance->jobs > 0 ? 0 : -ENODATA;
}

int distance_between(struct distance *distance, const struct answers *a, const struct answers *b)
{
	int rc;

	*distance = (struct distance){ .jobs = 0 };
	rc = starts_between(distance, a, b);
	if (!rc)
		rc = receipts_between(&distance->users, a, b, BY_USER);
	return rc ? rc : receipts_between(&distance->projects, a, b, BY_PROJECT);
}
