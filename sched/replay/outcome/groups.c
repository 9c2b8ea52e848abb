/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum outcome_name name_of[] = {
	[BY_USER] = OUTCOME_USER, [BY_GROUP] = OUTCOME_GROUP, [BY_PROJECT] = OUTCOME_PROJECT
};

size_t group_of(const struct outcome_job *job, enum grouping by)
{
	if (by == BY_SIZE)
		return size_class(job->slots);
	if (by == BY_TIME)
		return time_class(job->run_s == UINT32_MAX ? -1 : (int64_t)job->run_s);
	return job->names[name_of[by]];
}

size_t groups_count(const struct outcome *outcome, enum grouping by)
{
	if (by == BY_SIZE)
		return SIZE_CLASSES;
	return by == BY_TIME ? TIME_CLASSES : outcome_names(outcome, name_of[by]) + 1;
}

static const char *grouping_name(const struct outcome *outcome, enum grouping by, size_t number)
{
	if (by == BY_SIZE)
		return size_class_name((unsigned)number);
	return by == BY_TIME ? time_class_name((unsigned)number) : outcome_name(outcome, name_of[by], (uint32_t)number);
}

struct draft_groups {			/* while they are made: all possible groups */
	struct group_answer *items;
	size_t n;
	size_t *begins;			/* n + 1: ranges of their values in `values` */
	double *values;
	enum grouping by;
};

static void ran(void *context, const struct outcome_job *job, int64_t began, int64_t end, bool lost)
{
	struct draft_groups *groups = context;

	(void)lost;
	if (end > began)
		groups->items[group_of(job, groups->by)].slot_s += (double)job->slots * (double)(end - began);
}

static void count(struct draft_groups *groups, const struct outcome_job *jobs, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct group_answer *item = &groups->items[group_of(&jobs[k], groups->by)];

		item->jobs += jobs[k].state != OUTCOME_ABSENT;
		item->started += jobs[k].state != OUTCOME_ABSENT && jobs[k].start > 0;
	}
	for (size_t k = 0; k < groups->n; k++)
		groups->begins[k + 1] = groups->begins[k] + groups->items[k].started;
}

/* Compute the distributions. Ascending values stay so within each group. `filled`: n entries. */
static void distribute(struct draft_groups *groups, const struct ranking *ranking, const struct outcome_job *jobs,
		       size_t *filled, size_t field)
{
	memcpy(filled, groups->begins, groups->n * sizeof(*filled));
	for (size_t k = 0; k < ranking->n; k++)
		groups->values[filled[group_of(&jobs[ranking->items[k].job], groups->by)]++] = ranking->items[k].value;
	for (size_t k = 0; k < groups->n; k++)
		distribution_of((struct distribution *)((char *)&groups->items[k] + field),
				groups->values + groups->begins[k], groups->items[k].started);
}

static int by_slot_s(const void *a, const void *b)
{
	const struct group_answer *x = a, *y = b;

	if (x->slot_s != y->slot_s)
		return x->slot_s > y->slot_s ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Keep only groups that have jobs. `made` takes ownership of the items. */
static void settle(struct grouping_answer *made, struct draft_groups *groups, const struct outcome *outcome)
{
	double sum = 0.0;

	for (size_t k = 0; k < groups->n; k++) {
		groups->items[k].number = (uint32_t)k;
		groups->items[k].name = grouping_name(outcome, groups->by, k);
		sum += groups->items[k].slot_s;
	}
	made->items = groups->items;
	for (size_t k = 0; k < groups->n; k++)
		if (groups->items[k].jobs > 0)
			made->items[made->n++] = groups->items[k];
	for (size_t k = 0; k < made->n; k++)
		made->items[k].received = sum > 0.0 ? made->items[k].slot_s / sum : 0.0;
	if (groups->by < BY_SIZE)
		qsort(made->items, made->n, sizeof(*made->items), by_slot_s);
	for (size_t k = 0; k < made->n; k++)
		made->places[made->items[k].number] = (uint32_t)k;
	groups->items = NULL;
}

static int grouping_make(struct answers *answers, enum grouping by, const struct ranking *waits,
			 const struct ranking *slowdowns, int64_t until)
{
	struct draft_groups groups = { .n = groups_count(answers->outcome, by), .by = by };
	size_t n, *filled = calloc(groups.n, sizeof(*filled));
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);
	int rc = -ENOMEM;

	groups.items = calloc(groups.n, sizeof(*groups.items));
	groups.begins = calloc(groups.n + 1, sizeof(*groups.begins));
	groups.values = calloc(waits->n + 1, sizeof(*groups.values));
	answers->by[by].places = malloc(groups.n * sizeof(*answers->by[by].places));
	answers->by[by].numbers = groups.n;
	if (filled && groups.items && groups.begins && groups.values && answers->by[by].places) {
		memset(answers->by[by].places, 0xff, groups.n * sizeof(*answers->by[by].places));
		count(&groups, jobs, n);
		distribute(&groups, waits, jobs, filled, offsetof(struct group_answer, wait));
		distribute(&groups, slowdowns, jobs, filled, offsetof(struct group_answer, slowdown));
		outcome_walk(answers->outcome, until, ran, &groups);
		settle(&answers->by[by], &groups, answers->outcome);
		rc = 0;
	}
	free(filled);
	free(groups.items);
	free(groups.begins);
	free(groups.values);
	return rc;
}

struct group_answer *answers_group(const struct answers *a, enum grouping by, uint32_t number)
{
	const struct grouping_answer *answer = &a->by[by];

	return number < answer->numbers && answer->places[number] != INDEX_NONE ? &answer->items[answer->places[number]]
										: NULL;
}

int groups_make(struct answers *answers, const struct ranking *waits, const struct ranking *slowdowns, int64_t until)
{
	int rc = 0;

	for (unsigned by = 0; !rc && by < GROUPINGS; by++)
		rc = grouping_make(answers, by, waits, slowdowns, until);
	return rc;
}
