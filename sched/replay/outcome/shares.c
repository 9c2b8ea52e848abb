/* SPDX-License-Identifier: Apache-2.0 */
/* What was promised against what was received, interval by interval between samples of promises. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/search.h"
#include "sched/replay/outcome/groups.h"
#include "sched/replay/outcome/promises.h"

struct comparison {
	const struct outcome *promiser;
	const struct promises *promises;
	const struct promise_sample *samples;
	/* intervals: each sample up to the next one, the last one up to the end */
	size_t n;
	int64_t *bounds;		/* n + 1 */
	enum promise_kind kind;
	enum grouping by;
	/* slots x seconds of all; of one of those who share; that he waited for */
	struct series all, own, wanted;
	double used;			/* of all, in all intervals */
	struct owned_time *times, *waits;	/* by who */
	size_t ntimes, nwaits;
};

static int comparison_make(struct comparison *c, const struct answers *a)
{
	int rc;

	c->bounds = malloc((c->n + 1) * sizeof(*c->bounds));
	if (!c->bounds || series_make(&c->own, c->bounds, c->n) || series_make(&c->wanted, c->bounds, c->n) || series_make(&c->all, c->bounds, c->n))
		return -ENOMEM;
	for (size_t k = 0; k < c->n; k++)
		c->bounds[k] = c->samples[k].now;
	c->bounds[c->n] = a->whole.end > c->samples[c->n - 1].now ? a->whole.end : c->samples[c->n - 1].now;
	rc = owned_times_make(&c->times, &c->ntimes, a, c->by);
	if (!rc)
		rc = owned_waits_make(&c->waits, &c->nwaits, a, c->by);
	if (rc)
		return rc;
	for (size_t k = 0; k < c->ntimes; k++)
		series_add(&c->all, c->times[k].began, c->times[k].end, c->times[k].slots);
	series_settle(&c->all);
	for (size_t k = 0; k < c->n; k++)
		c->used += c->all.values[k];
	return 0;
}

static void comparison_free(struct comparison *c)
{
	series_free(&c->all);
	series_free(&c->own);
	series_free(&c->wanted);
	free(c->bounds);
	free(c->times);
	free(c->waits);
}

static const struct promise *promise_find(const struct comparison *c, const struct promise_sample *s, uint32_t who)
{
	const struct promise *items = promises_items(c->promises) + s->begin[c->kind];
	size_t at, n = s->end[c->kind] - s->begin[c->kind];

	lower_bound(at, n, items[at].who < who);
	return at < n && items[at].who == who ? &items[at] : NULL;
}

/* What was promised beyond what was received, as far as it was waited for. */
static double unmet(double promised, double received, double wanted)
{
	double lack = promised - received;

	if (lack <= 0.0)
		return 0.0;
	return lack < wanted ? lack : wanted;
}

/*
 * One of those who share; `own` and `wanted` are settled. Intervals count by what the machine did
 * in them.
 */
static void compare_one(struct comparison *c, uint32_t who, struct group_answer *group, struct shares_answer *shares)
{
	for (size_t k = 0; k < c->n; k++) {
		const struct promise *p = promise_find(c, &c->samples[k], who);
		double lasting = p ? p->lasting : 0.0, now = p ? p->now : 0.0, all = c->all.values[k], received;

		if (all <= 0.0)
			continue;
		received = c->own.values[k] / all;
		shares->distance_lasting += fabs(lasting - received) / 2.0 * (all / c->used);
		shares->distance_now += fabs(now - received) / 2.0 * (all / c->used);
		shares->unmet += unmet(lasting * all, c->own.values[k], c->wanted.values[k]) / c->used;
		if (group) {
			group->promised += lasting * (all / c->used);
			group->due += now * (all / c->used);
		}
	}
}

static void compare_all(struct comparison *c, struct answers *a, struct shares_answer *shares)
{
	enum outcome_name names = c->kind == PROMISE_USER ? OUTCOME_USER : OUTCOME_PROJECT;
	size_t at = 0, waits_at = 0;

	for (uint32_t who = 0; who < groups_count(a->outcome, c->by); who++) {
		const char *name = outcome_name(a->outcome, names, who);

		owned_times_add(&c->own, c->times, c->ntimes, &at, who);
		owned_times_add(&c->wanted, c->waits, c->nwaits, &waits_at, who);
		compare_one(c, outcome_find(c->promiser, names, name), c->promiser == a->outcome ? answers_group(a, c->by, who) : NULL, shares);
	}
	series_clear(&c->own);
	series_clear(&c->wanted);
	for (uint32_t who = 1; who < groups_count(c->promiser, c->by); who++)
		if (!outcome_find(a->outcome, names, outcome_name(c->promiser, names, who)))
			compare_one(c, who, NULL, shares);
}

static bool is_promised(const struct comparison *c)
{
	for (size_t k = 0; k < c->n; k++)
		if (c->samples[k].end[c->kind] > c->samples[k].begin[c->kind])
			return true;
	return false;
}

static int compare(struct answers *a, enum promise_kind kind, enum grouping by, struct shares_answer *shares)
{
	struct comparison c = { .promiser = a->promiser, .promises = outcome_promises(a->promiser), .kind = kind, .by = by };
	int rc;

	c.samples = promises_samples(c.promises, &c.n);
	if (!is_promised(&c))
		return 0;
	rc = comparison_make(&c, a);
	if (!rc && c.used > 0.0) {
		shares->samples = c.n;
		compare_all(&c, a, shares);
	}
	comparison_free(&c);
	return rc;
}

int shares_make(struct answers *a)
{
	int rc;

	a->promiser = a->outcome;
	rc = compare(a, PROMISE_USER, BY_USER, &a->users);
	return rc ? rc : compare(a, PROMISE_PROJECT, BY_PROJECT, &a->projects);
}

int answers_measure(struct answers *a, const struct outcome *promiser)
{
	int rc = 0;

	a->promiser = promiser;
	if (a->users.samples == 0)
		rc = compare(a, PROMISE_USER, BY_USER, &a->users);
	if (!rc && a->projects.samples == 0)
		rc = compare(a, PROMISE_PROJECT, BY_PROJECT, &a->projects);
	return rc;
}
