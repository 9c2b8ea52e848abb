/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/order.h"

#include <string.h>

static inline bool before(const struct task_range *r, uint32_t a, uint32_t b)
{
	return r->keys[a] != r->keys[b] ? r->keys[a] > r->keys[b] : range_tie_before(r, a, b);
}

/* Where the run that begins here ends. */
static uint32_t run_end(const struct task_range *r, uint32_t begin)
{
	uint32_t end = begin + 1;

	while (end < r->n && !before(r, end, end - 1))
		end++;
	return end;
}

/* Who wins below a node; its losers are noted on the way. */
static uint32_t play(struct tournament *o, uint32_t node)
{
	uint32_t a, b;

	if (node >= o->leaves)
		return node - o->leaves;
	a = play(o, 2 * node);
	b = play(o, 2 * node + 1);
	if (o->key[a] != o->key[b] ? o->key[b] > o->key[a] : order_tie_before(o, b, a)) {
		o->loser[node] = a;
		return b;
	}
	o->loser[node] = b;
	return a;
}

/* As many runs as there is room for, from `begin` on. Returns where the last one ends. */
static uint32_t take_runs(struct tournament *o, const struct task_range *range, uint32_t begin)
{
	uint32_t runs = 0, at = begin;

	o->range = *range;
	for (; runs < ORDER_FAN && at < range->n; runs++) {
		o->next[runs] = at;
		o->key[runs] = order_key(range->keys[at]);
		at = o->end[runs] = run_end(range, at);
	}
	for (o->leaves = 1; o->leaves < runs; o->leaves *= 2)
		;
	for (uint32_t leaf = runs; leaf < o->leaves; leaf++) {
		o->next[leaf] = o->end[leaf] = 0;
		o->key[leaf] = ORDER_END;
	}
	o->winner = play(o, 1);
	o->left = at - begin;
	return at;
}

/* What is left to come, from place `to` on, into the other half of the range. */
static void merge(struct tournament *o, const struct task_range *range, uint32_t to)
{
	for (; order_left(o); to++) {
		uint32_t i = order_next(o);

		range->other_tasks[to] = range->tasks[i];
		range->other_keys[to] = range->keys[i];
	}
}

static void copy_back(const struct task_range *range)
{
	memcpy(range->tasks, range->other_tasks, range->n * sizeof(*range->tasks));
	memcpy(range->keys, range->other_keys, range->n * sizeof(*range->keys));
}

/* Merge groups of runs until they are few enough. */
static void merge_groups(struct tournament *o, const struct task_range *range, uint32_t end)
{
	uint32_t begin = 0;

	while (end < range->n || begin > 0) {
		merge(o, range, begin);
		if (end == range->n) {
			copy_back(range);
			end = 0;
		}
		begin = end;
		end = take_runs(o, range, begin);
	}
}

void order_begin(struct tournament *o, const struct task_range *range)
{
	if (range->n == 0)
		o->left = 0;
	else
		merge_groups(o, range, take_runs(o, range, 0));
}

void order_sort(const struct task_range *range)
{
	struct tournament o;

	if (range->n == 0 || run_end(range, 0) == range->n)
		return;
	order_begin(&o, range);
	merge(&o, range, 0);
	copy_back(range);
}
