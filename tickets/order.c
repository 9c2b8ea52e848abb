/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/order.h"

#include <string.h>

static inline bool before(const struct task_range *range, uint32_t a, uint32_t b)
{
	return range->keys[a] != range->keys[b] ? range->keys[a] > range->keys[b] : range_tie_before(range, a, b);
}

/* Return the end of the sorted run that begins here. */
static uint32_t run_end(const struct task_range *range, uint32_t begin)
{
	uint32_t end = begin + 1;

	while (end < range->n && !before(range, end, end - 1))
		end++;
	return end;
}

/* Return the winner below a node, and record the losers. */
static uint32_t play(struct tournament *tournament, uint32_t node)
{
	uint32_t a, b;

	if (node >= tournament->leaves)
		return node - tournament->leaves;
	a = play(tournament, 2 * node);
	b = play(tournament, 2 * node + 1);
	if (tournament->key[a] != tournament->key[b] ? tournament->key[b] > tournament->key[a]
						     : order_tie_before(tournament, b, a)) {
		tournament->loser[node] = a;
		return b;
	}
	tournament->loser[node] = b;
	return a;
}

/* Take as many runs as there is room for, from `begin` on. Return the end of the last one. */
static uint32_t take_runs(struct tournament *tournament, const struct task_range *range, uint32_t begin)
{
	uint32_t runs = 0, at = begin;

	tournament->range = *range;
	for (; runs < ORDER_FAN && at < range->n; runs++) {
		tournament->next[runs] = at;
		tournament->key[runs] = order_key(range->keys[at]);
		at = tournament->end[runs] = run_end(range, at);
	}
	for (tournament->leaves = 1; tournament->leaves < runs; tournament->leaves *= 2)
		;
	for (uint32_t leaf = runs; leaf < tournament->leaves; leaf++) {
		tournament->next[leaf] = tournament->end[leaf] = 0;
		tournament->key[leaf] = ORDER_END;
	}
	tournament->winner = play(tournament, 1);
	tournament->left = at - begin;
	return at;
}

/* Write the remaining tasks, from position `to` on, to the other half of the range. */
static void merge(struct tournament *tournament, const struct task_range *range, uint32_t to)
{
	for (; order_left(tournament); to++) {
		uint32_t i = order_next(tournament);

		range->other_tasks[to] = range->tasks[i];
		range->other_keys[to] = range->keys[i];
	}
}

static void copy_back(const struct task_range *range)
{
	memcpy(range->tasks, range->other_tasks, range->n * sizeof(*range->tasks));
	memcpy(range->keys, range->other_keys, range->n * sizeof(*range->keys));
}

/* Merge groups of runs until there are few enough. */
static void merge_groups(struct tournament *tournament, const struct task_range *range, uint32_t end)
{
	uint32_t begin = 0;

	while (end < range->n || begin > 0) {
		merge(tournament, range, begin);
		if (end == range->n) {
			copy_back(range);
			end = 0;
		}
		begin = end;
		end = take_runs(tournament, range, begin);
	}
}

void order_begin(struct tournament *tournament, const struct task_range *range)
{
	if (range->n == 0)
		tournament->left = 0;
	else
		merge_groups(tournament, range, take_runs(tournament, range, 0));
}

void order_sort(const struct task_range *range)
{
	struct tournament tournament;

	if (range->n == 0 || run_end(range, 0) == range->n)
		return;
	order_begin(&tournament, range);
	merge(&tournament, range, 0);
	copy_back(range);
}
