/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array of whose tasks some are held or in error has rows of its own for these, as with qstat:
 * those that may start first.
 */
#include "sched/cli/stat_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/ranges.h"

_Static_assert(sizeof(struct range) == sizeof(struct fl_range), "ranges are shown as they are");

#define TASKS_MOST (1u << 22)		/* of an array; one with more is shown as a whole */

static int by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->min != y->min ? x->min < y->min ? -1 : 1 : x->max < y->max ? -1 : x->max > y->max;
}

/* Goes `b` on with the ids of `a`, where they overlap? */
static bool is_along(const struct range *a, const struct range *b)
{
	return (b->min == b->max || b->step == a->step) && (b->min - a->min) % a->step == 0;
}

/* Ids of ranges in any order, of which some may lie in others. -ENOMEM. */
static int unite(struct ranges *to, const struct fl_range *from, size_t n)
{
	struct range *sorted = calloc(n + 1, sizeof(*sorted));
	int rc = sorted ? 0 : -ENOMEM;

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = (struct range){ from[i].min, from[i].max, from[i].step };
	if (sorted)
		qsort(sorted, n, sizeof(*sorted), by_begin);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct range *last = to->n ? &to->items[to->n - 1] : NULL, *g = &sorted[i];

		if (g->min == 0 || g->max < g->min || g->step == 0 || (g->max - g->min) / g->step >= TASKS_MOST)
			rc = -EINVAL;
		else if (!last || g->min > last->max)
			rc = ranges_append(to, g);
		else if (g->max > last->max || !is_along(last, g))
			for (uint64_t id = g->min; rc == 0 && id <= g->max; id += g->step) {
				rc = ranges_add(to, (uint32_t)id);
				rc = rc == -EEXIST ? 0 : rc;
			}
	}
	free(sorted);
	return rc;
}

/* How many ids, from the first one on, are as far from each other: a range, if there are three. */
static size_t run_length(const uint32_t *ids, size_t n)
{
	size_t k = 2;

	if (n < 2)
		return n;
	while (k < n && ids[k] - ids[k - 1] == ids[1] - ids[0])
		k++;
	return k > 2 || ids[1] - ids[0] == 1 ? k : 1;
}

static int compress(struct ranges *to, const uint32_t *ids, size_t n)
{
	int rc = 0;

	for (size_t i = 0, length; i < n && rc == 0; i += length) {
		length = run_length(&ids[i], n - i);
		rc = ranges_append(to, &(struct range){ ids[i], ids[i + length - 1], length > 1 ? ids[i + 1] - ids[i] : 1 });
	}
	return rc;
}

/* The ids that belong to a part. */
static size_t choose(uint32_t *to, const uint32_t *ids, size_t n, const struct ranges *held, const struct ranges *in_error, unsigned part)
{
	size_t chosen = 0;

	for (size_t i = 0; i < n; i++)
		if (((ranges_contain(held, ids[i]) ? PART_HELD : 0u) | (ranges_contain(in_error, ids[i]) ? PART_ERROR : 0u)) == part)
			to[chosen++] = ids[i];
	return chosen;
}

static int share_out(struct stat_parts *p, const struct ranges *all, const struct ranges *held, const struct ranges *in_error)
{
	size_t n = (size_t)ranges_count(all);
	uint32_t *ids = calloc(2 * n + 1, sizeof(*ids));
	int rc = ids ? 0 : -ENOMEM;

	n = ids ? ranges_first(all, NULL, 0, ids, n) : 0;
	for (unsigned part = 0; rc == 0 && part < STAT_PARTS; part++)
		rc = compress(&p->ids[part], ids + n, choose(ids + n, ids, n, held, in_error, part));
	free(ids);
	return rc;
}

static int look(struct stat_parts *p, const struct fl_job *job)
{
	struct ranges all = { 0 }, held = { 0 }, in_error = { 0 };
	int rc = unite(&all, job->tasks, job->nranges);

	if (rc == 0)
		rc = ranges_count(&all) <= TASKS_MOST ? unite(&held, job->held, job->nheld) : -EINVAL;
	if (rc == 0)
		rc = unite(&in_error, job->in_error, job->nin_error);
	if (rc == 0)
		rc = share_out(p, &all, &held, &in_error);
	ranges_free(&all);
	ranges_free(&held);
	ranges_free(&in_error);
	return rc;
}

bool stat_parts_find(struct stat_parts *p, const struct fl_job *job)
{
	if (job->is_started || (job->nheld == 0 && job->nin_error == 0))
		return false;
	*p = (struct stat_parts){ 0 };
	if (look(p, job) == 0)
		return true;
	stat_parts_clear(p);
	return false;
}

void stat_part_dress(struct fl_job *row, unsigned part)
{
	static const char *const states[STAT_PARTS] = { [PART_HELD] = "hqw", [PART_ERROR] = "Eqw", [PART_HELD | PART_ERROR] = "Ehqw" };

	strcpy(row->state, states[part]);
	row->prio = row->nurg = row->ntckts = row->urg = row->rrcontr = row->wtcontr = row->dlcontr = 0.0;
	row->tckts = row->otckt = row->ftckt = row->stckt = row->share = 0.0;
}

bool stat_part(const struct stat_parts *p, const struct fl_job *job, unsigned part, struct fl_job *row)
{
	const struct ranges *ids = &p->ids[part];
	bool all_held = p->ids[0].n > 0 && strchr(job->state, 'h');	/* as a whole */

	if (ids->n == 0)
		return false;
	*row = *job;
	row->task = ids->items[0].min;
	row->tasks = (const struct fl_range *)(const void *)ids->items;
	row->nranges = ids->n;
	row->nheld = row->nin_error = 0;
	if (part > 0)
		stat_part_dress(row, all_held ? part | PART_HELD : part);
	return true;
}

void stat_parts_clear(struct stat_parts *p)
{
	for (unsigned part = 0; part < STAT_PARTS; part++)
		ranges_free(&p->ids[part]);
}
