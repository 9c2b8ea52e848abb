/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that share project, department and -ot form a group: only the user's part differs, so the
 * group's best queue is that with the largest user's part, whatever the others are at the moment.
 * Two levels of heaps, both lazy: a pick can only lower values, so those on a heap may be too high,
 * never too low, and the top is the best as soon as it is found to be up to date. A pick costs the
 * logarithm of the queues, not their number.
 *
 * The user's part decides within a group only if two that differ still differ after the other parts
 * were added and rounded. Parts are quotients tickets/n: different ones are at least 1/n^2 apart.
 * Where rounding could hide that, each queue is a group of its own, and whole values are compared.
 */
#include "tickets/override_pick.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "conf/heap.h"

/* many times what three additions can lose, in units of the last place */
#define ROUNDING_STEPS 16

struct selection {			/* of one component */
	const struct pending_tasks *pending;
	const uint32_t *members;
	struct task_queue *queues;
	struct queue_pool *pools;	/* of all components */
	struct queue_group *groups, **heap;
	size_t n;			/* groups on the heap */
	bool users_in_groups;		/* some user in more than one */
	struct pick_witness *witness;	/* NULL */
	uint64_t clock;
};

static const struct queue_pool no_pool;		/* brings 0 to each */

static const struct queue_pool *pool_of(const struct selection *s, const struct task_queue *q, enum sharer_kind kind)
{
	return q->pool[kind] == TICKETS_NONE ? &no_pool : &s->pools[q->pool[kind]];
}

/* The order of addition is part of the result. */
static double queue_value(double user, double project, double department, uint32_t job_value)
{
	return user + project + department + job_value;
}

/* A queue alone: nobody comes between its tasks */

static void pick_alone(struct selection *s, const struct task_queue *q)
{
	struct queue_pool pools[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		pools[k] = *pool_of(s, q, k);
	for (uint32_t i = q->begin; i < q->end; i++) {
		double value = queue_value(part_of_next(&pools[SHARER_USER]), part_of_next(&pools[SHARER_PROJECT]),
					   part_of_next(&pools[SHARER_DEPARTMENT]), q->job_value);

		if (s->witness)
			picked_tasks_add(&s->witness->override, s->members[i]);
		s->pending->override[s->members[i]] = value;
		s->pending->accumulated[s->members[i]] += value;
		for (int k = 0; k < SHARER_KINDS; k++)
			pools[k].active++;
	}
}

/* Heaps of queues and of groups */

static uint64_t group_version(const struct queue_group *g)
{
	return g->project->version > g->department->version ? g->project->version : g->department->version;
}

static struct task_queue *queue_of(const struct selection *s, const struct queue_entry *e)
{
	return &s->queues[e->queue];
}

static void queue_evaluate(const struct selection *s, struct queue_entry *e)
{
	struct task_queue *q = queue_of(s, e);
	const struct queue_pool *user = pool_of(s, q, SHARER_USER);

	e->rank = user->part;
	e->turn = pending_number(s->pending, s->members[q->begin]);
	q->version = user->version;
}

static bool queue_is_stale(const struct selection *s, const struct queue_entry *e)
{
	const struct task_queue *q = queue_of(s, e);

	return q->version != pool_of(s, q, SHARER_USER)->version;
}

static double group_value(const struct queue_group *g)
{
	return queue_value(g->user, g->project->part, g->department->part, g->job_value);
}

/* Which of its queues is the best, and what the user brings. */
static void group_find_best(const struct selection *s, struct queue_group *g)
{
	while (queue_is_stale(s, &g->queues.items[0])) {
		queue_evaluate(s, &g->queues.items[0]);
		queue_heap_sink(&g->queues, 0);
	}
	g->user = g->queues.items[0].rank;
	g->turn = g->queues.items[0].turn;
}

static void group_evaluate(const struct selection *s, struct queue_group *g)
{
	group_find_best(s, g);
	g->value = group_value(g);
	g->version = group_version(g);
}

static bool group_is_stale(const struct selection *s, const struct queue_group *g)
{
	return g->version != group_version(g) || queue_is_stale(s, &g->queues.items[0]);
}

static inline bool group_before(const struct selection *s, struct queue_group *const *a, struct queue_group *const *b)
{
	(void)s;
	return (*a)->value != (*b)->value ? (*a)->value > (*b)->value : (*a)->turn < (*b)->turn;
}

/* Groups */

static int by_group(const void *a, const void *b, void *context)
{
	const struct selection *s = context;
	const struct task_queue *x = queue_of(s, a), *y = queue_of(s, b);

	if (x->sharer[SHARER_PROJECT] != y->sharer[SHARER_PROJECT])
		return x->sharer[SHARER_PROJECT] < y->sharer[SHARER_PROJECT] ? -1 : 1;
	if (x->sharer[SHARER_DEPARTMENT] != y->sharer[SHARER_DEPARTMENT])
		return x->sharer[SHARER_DEPARTMENT] < y->sharer[SHARER_DEPARTMENT] ? -1 : 1;
	return x->job_value < y->job_value ? -1 : x->job_value > y->job_value;
}

/* Could two users' parts that differ become equal by adding the other parts? */
static bool rounding_hides(const struct selection *s, const struct queue_entry *queues, size_t n)
{
	double most_tasks = 1.0, most_tickets = 1.0;

	for (size_t i = 0; i < n; i++) {
		double tickets = queue_of(s, &queues[i])->job_value;

		for (int k = 0; k < SHARER_KINDS; k++) {
			const struct queue_pool *pool = pool_of(s, queue_of(s, &queues[i]), k);

			tickets += pool->oticket;
			if (k == SHARER_USER)
				most_tasks = fmax(most_tasks, (double)pool->active + pool->tasks + 1.0);
		}
		most_tickets = fmax(most_tickets, tickets);
	}
	return most_tasks * most_tasks * most_tickets * DBL_EPSILON * ROUNDING_STEPS >= 1.0;
}

static void groups_build(struct selection *s, struct queue_entry *queues, size_t nqueues)
{
	bool alone = rounding_hides(s, queues, nqueues);

	for (size_t i = 0; i < nqueues; i++) {
		queue_evaluate(s, &queues[i]);
		s->users_in_groups |= pool_of(s, queue_of(s, &queues[i]), SHARER_USER)->queues > 1;
	}
	qsort_r(queues, nqueues, sizeof(*queues), by_group, s);
	for (size_t i = 0; i < nqueues; i++) {
		const struct task_queue *q = queue_of(s, &queues[i]);
		struct queue_group *g = s->groups + s->n;

		if (i > 0 && !alone && by_group(&queues[i - 1], &queues[i], s) == 0) {
			g[-1].queues.n++;
			continue;
		}
		*g = (struct queue_group){
			.queues = { .items = queues + i, .n = 1 }, .project = pool_of(s, q, SHARER_PROJECT),
			.department = pool_of(s, q, SHARER_DEPARTMENT), .job_value = q->job_value };
		s->n++;
	}
	for (size_t i = 0; i < s->n; i++) {
		queue_heap_build(&s->groups[i].queues);
		group_find_best(s, &s->groups[i]);
	}
}

/* Picking */

static void count_pick(struct selection *s, const struct task_queue *q)
{
	s->clock++;
	for (int k = 0; k < SHARER_KINDS; k++) {
		struct queue_pool *pool;

		if (q->pool[k] == TICKETS_NONE)
			continue;
		pool = &s->pools[q->pool[k]];
		pool->active++;
		pool->part = part_of_next(pool);
		pool->version = s->clock;
	}
}

/* The best queue's head gets what the group is worth. */
static void pick(struct selection *s, struct queue_group *g, double value)
{
	struct task_queue *q = queue_of(s, &g->queues.items[0]);
	uint32_t task = s->members[q->begin++];

	__builtin_prefetch(&s->pending->override[task + 8], 1);
	__builtin_prefetch(&s->pending->accumulated[task + 8], 1);
	__builtin_prefetch(&s->pending->job[task + 16]);
	if (s->witness)
		picked_tasks_add(&s->witness->override, task);
	s->pending->override[task] = value;
	s->pending->accumulated[task] += value;
	count_pick(s, q);
	if (q->begin == q->end) {
		queue_heap_pop(&g->queues);
	} else {
		queue_evaluate(s, &g->queues.items[0]);
		queue_heap_sink(&g->queues, 0);
	}
}

/* The groups that are left next to each other, each with its best queue. */
static void groups_compact(struct selection *s)
{
	for (size_t i = 0, n = 0; n < s->n; i++) {
		if (s->groups[i].queues.n == 0)
			continue;
		s->groups[n] = s->groups[i];
		group_find_best(s, &s->groups[n++]);
	}
}

/*
 * A pick lowers all groups of its project and department. If they are most of the groups and worth
 * the same, each comes to the top only to be found out of date: looking at all of them, which is
 * that much cheaper than evaluating and sinking, is better then. That may change while tickets
 * dwindle, so the heap gets another chance from time to time.
 */
#define FEW_GROUPS 48		/* always looked at */
#define LOOKS 16		/* for one that is evaluated and sinks */
#define SCANS 256		/* picks between two chances */

/* Until few groups are left, or looking at all is cheaper. */
static void pick_by_heap(struct selection *s)
{
	size_t due = s->n;	/* how many groups may be evaluated again */

	for (size_t i = 0; i < s->n; i++) {
		s->heap[i] = &s->groups[i];
		group_evaluate(s, s->heap[i]);
	}
	heap_build(s->heap, s->n, group_before, s);
	while (s->n > FEW_GROUPS && due > 0) {
		struct queue_group *g = s->heap[0];

		if (group_is_stale(s, g)) {
			group_evaluate(s, g);
			heap_sink(s->heap, s->n, 0, group_before, s);
			due--;
			continue;
		}
		pick(s, g, g->value);
		if (g->queues.n == 0)
			s->heap[0] = s->heap[--s->n];
		else
			group_evaluate(s, g);
		heap_sink(s->heap, s->n, 0, group_before, s);
		due += s->n / LOOKS;
	}
	groups_compact(s);
}

/* Until none is left, if they are few. */
static void pick_by_scan(struct selection *s)
{
	struct queue_group *groups = s->groups;

	for (size_t picks = 0; s->n > 0 && (picks < SCANS || s->n <= FEW_GROUPS); picks++) {
		size_t best = 0;
		double value = group_value(&groups[0]);

		for (size_t i = 1; i < s->n; i++) {
			double other = group_value(&groups[i]);

			if (other > value || (other == value && groups[i].turn < groups[best].turn)) {
				best = i;
				value = other;
			}
		}
		pick(s, &groups[best], value);
		if (groups[best].queues.n == 0)
			groups[best] = groups[--s->n];
		else
			group_find_best(s, &groups[best]);
		for (size_t i = 0; s->users_in_groups && i < s->n; i++)
			group_find_best(s, &groups[i]);
	}
}

void override_pick(const struct pending_tasks *pending, struct ticket_scratch *scratch, uint32_t begin, uint32_t end)
{
	struct selection s = { .pending = pending, .members = scratch->members, .queues = scratch->queues, .pools = scratch->pools,
			       .groups = scratch->groups + begin, .heap = scratch->group_heap + begin, .witness = scratch->witness };

	if (end - begin == 1) {
		pick_alone(&s, queue_of(&s, &scratch->heap[begin]));
		return;
	}
	groups_build(&s, scratch->heap + begin, end - begin);
	while (s.n > 0) {
		if (s.n > FEW_GROUPS)
			pick_by_heap(&s);
		pick_by_scan(&s);
	}
}
