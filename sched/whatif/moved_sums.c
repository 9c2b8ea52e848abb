/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of moves and starts over all jobs of a user or a project. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/whatif/moves_inside.h"

static bool sum_any(const struct moved_sum *sum)
{
	return sum->jobs || sum->starts || sum->waits;
}

static int by_owner(const void *a, const void *b)
{
	return strcmp(((const struct moved_sum *)a)->name, ((const struct moved_sum *)b)->name);
}

static uint64_t weight(const struct moved_sum *sum)
{
	return (uint64_t)(sum->places < 0 ? -sum->places : sum->places);
}

static int by_weight(const void *a, const void *b)
{
	const struct moved_sum *x = a, *y = b;
	uint64_t p = weight(x), q = weight(y), u = x->up + x->down, v = y->up + y->down;

	return p != q ? (p > q ? -1 : 1) : u != v ? (u > v ? -1 : 1) : strcmp(x->name, y->name);
}

static void sum_add(struct moved_sum *to, const struct moved_sum *sum)
{
	to->jobs += sum->jobs;
	to->up += sum->up;
	to->down += sum->down;
	to->places += sum->places;
	to->starts += sum->starts;
	to->waits += sum->waits;
}

/* Combine the sums of classes with the same name. */
int moves_sum(const struct moves_walk *walk, bool project, struct moved_sum **items, size_t *n)
{
	struct moved_sum *all = malloc((walk->sums.n + 1) * sizeof(*all));
	size_t count = 0, kept = 0;

	if (!all)
		return -ENOMEM;
	for (uint64_t i = 0; i < walk->sums.n; i++) {
		struct class_record class;

		if (!sum_any(&walk->sums.items[i]) ||
		    !record_copy(&walk->first->view, TABLE_CLASSES, i, &class, sizeof(class)))
			continue;
		all[count] = walk->sums.items[i];
		all[count++].name = view_string(&walk->first->view, project ? class.project : class.owner);
	}
	qsort(all, count, sizeof(*all), by_owner);
	for (size_t i = 0; i < count; i++)
		if (kept > 0 && strcmp(all[kept - 1].name, all[i].name) == 0)
			sum_add(&all[kept - 1], &all[i]);
		else
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_weight);
	*items = all;
	*n = kept;
	return 0;
}
