/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sort tasks by key, descending, then by rank of their job, ascending, then by position. This is a
 * natural merge sort, because the input is nearly sorted or consists of sorted pieces. Sorted runs
 * are detected, and up to ORDER_FAN of them are merged at once: r runs cost log2(r) comparisons per
 * task and one pass over the memory. Private to tickets/.
 *
 *     order_begin(&o, range);
 *     while (order_left(&o))
 *             i = order_next(&o);	... range.tasks[i], range.keys[i] are next
 *
 * Alternatively order_sort() sorts the range itself.
 */
#ifndef TICKETS_ORDER_H
#define TICKETS_ORDER_H

#include <string.h>

#include "tickets/tickets.h"

#define ORDER_FAN 1024

struct task_range {
	uint32_t *tasks;
	double *keys;			/* finite; keys[i] belongs to tasks[i] and moves with it */
	uint32_t *other_tasks;		/* room for as many */
	double *other_keys;
	uint32_t n;
	const uint32_t *job;		/* job of each task */
	const uint32_t *rank;		/* indexed by job; NULL: the job itself */
};

/*
 * A tournament of runs. Each inner node of the binary tree stores the loser at this node, so the
 * next winner only has to be compared with the items that lost against the last winner.
 */
struct tournament {
	struct task_range range;
	uint32_t left;			/* remaining tasks */
	uint32_t leaves;		/* a power of two */
	uint32_t winner;
	/* Per leaf: the rest of its run. */
	uint32_t next[ORDER_FAN], end[ORDER_FAN];
	int64_t key[ORDER_FAN];		/* key of `next`, as an integer; ORDER_END: nothing left */
	uint32_t loser[ORDER_FAN];	/* per inner node, the root is 1 */
};

#define ORDER_END INT64_MIN	/* less than any number */

/* Return an integer that compares like the double: it can be selected without a branch. */
static inline int64_t order_key(double value)
{
	int64_t bits;

	value += 0.0;		/* -0 becomes 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static inline uint32_t range_rank(const struct task_range *range, uint32_t i)
{
	uint32_t job = range->job[range->tasks[i]];

	return range->rank ? range->rank[job] : job;
}

/* Compare two tasks with equal keys. */
static inline bool range_tie_before(const struct task_range *range, uint32_t a, uint32_t b)
{
	uint32_t x = range_rank(range, a), y = range_rank(range, b);

	return x != y ? x < y : range->tasks[a] < range->tasks[b];
}

/* Compare two leaves with equal keys. */
static inline bool order_tie_before(const struct tournament *tournament, uint32_t a, uint32_t b)
{
	return tournament->key[a] != ORDER_END &&
	       range_tie_before(&tournament->range, tournament->next[a], tournament->next[b]);
}

/* Prepare the merge. May move the contents of the range. */
void order_begin(struct tournament *tournament, const struct task_range *range);

static inline bool order_left(const struct tournament *tournament)
{
	return tournament->left > 0;
}

/* Return the position in the range of the next task. */
static inline uint32_t order_next(struct tournament *tournament)
{
	uint32_t leaf = tournament->winner, i = tournament->next[leaf]++;
	int64_t key = i + 1 < tournament->end[leaf] ? order_key(tournament->range.keys[i + 1]) : ORDER_END;

	/* hardware does not predict many short runs */
	__builtin_prefetch(&tournament->range.keys[i + 8]);
	__builtin_prefetch(&tournament->range.tasks[i + 16]);
	tournament->left--;
	tournament->key[leaf] = key;
	for (uint32_t node = (leaf + tournament->leaves) / 2; node > 0; node /= 2) {
		uint32_t other = tournament->loser[node];
		int64_t other_key = tournament->key[other];
		/* full or empty mask instead of a branch, which could not be predicted */
		uint64_t change = -(uint64_t)(other_key > key);

		if (__builtin_expect(other_key == key, 0))
			change = -(uint64_t)order_tie_before(tournament, other, leaf);
		tournament->loser[node] = other ^ ((other ^ leaf) & (uint32_t)change);
		leaf ^= (leaf ^ other) & (uint32_t)change;
		key ^= (key ^ other_key) & (int64_t)change;
	}
	tournament->winner = leaf;
	return i;
}

void order_sort(const struct task_range *range);

#endif
