/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of promised and received shares, in the intervals between samples of promises. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/search.h"
#include "sched/replay/outcome/groups.h"
#include "sched/replay/outcome/promises.h"

struct comparison {
	const struct outcome *promiser;
	const struct promises *promises;
	const struct promise_sample *samples;
	/* Intervals: from each sample to the next one, and from the last one to the end. */
	size_t n;
	int64_t *bounds;		/* n + 1 */
	enum promise_kind kind;
	enum grouping by;
	/* Slots x seconds of all; of one user or project; of its waiting jobs. */
	struct series all, own, wanted;
	double used;			/* total of all, in all intervals */
	struct owned_time *times, *waits;	/* sorted by who */
	size_t ntimes, nwaits;
};

static int comparison_make(struct comparison *comparison, const struct answers *answers)
{
	int rc;

	comparison->bounds = malloc((comparison->n + 1) * sizeof(*comparison->bounds));
	if (!comparison->bounds || series_make(&comparison->own, comparison->bounds, comparison->n) ||
	    series_make(&comparison->wanted, comparison->bounds, comparison->n) ||
	    series_make(&comparison->all, comparison->bounds, comparison->n))
		return -ENOMEM;
	for (size_t k = 0; k < comparison->n; k++)
		comparison->bounds[k] = comparison->samples[k].now;
	comparison->bounds[comparison->n] = answers->whole.end > comparison->samples[comparison->n - 1].now
						    ? answers->whole.end
						    : comparison->samples[comparison->n - 1].now;
	rc = owned_times_make(&comparison->times, &comparison->ntimes, answers, comparison->by);
	if (!rc)
		rc = owned_waits_make(&comparison->waits, &comparison->nwaits, answers, comparison->by);
	if (rc)
		return rc;
	for (size_t k = 0; k < comparison->ntimes; k++)
		series_add(&comparison->all, comparison->times[k].began, comparison->times[k].end,
			   comparison->times[k].slots);
	series_settle(&comparison->all);
	for (size_t k = 0; k < comparison->n; k++)
		comparison->used += comparison->all.values[k];
	return 0;
}

static void comparison_free(struct comparison *comparison)
{
	series_free(&comparison->all);
	series_free(&comparison->own);
	series_free(&comparison->wanted);
	free(comparison->bounds);
	free(comparison->times);
	free(comparison->waits);
}

static const struct promise *promise_find(const struct comparison *comparison, const struct promise_sample *sample,
					  uint32_t who)
{
	const struct promise *items = promises_items(comparison->promises) + sample->begin[comparison->kind];
	size_t at, n = sample->end[comparison->kind] - sample->begin[comparison->kind];

	lower_bound(at, n, items[at].who < who);
	return at < n && items[at].who == who ? &items[at] : NULL;
}

/* Return the amount promised beyond the amount received, as far as jobs waited for it. */
static double unmet(double promised, double received, double wanted)
{
	double lack = promised - received;

	if (lack <= 0.0)
		return 0.0;
	return lack < wanted ? lack : wanted;
}

/* Compare one user or project; `own` and `wanted` are settled. The use weights the intervals. */
static void compare_one(struct comparison *comparison, uint32_t who, struct group_answer *group,
			struct shares_answer *shares)
{
	for (size_t k = 0; k < comparison->n; k++) {
		const struct promise *promise = promise_find(comparison, &comparison->samples[k], who);
		double lasting = promise ? promise->lasting : 0.0, now = promise ? promise->now : 0.0,
		       all = comparison->all.values[k], received;

		if (all <= 0.0)
			continue;
		received = comparison->own.values[k] / all;
		shares->distance_lasting += fabs(lasting - received) / 2.0 * (all / comparison->used);
		shares->distance_now += fabs(now - received) / 2.0 * (all / comparison->used);
		shares->unmet += unmet(lasting * all, comparison->own.values[k], comparison->wanted.values[k]) /
				 comparison->used;
		if (group) {
			group->promised += lasting * (all / comparison->used);
			group->due += now * (all / comparison->used);
		}
	}
}

static void compare_all(struct comparison *comparison, struct answers *answers, struct shares_answer *shares)
{
	enum outcome_name names = comparison->kind == PROMISE_USER ? OUTCOME_USER : OUTCOME_PROJECT;
	size_t at = 0, waits_at = 0;

	for (uint32_t who = 0; who < groups_count(answers->outcome, comparison->by); who++) {
		const char *name = outcome_name(answers->outcome, names, who);

		owned_times_add(&comparison->own, comparison->times, comparison->ntimes, &at, who);
		owned_times_add(&comparison->wanted, comparison->waits, comparison->nwaits, &waits_at, who);
		compare_one(comparison, outcome_find(comparison->promiser, names, name),
			    comparison->promiser == answers->outcome ? answers_group(answers, comparison->by, who)
								     : NULL,
			    shares);
	}
	series_clear(&comparison->own);
	series_clear(&comparison->wanted);
	for (uint32_t who = 1; who < groups_count(comparison->promiser, comparison->by); who++)
		if (!outcome_find(answers->outcome, names, outcome_name(comparison->promiser, names, who)))
			compare_one(comparison, who, NULL, shares);
}

static bool is_promised(const struct comparison *comparison)
{
	for (size_t k = 0; k < comparison->n; k++)
		if (comparison->samples[k].end[comparison->kind] > comparison->samples[k].begin[comparison->kind])
			return true;
	return false;
}

static int compare(struct answers *answers, enum promise_kind kind, enum grouping by, struct shares_answer *shares)
{
	struct comparison comparison = {
		.promiser = answers->promiser, .promises = outcome_promises(answers->promiser), .kind = kind, .by = by
	};
	int rc;

	comparison.samples = promises_samples(comparison.promises, &comparison.n);
	if (!is_promised(&comparison))
		return 0;
	rc = comparison_make(&comparison, answers);
	if (!rc && comparison.used > 0.0) {
		shares->samples = comparison.n;
		compare_all(&comparison, answers, shares);
	}
	comparison_free(&comparison);
	return rc;
}

int shares_make(struct answers *answers)
{
	int rc;

	answers->promiser = answers->outcome;
	rc = compare(answers, PROMISE_USER, BY_USER, &answers->users);
	return rc ? rc : compare(answers, PROMISE_PROJECT, BY_PROJECT, &answers->projects);
}

int answers_measure(struct answers *answers, const struct outcome *promiser)
{
	int rc = 0;

	answers->promiser = promiser;
	if (answers->users.samples == 0)
		rc = compare(answers, PROMISE_USER, BY_USER, &answers->users);
	if (!rc && answers->projects.samples == 0)
		rc = compare(answers, PROMISE_PROJECT, BY_PROJECT, &answers->projects);
	return rc;
}
