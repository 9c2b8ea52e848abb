/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/subordination.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void subordination_queuewise(struct subordination_queue *queues, size_t nqueues,
			     const struct subordination_entry *entries, size_t n)
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

/* Slot-wise lists */

struct slotwise_rank {			/* Position of a queue below the root of a tree. */
	uint32_t depth;			/* 0: not in the tree, or the root */
	uint32_t seq_no;
	size_t place;			/* index of its entry */
	bool longest;
};

/* A queue with a slot-wise list, and all queues below it. */
struct slotwise_tree {
	uint32_t root, tasks;
	uint32_t height;
	uint64_t running;
	struct slotwise_rank *ranks;	/* by queue */
};

struct slotwise {
	size_t nqueues, ntasks, ntrees;
	struct subordination_task *items;
	struct slotwise_tree *trees;	/* lowest first */
	struct slotwise_rank *room;	/* memory of all ranks */
};

/*
 * Set the depth of each queue to the greatest depth in any list, one level per round. Cyclic lists,
 * which no valid cell has, end with the last round.
 */
static void tree_rank(struct slotwise_tree *tree, size_t nqueues, const struct subordination_entry *entries, size_t n)
{
	bool more = true;

	for (uint32_t depth = 1; more && depth < nqueues; depth++) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct subordination_entry *entry = &entries[i];
			bool reached =
				depth == 1 ? entry->above == tree->root : tree->ranks[entry->above].depth == depth - 1;

			if (!entry->slotwise || !reached || entry->below == tree->root)
				continue;
			tree->ranks[entry->below] = (struct slotwise_rank){ depth, entry->seq_no, i, entry->longest };
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

static int trees_make(struct slotwise *slotwise, const struct subordination_queue *queues,
		      const struct subordination_entry *entries, size_t n)
{
	for (size_t q = 0; q < slotwise->nqueues; q++)
		slotwise->ntrees += queues[q].tasks > 0;
	slotwise->trees = calloc(slotwise->ntrees + 1, sizeof(*slotwise->trees));
	slotwise->room = calloc(slotwise->ntrees * slotwise->nqueues + 1, sizeof(*slotwise->room));
	if (!slotwise->trees || !slotwise->room)
		return -ENOMEM;
	for (size_t q = 0, t = 0; q < slotwise->nqueues; q++) {
		if (queues[q].tasks == 0)
			continue;
		slotwise->trees[t] = (struct slotwise_tree){ .root = (uint32_t)q,
							     .tasks = queues[q].tasks,
							     .ranks = &slotwise->room[t * slotwise->nqueues] };
		tree_rank(&slotwise->trees[t++], slotwise->nqueues, entries, n);
	}
	qsort(slotwise->trees, slotwise->ntrees, sizeof(*slotwise->trees), tree_compare);
	return 0;
}

static bool tree_has(const struct slotwise_tree *tree, const struct subordination_task *task)
{
	for (size_t i = 0; i < task->nqueues; i++)
		if (task->queues[i] == tree->root || tree->ranks[task->queues[i]].depth > 0)
			return true;
	return false;
}

/* Return the lowest of the task's queues; depth 0: none is below the root. */
static struct slotwise_rank rank_of(const struct slotwise_tree *tree, const struct subordination_task *task)
{
	struct slotwise_rank lowest = { 0 };

	for (size_t i = 0; i < task->nqueues; i++) {
		const struct slotwise_rank *rank = &tree->ranks[task->queues[i]];

		if (rank->depth > lowest.depth || (rank->depth == lowest.depth && rank->seq_no > lowest.seq_no))
			lowest = *rank;
	}
	return lowest;
}

/*
 * Return > 0 if x is to be suspended before y, and resumed after it. If two queues have the same
 * seq_no, the action of the one that was named first counts.
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

static bool is_running(const struct subordination_task *task)
{
	return !task->held && !task->preempted;
}

/* Change the count of each tree that contains the task. */
static void trees_count(struct slotwise *slotwise, const struct subordination_task *task, int change)
{
	for (size_t i = 0; i < slotwise->ntrees; i++)
		if (tree_has(&slotwise->trees[i], task))
			slotwise->trees[i].running += (uint64_t)(int64_t)change;
}

/* Return whether all lists above a task permit one more task. */
static bool has_room(const struct slotwise *slotwise, const struct subordination_task *task)
{
	for (size_t i = 0; i < slotwise->ntrees; i++)
		if (slotwise->trees[i].running >= slotwise->trees[i].tasks && tree_has(&slotwise->trees[i], task))
			return false;
	return true;
}

/* Return the task to be suspended or resumed, or NULL. */
static struct subordination_task *tree_choose(const struct slotwise *slotwise, const struct slotwise_tree *tree,
					      bool suspend)
{
	struct subordination_task *best = NULL;
	struct slotwise_rank best_rank = { 0 };

	for (size_t i = 0; i < slotwise->ntasks; i++) {
		struct subordination_task *task = &slotwise->items[i];
		struct slotwise_rank rank = rank_of(tree, task);
		int order = best ? rank_compare(&rank, task->start_time, &best_rank, best->start_time) : 0;

		if (rank.depth == 0 || task->held || task->spared || task->preempted == suspend ||
		    (suspend ? order < 0 : order > 0 || !has_room(slotwise, task)))
			continue;
		best = task;
		best_rank = rank;
	}
	return best;
}

static void preempt(struct slotwise *slotwise, struct subordination_task *task, bool suspend)
{
	task->preempted = suspend;
	trees_count(slotwise, task, suspend ? -1 : 1);
}

static bool is_below_any(const struct slotwise *slotwise, const struct subordination_task *task)
{
	for (size_t i = 0; i < slotwise->ntrees; i++)
		if (rank_of(&slotwise->trees[i], task).depth > 0)
			return true;
	return false;
}

static void tasks_decide(struct slotwise *slotwise)
{
	struct subordination_task *task;

	for (size_t i = 0; i < slotwise->ntasks; i++) {
		slotwise->items[i].preempted &= is_below_any(slotwise, &slotwise->items[i]);
		if (is_running(&slotwise->items[i]))
			trees_count(slotwise, &slotwise->items[i], 1);
	}
	for (size_t i = 0; i < slotwise->ntrees; i++)
		while (slotwise->trees[i].running > slotwise->trees[i].tasks &&
		       (task = tree_choose(slotwise, &slotwise->trees[i], true)))
			preempt(slotwise, task, true);
	for (size_t i = slotwise->ntrees; i > 0; i--)
		while ((task = tree_choose(slotwise, &slotwise->trees[i - 1], false)))
			preempt(slotwise, task, false);
}

int subordination_slotwise(const struct subordination_queue *queues, size_t nqueues,
			   const struct subordination_entry *entries, size_t n, struct subordination_task *tasks,
			   size_t ntasks)
{
	struct slotwise slotwise = { .nqueues = nqueues, .ntasks = ntasks, .items = tasks };
	int rc = trees_make(&slotwise, queues, entries, n);

	if (rc == 0)
		tasks_decide(&slotwise);
	free(slotwise.trees);
	free(slotwise.room);
	return rc;
}
