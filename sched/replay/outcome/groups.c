/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum outcome_name name_of[] = { [BY_USER] = OUTCOME_USER, [BY_GROUP] = OUTCOME_GROUP, [BY_PROJECT] = OUTCOME_PROJECT };

size_t group_of(const struct outcome_job *job, enum grouping by)
{
	if (by == BY_SIZE)
		return size_class(job->slots);
	if (by == BY_TIME)
		return time_class(job->run_s == UINT32_MAX ? -1 : (int64_t)job->run_s);
	return job->names[name_of[by]];
}

size_t groups_count(const struct outcome *o, enum grouping by)
{
	if (by == BY_SIZE)
		return SIZE_CLASSES;
	return by == BY_TIME ? TIME_CLASSES : outcome_names(o, name_of[by]) + 1;
}

const char *grouping_name(const struct outcome *o, enum grouping by, size_t number)
{
	if (by == BY_SIZE)
		return size_class_name((unsigned)number);
	return by == BY_TIME ? time_class_name((unsigned)number) : outcome_name(o, name_of[by], (uint32_t)number);
}

struct draft_groups {			/* while they are made: all that there could be */
	struct group_answer *items;
	size_t n;
	size_t *begins;			/* n + 1: of their values, in */
	double *values;
	enum grouping by;
};

static void ran(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct draft_groups *g = context;

	(void)lost;
	if (end > began)
		g->items[group_of(job, g->by)].slot_s += (double)job->slots * (double)(end - began);
}

static void count(struct draft_groups *g, const struct outcome_job *jobs, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct group_answer *item = &g->items[group_of(&jobs[k], g->by)];

		item->jobs += jobs[k].state != OUTCOME_ABSENT;
		item->started += jobs[k].state != OUTCOME_ABSENT && jobs[k].start > 0;
	}
	for (size_t k = 0; k < g->n; k++)
		g->begins[k + 1] = g->begins[k] + g->items[k].started;
}

/* What comes in ascending order stays so within each group. `filled` is n of room. */
static void distribute(struct draft_groups *g, const struct ranking *r, const struct outcome_job *jobs, size_t *filled, size_t field)
{
	memcpy(filled, g->begins, g->n * sizeof(*filled));
	for (size_t k = 0; k < r->n; k++)
		g->values[filled[group_of(&jobs[r->items[k].job], g->by)]++] = r->items[k].value;
	for (size_t k = 0; k < g->n; k++)
		distribution_of((struct distribution *)((char *)&g->items[k] + field), g->values + g->begins[k], g->items[k].started);
}

static int by_slot_s(const void *a, const void *b)
{
	const struct group_answer *x = a, *y = b;

	if (x->slot_s != y->slot_s)
		return x->slot_s > y->slot_s ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Only those that have jobs; `g` loses them to `made`. */
static void settle(struct grouping_answer *made, struct draft_groups *g, const struct outcome *o)
{
	double sum = 0.0;

	for (size_t k = 0; k < g->n; k++) {
		g->items[k].number = (uint32_t)k;
		g->items[k].name = grouping_name(o, g->by, k);
		sum += g->items[k].slot_s;
	}
	made->items = g->items;
	for (size_t k = 0; k < g->n; k++)
		if (g->items[k].jobs > 0)
			made->items[made->n++] = g->items[k];
	for (size_t k = 0; k < made->n; k++)
		made->items[k].received = sum > 0.0 ? made->items[k].slot_s / sum : 0.0;
	if (g->by < BY_SIZE)
		qsort(made->items, made->n, sizeof(*made->items), by_slot_s);
	for (size_t k = 0; k < made->n; k++)
		made->places[made->items[k].number] = (uint32_t)k;
	g->items = NULL;
}

static int grouping_make(struct answers *a, enum grouping by, const struct ranking *waits, const struct ranking *slowdowns, int64_t until)
{
	struct draft_groups g = { .n = groups_count(a->outcome, by), .by = by };
	size_t n, *filled = calloc(g.n, sizeof(*filled));
	const struct outcome_job *jobs = outcome_jobs(a->outcome, &n);
	int rc = -ENOMEM;

	g.items = calloc(g.n, sizeof(*g.items));
	g.begins = calloc(g.n + 1, sizeof(*g.begins));
	g.values = calloc(waits->n + 1, sizeof(*g.values));
	a->by[by].places = malloc(g.n * sizeof(*a->by[by].places));
	a->by[by].numbers = g.n;
	if (filled && g.items && g.begins && g.values && a->by[by].places) {
		memset(a->by[by].places, 0xff, g.n * sizeof(*a->by[by].places));
		count(&g, jobs, n);
		distribute(&g, waits, jobs, filled, offsetof(struct group_answer, wait));
		distribute(&g, slowdowns, jobs, filled, offsetof(struct group_answer, slowdown));
		outcome_walk(a->outcome, until, ran, &g);
		settle(&a->by[by], &g, a->outcome);
		rc = 0;
	}
	free(filled);
	free(g.items);
	free(g.begins);
	free(g.values);
	return rc;
}

struct group_answer *answers_group(const struct answers *a, enum grouping by, uint32_t number)
{
	const struct grouping_answer *g = &a->by[by];

	return number < g->numbers && g->places[number] != INDEX_NONE ? &g->items[g->places[number]] : NULL;
}

int groups_make(struct answers *a, const struct ranking *waits, const struct ranking *slowdowns, int64_t until)
{
	int rc = 0;

	for (unsigned by = 0; !rc && by < GROUPINGS; by++)
		rc = grouping_make(a, by, waits, slowdowns, until);
	return rc;
}
