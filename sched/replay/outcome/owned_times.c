/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "sched/replay/outcome/groups.h"

struct gatherer {
	struct owned_time *items;	/* NULL: only count */
	size_t n;
	enum grouping by;
};

static void gather(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct gatherer *gatherer = context;

	(void)lost;
	if (gatherer->items)
		gatherer->items[gatherer->n] =
			(struct owned_time){ (uint32_t)group_of(job, gatherer->by), job->slots, began, end };
	gatherer->n++;
}

static int by_who(const void *a, const void *b)
{
	const struct owned_time *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

int owned_times_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by)
{
	struct gatherer gatherer = { .by = by };

	outcome_walk(answers->outcome, answers->whole.end, gather, &gatherer);
	gatherer.items = malloc((gatherer.n + 1) * sizeof(*gatherer.items));
	*items = gatherer.items;
	*n = gatherer.n;
	if (!gatherer.items)
		return -ENOMEM;
	gatherer.n = 0;
	outcome_walk(answers->outcome, answers->whole.end, gather, &gatherer);
	qsort(gatherer.items, gatherer.n, sizeof(*gatherer.items), by_who);
	return 0;
}

int owned_waits_make(struct owned_time **items, size_t *n, const struct answers *answers, enum grouping by)
{
	size_t njobs;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &njobs);

	*items = malloc((njobs + 1) * sizeof(**items));
	*n = 0;
	if (!*items)
		return -ENOMEM;
	for (size_t k = 0; k < njobs; k++) {
		const struct outcome_job *job = &jobs[k];
		int64_t end = job->start ? job->start : answers->whole.end;

		if (job->state != OUTCOME_ABSENT && job->state != OUTCOME_REMOVED && end > job->submit)
			(*items)[(*n)++] =
				(struct owned_time){ (uint32_t)group_of(job, by), job->slots, job->submit, end };
	}
	qsort(*items, *n, sizeof(**items), by_who);
	return 0;
}

void owned_times_add(struct series *series, const struct owned_time *items, size_t n, size_t *at, uint32_t who)
{
	series_clear(series);
	for (; *at < n && items[*at].who == who; (*at)++)
		series_add(series, items[*at].began, items[*at].end, items[*at].slots);
	series_settle(series);
}
