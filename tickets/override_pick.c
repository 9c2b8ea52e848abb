/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pick pending tasks by shared override tickets. Queues with equal project, department and -ot form
 * a group. Only the user's part differs, so the best queue of a group is the one with the largest
 * user's part, whatever the other parts are at the moment. There are two levels of heaps, both
 * lazy. A pick can only lower values, so values on a heap may be too high but never too low. The
 * top is the best if it is up to date. A pick costs the logarithm of the number of queues.
 *
 * The user's part decides within a group only if two different parts still differ after the other
 * parts were added and rounded. Parts are quotients tickets/n; different ones differ by at least
 * 1/n^2. If rounding could hide that, each queue is a group of its own, and complete values are
 * compared.
 */
#include "tickets/override_pick.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "conf/base/heap.h"

/* Far more than three additions can lose, in units of the last place. */
#define ROUNDING_STEPS 16

struct selection {			/* state for one component */
	const struct pending_tasks *pending;
	const uint32_t *members;
	struct task_queue *queues;
	struct queue_pool *pools;	/* pools of all components */
	struct queue_group *groups, **heap;
	size_t n;			/* groups on the heap */
	bool users_in_groups;		/* some user is in more than one group */
	struct pick_witness *witness;	/* or NULL */
	uint64_t clock;
};

static const struct queue_pool no_pool;		/* contributes 0 to each task */

static const struct queue_pool *pool_of(const struct selection *selection, const struct task_queue *queue,
					enum sharer_kind kind)
{
	return queue->pool[kind] == TICKETS_NONE ? &no_pool : &selection->pools[queue->pool[kind]];
}

/* Add up the parts. The order of addition affects the result. */
static double queue_value(double user, double project, double department, uint32_t job_value)
{
	return user + project + department + job_value;
}

/* A single queue, whose tasks are picked in their order */

static void pick_alone(struct selection *selection, const struct task_queue *queue)
{
	struct queue_pool pools[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		pools[k] = *pool_of(selection, queue, k);
	for (uint32_t i = queue->begin; i < queue->end; i++) {
		double value = queue_value(part_of_next(&pools[SHARER_USER]), part_of_next(&pools[SHARER_PROJECT]),
					   part_of_next(&pools[SHARER_DEPARTMENT]), queue->job_value);

		if (selection->witness)
			picked_tasks_add(&selection->witness->override, selection->members[i]);
		selection->pending->override[selection->members[i]] = value;
		selection->pending->accumulated[selection->members[i]] += value;
		for (int k = 0; k < SHARER_KINDS; k++)
			pools[k].active++;
	}
}

/* Heaps of queues and of groups */

static uint64_t group_version(const struct queue_group *group)
{
	return group->project->version > group->department->version ? group->project->version
								    : group->department->version;
}

static struct task_queue *queue_of(const struct selection *selection, const struct queue_entry *entry)
{
	return &selection->queues[entry->queue];
}

static void queue_evaluate(const struct selection *selection, struct queue_entry *entry)
{
	struct task_queue *queue = queue_of(selection, entry);
	const struct queue_pool *user = pool_of(selection, queue, SHARER_USER);

	entry->rank = user->part;
	entry->turn = pending_number(selection->pending, selection->members[queue->begin]);
	queue->version = user->version;
}

static bool queue_is_stale(const struct selection *selection, const struct queue_entry *entry)
{
	const struct task_queue *queue = queue_of(selection, entry);

	return queue->version != pool_of(selection, queue, SHARER_USER)->version;
}

static double group_value(const struct queue_group *group)
{
	return queue_value(group->user, group->project->part, group->department->part, group->job_value);
}

/* Find the best queue of a group, and the user's part there. */
static void group_find_best(const struct selection *selection, struct queue_group *group)
{
	while (queue_is_stale(selection, &group->queues.items[0])) {
		queue_evaluate(selection, &group->queues.items[0]);
		queue_heap_sink(&group->queues, 0);
	}
	group->user = group->queues.items[0].rank;
	group->turn = group->queues.items[0].turn;
}

static void group_evaluate(const struct selection *selection, struct queue_group *group)
{
	group_find_best(selection, group);
	group->value = group_value(group);
	group->version = group_version(group);
}

static bool group_is_stale(const struct selection *selection, const struct queue_group *group)
{
	return group->version != group_version(group) || queue_is_stale(selection, &group->queues.items[0]);
}

static inline bool group_before(const struct selection *selection, struct queue_group *const *a,
				struct queue_group *const *b)
{
	(void)selection;
	return (*a)->value != (*b)->value ? (*a)->value > (*b)->value : (*a)->turn < (*b)->turn;
}

/* Groups */

static int by_group(const void *a, const void *b, void *context)
{
	const struct selection *selection = context;
	const struct task_queue *x = queue_of(selection, a), *y = queue_of(selection, b);

	if (x->sharer[SHARER_PROJECT] != y->sharer[SHARER_PROJECT])
		return x->sharer[SHARER_PROJECT] < y->sharer[SHARER_PROJECT] ? -1 : 1;
	if (x->sharer[SHARER_DEPARTMENT] != y->sharer[SHARER_DEPARTMENT])
		return x->sharer[SHARER_DEPARTMENT] < y->sharer[SHARER_DEPARTMENT] ? -1 : 1;
	return x->job_value < y->job_value ? -1 : x->job_value > y->job_value;
}

/* Return whether different parts of two users could become equal when the other parts are added. */
static bool rounding_hides(const struct selection *selection, const struct queue_entry *queues, size_t n)
{
	double most_tasks = 1.0, most_tickets = 1.0;

	for (size_t i = 0; i < n; i++) {
		double tickets = queue_of(selection, &queues[i])->job_value;

		for (int k = 0; k < SHARER_KINDS; k++) {
			const struct queue_pool *pool = pool_of(selection, queue_of(selection, &queues[i]), k);

			tickets += pool->oticket;
			if (k == SHARER_USER)
				most_tasks = fmax(most_tasks, (double)pool->active + pool->tasks + 1.0);
		}
		most_tickets = fmax(most_tickets, tickets);
	}
	return most_tasks * most_tasks * most_tickets * DBL_EPSILON * ROUNDING_STEPS >= 1.0;
}

static void groups_build(struct selection *selection, struct queue_entry *queues, size_t nqueues)
{
	bool alone = rounding_hides(selection, queues, nqueues);

	for (size_t i = 0; i < nqueues; i++) {
		queue_evaluate(selection, &queues[i]);
		selection->users_in_groups |=
			pool_of(selection, queue_of(selection, &queues[i]), SHARER_USER)->queues > 1;
	}
	qsort_r(queues, nqueues, sizeof(*queues), by_group, selection);
	for (size_t i = 0; i < nqueues; i++) {
		const struct task_queue *queue = queue_of(selection, &queues[i]);
		struct queue_group *group = selection->groups + selection->n;

		if (i > 0 && !alone && by_group(&queues[i - 1], &queues[i], selection) == 0) {
			group[-1].queues.n++;
			continue;
		}
		*group = (struct queue_group){
			.queues = { .items = queues + i, .n = 1 }, .project = pool_of(selection, queue, SHARER_PROJECT),
			.department = pool_of(selection, queue, SHARER_DEPARTMENT), .job_value = queue->job_value };
		selection->n++;
	}
	for (size_t i = 0; i < selection->n; i++) {
		queue_heap_build(&selection->groups[i].queues);
		group_find_best(selection, &selection->groups[i]);
	}
}

/* Picking */

static void count_pick(struct selection *selection, const struct task_queue *queue)
{
	selection->clock++;
	for (int k = 0; k < SHARER_KINDS; k++) {
		struct queue_pool *pool;

		if (queue->pool[k] == TICKETS_NONE)
			continue;
		pool = &selection->pools[queue->pool[k]];
		pool->active++;
		pool->part = part_of_next(pool);
		pool->version = selection->clock;
	}
}

/* Give the head of the best queue the value of the group. */
static void pick(struct selection *selection, struct queue_group *group, double value)
{
	struct task_queue *queue = queue_of(selection, &group->queues.items[0]);
	uint32_t task = selection->members[queue->begin++];

	__builtin_prefetch(&selection->pending->override[task + 8], 1);
	__builtin_prefetch(&selection->pending->accumulated[task + 8], 1);
	__builtin_prefetch(&selection->pending->job[task + 16]);
	if (selection->witness)
		picked_tasks_add(&selection->witness->override, task);
	selection->pending->override[task] = value;
	selection->pending->accumulated[task] += value;
	count_pick(selection, queue);
	if (queue->begin == queue->end) {
		queue_heap_pop(&group->queues);
	} else {
		queue_evaluate(selection, &group->queues.items[0]);
		queue_heap_sink(&group->queues, 0);
	}
}

/* Move the remaining groups together, each with its best queue. */
static void groups_compact(struct selection *selection)
{
	for (size_t i = 0, n = 0; n < selection->n; i++) {
		if (selection->groups[i].queues.n == 0)
			continue;
		selection->groups[n] = selection->groups[i];
		group_find_best(selection, &selection->groups[n++]);
	}
}

/*
 * Limits for the choice between heap and scan. A pick lowers all groups of its project and
 * department. If these are most of the groups and have equal values, each comes to the top only to
 * be found out of date. In that case a scan of all groups is better, since checking a group is much
 * cheaper than evaluating and sinking it. That may change while tickets decrease, so the heap is
 * tried again from time to time.
 */
#define FEW_GROUPS 48		/* groups that are always scanned */
#define CHECKS_PER_EVALUATION 16	/* checks that cost as much as one evaluation with sinking */
#define SCANS 256		/* picks between two tries of the heap */

/* Pick with the heap until few groups are left, or a scan is cheaper. */
static void pick_by_heap(struct selection *selection)
{
	size_t due = selection->n;	/* number of evaluations that are still allowed */

	for (size_t i = 0; i < selection->n; i++) {
		selection->heap[i] = &selection->groups[i];
		group_evaluate(selection, selection->heap[i]);
	}
	heap_build(selection->heap, selection->n, group_before, selection);
	while (selection->n > FEW_GROUPS && due > 0) {
		struct queue_group *group = selection->heap[0];

		if (group_is_stale(selection, group)) {
			group_evaluate(selection, group);
			heap_sink(selection->heap, selection->n, 0, group_before, selection);
			due--;
			continue;
		}
		pick(selection, group, group->value);
		if (group->queues.n == 0)
			selection->heap[0] = selection->heap[--selection->n];
		else
			group_evaluate(selection, group);
		heap_sink(selection->heap, selection->n, 0, group_before, selection);
		due += selection->n / CHECKS_PER_EVALUATION;
	}
	groups_compact(selection);
}

/* Pick by scanning for a number of picks, or to the end if there are few groups. */
static void pick_by_scan(struct selection *selection)
{
	struct queue_group *groups = selection->groups;

	for (size_t picks = 0; selection->n > 0 && (picks < SCANS || selection->n <= FEW_GROUPS); picks++) {
		size_t best = 0;
		double value = group_value(&groups[0]);

		for (size_t i = 1; i < selection->n; i++) {
			double other = group_value(&groups[i]);

			if (other > value || (other == value && groups[i].turn < groups[best].turn)) {
				best = i;
				value = other;
			}
		}
		pick(selection, &groups[best], value);
		if (groups[best].queues.n == 0)
			groups[best] = groups[--selection->n];
		else
			group_find_best(selection, &groups[best]);
		for (size_t i = 0; selection->users_in_groups && i < selection->n; i++)
			group_find_best(selection, &groups[i]);
	}
}

void override_pick(const struct pending_tasks *pending, struct ticket_scratch *scratch, uint32_t begin, uint32_t end)
{
	struct selection selection = { .pending = pending,
				       .members = scratch->members,
				       .queues = scratch->queues,
				       .pools = scratch->pools,
				       .groups = scratch->groups + begin,
				       .heap = scratch->group_heap + begin,
				       .witness = scratch->witness };

	if (end - begin == 1) {
		pick_alone(&selection, queue_of(&selection, &scratch->heap[begin]));
		return;
	}
	groups_build(&selection, scratch->heap + begin, end - begin);
	while (selection.n > 0) {
		if (selection.n > FEW_GROUPS)
			pick_by_heap(&selection);
		pick_by_scan(&selection);
	}
}
