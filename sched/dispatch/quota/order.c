/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the quota sets. A set moves to the end of the list when a task begins to count in
 * it.
 */
#include <stdlib.h>

#include "sched/dispatch/quota/rules.h"

void quotas_order_clear(struct quotas *quotas)
{
	quotas->moved = false;
	for (size_t i = 0; i < quotas->nsets; i++)
		quotas->turns[i] = (struct set_turn){ .number = (uint32_t)i };
}

static int turn_compare(const struct quota_turn *a, const struct quota_turn *b)
{
	if ((a->nth == 0) != (b->nth == 0))
		return a->nth == 0 ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Compare sets. A task moves the sets in which it counts in the order of the file. */
static int set_compare(const void *left, const void *right)
{
	const struct set_turn *a = left, *b = right;
	int order = turn_compare(&a->last, &b->last);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

void quotas_began(struct quotas *quotas, uint32_t rule, const struct quota_turn *turn)
{
	struct set_turn *set = &quotas->turns[quotas->rules[rule].number];

	if (turn_compare(&set->last, turn) < 0)
		set->last = *turn;
}

void quotas_order(struct quotas *quotas)
{
	qsort(quotas->turns, quotas->nsets, sizeof(*quotas->turns), set_compare);
	for (size_t i = 0; i < quotas->nsets; i++) {
		quotas->places[quotas->turns[i].number] = (uint32_t)i;
		quotas->moved |= quotas->turns[i].number != i;
	}
}

/* Sort by insertion, since there are few. */
void quotas_order_hits(const struct quotas *quotas, uint32_t *hits, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t hit = hits[i], place = quotas->places[quotas->rules[hit].number];
		size_t k = i;

		for (; k > 0 && quotas->places[quotas->rules[hits[k - 1]].number] > place; k--)
			hits[k] = hits[k - 1];
		hits[k] = hit;
	}
}
