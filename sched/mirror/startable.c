/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection of the tasks of a job that may start. These tasks are neither held nor in error. They
 * wait for no task of another array (qsub -hold_jid_ad); such a task has not ended while it is
 * pending or started.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/state.h"

/* ids of a job that may not start: its own sets, or also those of other arrays */
struct bars {
	struct ranges *except;		/* the last set contains the enrolled ids */
	size_t n;
	struct ranges *started;		/* ids of other arrays; owned */
	size_t nstarted;
};

static void bars_clear(struct bars *bars)
{
	for (size_t i = 0; i < bars->nstarted; i++)
		ranges_free(&bars->started[i]);
	free(bars->started);
	free(bars->except);
	*bars = (struct bars){ 0 };
}

/* Add the pending and the started ids of another array. */
static int bars_add(struct bars *bars, const struct state *state, uint32_t row)
{
	const struct job_extra *other = jobs_find_extra(&state->jobs, row);
	struct ranges *started = &bars->started[bars->nstarted++];
	int rc = 0;

	if (state->jobs.kind[row] & JOB_PENDING)
		bars->except[bars->n++] = job_waiting(other);
	for (uint32_t t = state->jobs.first_task[row]; rc == 0 && t != NONE; t = state->tasks.items[t].next)
		rc = ranges_add(started, state->tasks.items[t].id);
	bars->except[bars->n++] = *started;
	return rc;
}

/*
 * Collect the job's own sets, followed by those of the arrays that it waits for task by task.
 * -ENOMEM.
 */
static int bars_find(struct bars *bars, const struct state *state, const struct job_extra *extra)
{
	int rc = 0;

	bars->except = calloc(TASK_SETS + 2 * extra->nhold_jid_ad, sizeof(*bars->except));
	bars->started = calloc(extra->nhold_jid_ad, sizeof(*bars->started));
	if (!bars->except || !bars->started)
		return -ENOMEM;
	memcpy(bars->except, extra->sets, TASK_BARS * sizeof(*bars->except));
	bars->n = TASK_BARS;
	for (size_t i = 0; i < extra->nhold_jid_ad && rc == 0; i++) {
		uint32_t row = jobs_find(&state->jobs, extra->hold_jid_ad[i]);

		if (row != INDEX_NONE)
			rc = bars_add(bars, state, row);
	}
	bars->except[bars->n++] = extra->sets[TASK_ENROLLED];
	return rc;
}

static size_t startable(const struct job_extra *extra, const struct ranges *except, size_t n, uint64_t allowance,
			uint32_t *ids, size_t limit)
{
	const struct ranges waiting = job_waiting(extra);
	size_t enrolled = ranges_first(&extra->sets[TASK_ENROLLED], except, n - 1, ids, limit),
	       others = limit - enrolled;

	others = others < allowance ? others : (size_t)allowance;
	return enrolled + ranges_first(&waiting, except, n, ids ? ids + enrolled : NULL, others);
}

int job_startable(const struct state *state, const struct job_extra *extra, uint64_t allowance, uint32_t *ids,
		  size_t limit, size_t *n)
{
	struct bars bars = { 0 };
	int rc = 0;

	*n = 0;
	if (extra->nhold_jid_ad > 0)
		rc = bars_find(&bars, state, extra);
	if (rc == 0)
		*n = extra->nhold_jid_ad > 0 ? startable(extra, bars.except, bars.n, allowance, ids, limit) :
					       startable(extra, extra->sets, TASK_ENROLLED + 1, allowance, ids, limit);
	bars_clear(&bars);
	return rc;
}

static size_t ranges_put(struct range *items, size_t n, const struct ranges *ranges)
{
	if (items && ranges->n > 0)
		memcpy(items + n, ranges->items, ranges->n * sizeof(*items));
	return n + ranges->n;
}

bool job_has_predecessor(const struct jobs *jobs, struct job_extra *extra)
{
	while (extra->nhold_jid > 0 && jobs_find(jobs, extra->hold_jid[extra->nhold_jid - 1]) == INDEX_NONE)
		extra->nhold_jid--;
	return extra->nhold_jid > 0;
}

bool job_task_waits(const struct state *state, const struct job_extra *extra, uint32_t id)
{
	for (size_t i = 0; i < extra->nhold_jid_ad; i++) {
		uint32_t row = jobs_find(&state->jobs, extra->hold_jid_ad[i]);

		if (row == INDEX_NONE)
			continue;
		const struct ranges waiting = job_waiting(jobs_find_extra(&state->jobs, row));
		if ((state->jobs.kind[row] & JOB_PENDING && ranges_contain(&waiting, id)) ||
		    tasks_find(state, row, id) != NONE)
			return true;
	}
	return false;
}

size_t job_held_ranges(const struct state *state, const struct job_extra *extra, struct range *items)
{
	size_t n = 0;

	for (int k = 0; k < HOLD_KINDS; k++)
		n = ranges_put(items, n, &extra->sets[k]);
	for (size_t i = 0; i < extra->nhold_jid_ad; i++) {
		uint32_t row = jobs_find(&state->jobs, extra->hold_jid_ad[i]);
		const struct ranges waiting =
			row == INDEX_NONE ? (struct ranges){ 0 } : job_waiting(jobs_find_extra(&state->jobs, row));

		if (row == INDEX_NONE)
			continue;
		if (state->jobs.kind[row] & JOB_PENDING)
			n = ranges_put(items, n, &waiting);
		for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next, n++)
			if (items)
				items[n] = (struct range){ state->tasks.items[t].id, state->tasks.items[t].id, 1 };
	}
	return n;
}
