/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "sched/replay/outcome/groups.h"

struct gatherer {
	struct owned_time *items;	/* NULL: they are counted */
	size_t n;
	enum grouping by;
};

static void gather(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct gatherer *g = context;

	(void)lost;
	if (g->items)
		g->items[g->n] = (struct owned_time){ (uint32_t)group_of(job, g->by), job->slots, began, end };
	g->n++;
}

static int by_who(const void *a, const void *b)
{
	const struct owned_time *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

int owned_times_make(struct owned_time **items, size_t *n, const struct answers *a, enum grouping by)
{
	struct gatherer g = { .by = by };

	outcome_walk(a->outcome, a->whole.end, gather, &g);
	g.items = malloc((g.n + 1) * sizeof(*g.items));
	*items = g.items;
	*n = g.n;
	if (!g.items)
		return -ENOMEM;
	g.n = 0;
	outcome_walk(a->outcome, a->whole.end, gather, &g);
	qsort(g.items, g.n, sizeof(*g.items), by_who);
	return 0;
}

int owned_waits_make(struct owned_time **items, size_t *n, const struct answers *a, enum grouping by)
{
	size_t njobs;
	const struct outcome_job *jobs = outcome_jobs(a->outcome, &njobs);

	*items = malloc((njobs + 1) * sizeof(**items));
	*n = 0;
	if (!*items)
		return -ENOMEM;
	for (size_t k = 0; k < njobs; k++) {
		const struct outcome_job *job = &jobs[k];
		int64_t end = job->start ? job->start : a->whole.end;

		if (job->state != OUTCOME_ABSENT && job->state != OUTCOME_REMOVED && end > job->submit)
			(*items)[(*n)++] = (struct owned_time){ (uint32_t)group_of(job, by), job->slots, job->submit, end };
	}
	qsort(*items, *n, sizeof(**items), by_who);
	return 0;
}

void owned_times_add(struct series *s, const struct owned_time *items, size_t n, size_t *at, uint32_t who)
{
	series_clear(s);
	for (; *at < n && items[*at].who == who; (*at)++)
		series_add(s, items[*at].began, items[*at].end, items[*at].slots);
	series_settle(s);
}
