/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tasks of a job may start: those that are neither held nor in error, and wait for no task of
 * another array (qsub -hold_jid_ad), which has not ended while it waits or is started.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/state.h"

/* What keeps tasks of a job from starting: its own sets, or those and more. */
struct bars {
	struct ranges *except;		/* the last one are those that are enrolled */
	size_t n;
	struct ranges *started;		/* of other arrays; ours */
	size_t nstarted;
};

static void bars_clear(struct bars *b)
{
	for (size_t i = 0; i < b->nstarted; i++)
		ranges_free(&b->started[i]);
	free(b->started);
	free(b->except);
	*b = (struct bars){ 0 };
}

/* Of another array, what waits and what is started. */
static int bars_add(struct bars *b, const struct state *s, uint32_t row)
{
	const struct job_extra *other = jobs_find_extra(&s->jobs, row);
	struct ranges *started = &b->started[b->nstarted++];
	int rc = 0;

	if (s->jobs.kind[row] & JOB_PENDING)
		b->except[b->n++] = job_waiting(other);
	for (uint32_t t = s->jobs.first_task[row]; rc == 0 && t != NONE; t = s->tasks.items[t].next)
		rc = ranges_add(started, s->tasks.items[t].id);
	b->except[b->n++] = *started;
	return rc;
}

/* Its own sets, and behind them those of the arrays that it waits for task by task. -ENOMEM. */
static int bars_find(struct bars *b, const struct state *s, const struct job_extra *extra)
{
	int rc = 0;

	b->except = calloc(TASK_SETS + 2 * extra->nhold_jid_ad, sizeof(*b->except));
	b->started = calloc(extra->nhold_jid_ad, sizeof(*b->started));
	if (!b->except || !b->started)
		return -ENOMEM;
	memcpy(b->except, extra->sets, TASK_BARS * sizeof(*b->except));
	b->n = TASK_BARS;
	for (size_t i = 0; i < extra->nhold_jid_ad && rc == 0; i++) {
		uint32_t row = jobs_find(&s->jobs, extra->hold_jid_ad[i]);

		if (row != INDEX_NONE)
			rc = bars_add(b, s, row);
	}
	b->except[b->n++] = extra->sets[TASK_ENROLLED];
	return rc;
}

static size_t startable(const struct job_extra *extra, const struct ranges *except, size_t n, uint64_t allowance, uint32_t *ids, size_t limit)
{
	const struct ranges waiting = job_waiting(extra);
	size_t enrolled = ranges_first(&extra->sets[TASK_ENROLLED], except, n - 1, ids, limit), others = limit - enrolled;

	others = others < allowance ? others : (size_t)allowance;
	return enrolled + ranges_first(&waiting, except, n, ids ? ids + enrolled : NULL, others);
}

int job_startable(const struct state *s, const struct job_extra *extra, uint64_t allowance, uint32_t *ids, size_t limit, size_t *n)
{
	struct bars b = { 0 };
	int rc = 0;

	*n = 0;
	if (extra->nhold_jid_ad > 0)
		rc = bars_find(&b, s, extra);
	if (rc == 0)
		*n = extra->nhold_jid_ad > 0 ? startable(extra, b.except, b.n, allowance, ids, limit) :
					       startable(extra, extra->sets, TASK_SETS, allowance, ids, limit);
	bars_clear(&b);
	return rc;
}

static size_t ranges_put(struct range *items, size_t n, const struct ranges *ranges)
{
	if (items && ranges->n > 0)
		memcpy(items + n, ranges->items, ranges->n * sizeof(*items));
	return n + ranges->n;
}

size_t job_held_ranges(const struct state *s, const struct job_extra *extra, struct range *items)
{
	size_t n = 0;

	for (int k = 0; k < HOLD_KINDS; k++)
		n = ranges_put(items, n, &extra->sets[k]);
	for (size_t i = 0; i < extra->nhold_jid_ad; i++) {
		uint32_t row = jobs_find(&s->jobs, extra->hold_jid_ad[i]);
		const struct ranges waiting = row == INDEX_NONE ? (struct ranges){ 0 } : job_waiting(jobs_find_extra(&s->jobs, row));

		if (row == INDEX_NONE)
			continue;
		if (s->jobs.kind[row] & JOB_PENDING)
			n = ranges_put(items, n, &waiting);
		for (uint32_t t = s->jobs.first_task[row]; t != NONE; t = s->tasks.items[t].next, n++)
			if (items)
				items[n] = (struct range){ s->tasks.items[t].id, s->tasks.items[t].id, 1 };
	}
	return n;
}
