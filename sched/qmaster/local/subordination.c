/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/subordination.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void subordination_queuewise(struct subordination_queue *queues, size_t nqueues, const struct subordination_entry *entries, size_t n)
{
	for (size_t q = 0; q < nqueues; q++)
		queues[q].suspended = false;
	for (size_t i = 0; i < n; i++) {
		const struct subordination_queue *above = &queues[entries[i].above];
		uint32_t threshold = entries[i].slots ? entries[i].slots : above->slots;

		if (!entries[i].slotwise && above->used > 0 && above->used >= threshold)
			queues[entries[i].below].suspended = true;
	}
}

/* Slot-wise */

struct slotwise_rank {			/* of a queue below the root of a tree */
	uint32_t depth;			/* 0: it is not there, or the root */
	uint32_t seq_no;
	size_t place;			/* of its entry */
	bool longest;
};

struct slotwise_tree {			/* a queue with a slot-wise list, and all below it */
	uint32_t root, tasks;
	uint32_t height;
	uint64_t running;
	struct slotwise_rank *ranks;	/* by queue */
};

struct slotwise {
	size_t nqueues, ntasks, ntrees;
	struct subordination_task *items;
	struct slotwise_tree *trees;	/* the lowest first */
	struct slotwise_rank *room;	/* for all ranks */
};

/*
 * As far below as any list has it. A round for each level; lists that go round, which no cell has,
 * end with the last one.
 */
static void tree_rank(struct slotwise_tree *tree, size_t nqueues, const struct subordination_entry *entries, size_t n)
{
	bool more = true;

	for (uint32_t depth = 1; more && depth < nqueues; depth++) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct subordination_entry *e = &entries[i];
			bool reached = depth == 1 ? e->above == tree->root : tree->ranks[e->above].depth == depth - 1;

			if (!e->slotwise || !reached || e->below == tree->root)
				continue;
			tree->ranks[e->below] = (struct slotwise_rank){ depth, e->seq_no, i, e->longest };
			tree->height = depth;
			more = true;
		}
	}
}

static int tree_compare(const void *a, const void *b)
{
	const struct slotwise_tree *x = a, *y = b;

	if (x->height != y->height)
		return x->height < y->height ? -1 : 1;
	return x->root < y->root ? -1 : x->root > y->root;
}

static int trees_make(struct slotwise *s, const struct subordination_queue *queues, const struct subordination_entry *entries, size_t n)
{
	for (size_t q = 0; q < s->nqueues; q++)
		s->ntrees += queues[q].tasks > 0;
	s->trees = calloc(s->ntrees + 1, sizeof(*s->trees));
	s->room = calloc(s->ntrees * s->nqueues + 1, sizeof(*s->room));
	if (!s->trees || !s->room)
		return -ENOMEM;
	for (size_t q = 0, t = 0; q < s->nqueues; q++) {
		if (queues[q].tasks == 0)
			continue;
		s->trees[t] = (struct slotwise_tree){ .root = (uint32_t)q, .tasks = queues[q].tasks, .ranks = &s->room[t * s->nqueues] };
		tree_rank(&s->trees[t++], s->nqueues, entries, n);
	}
	qsort(s->trees, s->ntrees, sizeof(*s->trees), tree_compare);
	return 0;
}

static bool tree_has(const struct slotwise_tree *tree, const struct subordination_task *t)
{
	for (size_t i = 0; i < t->nqueues; i++)
		if (t->queues[i] == tree->root || tree->ranks[t->queues[i]].depth > 0)
			return true;
	return false;
}

/* The lowest of the queues that it has; depth 0: none is below the root. */
static struct slotwise_rank rank_of(const struct slotwise_tree *tree, const struct subordination_task *t)
{
	struct slotwise_rank lowest = { 0 };

	for (size_t i = 0; i < t->nqueues; i++) {
		const struct slotwise_rank *rank = &tree->ranks[t->queues[i]];

		if (rank->depth > lowest.depth || (rank->depth == lowest.depth && rank->seq_no > lowest.seq_no))
			lowest = *rank;
	}
	return lowest;
}

/*
 * > 0: x is to be suspended rather than y, and goes on later. Of two queues with the same number
 * the action of the one that was named first counts.
 */
static int rank_compare(const struct slotwise_rank *x, int64_t x_start, const struct slotwise_rank *y, int64_t y_start)
{
	bool longest = x->place < y->place ? x->longest : y->longest;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->seq_no != y->seq_no)
		return x->seq_no < y->seq_no ? -1 : 1;
	if (x_start == y_start)
		return 0;
	return (x_start > y_start) == !longest ? 1 : -1;
}

static bool is_running(const struct subordination_task *t)
{
	return !t->held && !t->preempted;
}

/* The count of each tree that has it. */
static void trees_count(struct slotwise *s, const struct subordination_task *t, int change)
{
	for (size_t i = 0; i < s->ntrees; i++)
		if (tree_has(&s->trees[i], t))
			s->trees[i].running += (uint64_t)(int64_t)change;
}

/* Every list above it allows one task more. */
static bool has_room(const struct slotwise *s, const struct subordination_task *t)
{
	for (size_t i = 0; i < s->ntrees; i++)
		if (s->trees[i].running >= s->trees[i].tasks && tree_has(&s->trees[i], t))
			return false;
	return true;
}

/* The task to be suspended, or the one to go on; NULL: there is none. */
static struct subordination_task *tree_choose(const struct slotwise *s, const struct slotwise_tree *tree, bool suspend)
{
	struct subordination_task *best = NULL;
	struct slotwise_rank best_rank = { 0 };

	for (size_t i = 0; i < s->ntasks; i++) {
		struct subordination_task *t = &s->items[i];
		struct slotwise_rank rank = rank_of(tree, t);
		int order = best ? rank_compare(&rank, t->start_time, &best_rank, best->start_time) : 0;

		if (rank.depth == 0 || t->held || t->spared || t->preempted == suspend || (suspend ? order < 0 : order > 0 || !has_room(s, t)))
			continue;
		best = t;
		best_rank = rank;
	}
	return best;
}

static void preempt(struct slotwise *s, struct subordination_task *t, bool suspend)
{
	t->preempted = suspend;
	trees_count(s, t, suspend ? -1 : 1);
}

static bool is_below_any(const struct slotwise *s, const struct subordination_task *t)
{
	for (size_t i = 0; i < s->ntrees; i++)
		if (rank_of(&s->trees[i], t).depth > 0)
			return true;
	return false;
}

static void tasks_decide(struct slotwise *s)
{
	struct subordination_task *t;

	for (size_t i = 0; i < s->ntasks; i++) {
		s->items[i].preempted &= is_below_any(s, &s->items[i]);
		if (is_running(&s->items[i]))
			trees_count(s, &s->items[i], 1);
	}
	for (size_t i = 0; i < s->ntrees; i++)
		while (s->trees[i].running > s->trees[i].tasks && (t = tree_choose(s, &s->trees[i], true)))
			preempt(s, t, true);
	for (size_t i = s->ntrees; i > 0; i--)
		while ((t = tree_choose(s, &s->trees[i - 1], false)))
			preempt(s, t, false);
}

int subordination_slotwise(const struct subordination_queue *queues, size_t nqueues, const struct subordination_entry *entries, size_t n,
			   struct subordination_task *tasks, size_t ntasks)
{
	struct slotwise s = { .nqueues = nqueues, .ntasks = ntasks, .items = tasks };
	int rc = trees_make(&s, queues, entries, n);

	if (rc == 0)
		tasks_decide(&s);
	free(s.trees);
	free(s.room);
	return rc;
}
