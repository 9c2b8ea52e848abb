/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/override.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tickets/queue.h"

/* Tickets that the objects bring to one of their active tasks. */
static double override_value(const struct sharers *sharers, const uint32_t sharer[SHARER_KINDS], bool shared)
{
	double sum = 0.0;

	for (int k = 0; k < SHARER_KINDS; k++) {
		const struct sharer *o = sharer[k] == TICKETS_NONE ? NULL : &sharers->items[k][sharer[k]];

		if (!o || o->oticket == 0)
			continue;
		if (!shared)
			sum += o->oticket;
		else if (o->active > 0)
			sum += (double)o->oticket / o->active;
	}
	return sum;
}

void override_running(const struct ticket_params *params, const struct sharers *sharers, struct ticket_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		struct ticket_class *c = &classes->items[i];

		if (c->running)
			c->running_tickets.override = override_value(sharers, c->sharer, params->share_override_tickets) + c->override_tickets;
	}
}

static void pending_unshared(const struct sharers *sharers, const struct ticket_classes *classes, bool dependent,
			     const struct ticket_tasks *pending)
{
	for (size_t i = 0; i < pending->n; i++) {
		const struct ticket_class *c = &classes->items[pending->class_id[i]];

		pending->tickets[i].override = override_value(sharers, c->sharer, false) + c->override_tickets;
		if (dependent)
			pending->tickets[i].accumulated += pending->tickets[i].override;
	}
}

/*
 * ---- shared ----
 *
 * Each pick lowers what its objects bring to those that come later. Queues that share project, department and -ot form a group: within
 * it only the user's part differs, so its best queue is that with the largest user's part, whatever the others are at
 * the moment. Two levels of heaps, both lazy: a pick can only lower values, so those on a heap may be too high, never too low, and the top is
 * the best as soon as it is found to be up to date. A pick costs the logarithm of the queues, not their number.
 *
 * The user's part decides within a group only if two that differ still differ after the other parts were added and rounded. Parts are
 * quotients tickets/n: different ones are at least 1/n^2 apart. Where rounding could hide that, each queue is a group of its own, and
 * whole values are compared.
 */
#define ROUNDING_STEPS 16	/* many times what three additions can lose, in units of the last place */

struct selection {
	struct sharers *sharers;
	const struct ticket_tasks *pending;
	struct ticket_scratch *scratch;
	struct queue_group *groups, **heap;
	size_t n;			/* groups on the heap */
	uint64_t clock;
};

static double part(const struct selection *s, enum sharer_kind kind, uint32_t id)
{
	return id == TICKETS_NONE ? 0.0 : s->sharers->items[kind][id].part;
}

static uint64_t version_of(const struct selection *s, enum sharer_kind kind, uint32_t id)
{
	return id == TICKETS_NONE ? 0 : s->sharers->items[kind][id].version;
}

static uint64_t group_version(const struct selection *s, const struct queue_group *g)
{
	uint64_t project = version_of(s, SHARER_PROJECT, g->project), department = version_of(s, SHARER_DEPARTMENT, g->department);

	return project > department ? project : department;
}

static void queue_evaluate(const struct selection *s, struct task_queue *q)
{
	q->rank = part(s, SHARER_USER, q->sharer[SHARER_USER]);
	q->version = version_of(s, SHARER_USER, q->sharer[SHARER_USER]);
}

static bool queue_is_stale(const struct selection *s, const struct task_queue *q)
{
	return q->version != version_of(s, SHARER_USER, q->sharer[SHARER_USER]);
}

static void group_evaluate(const struct selection *s, struct queue_group *g)
{
	struct task_queue *best;

	while (queue_is_stale(s, g->queues.items[0])) {
		queue_evaluate(s, g->queues.items[0]);
		queue_heap_sink(&g->queues, 0);
	}
	best = g->queues.items[0];
	g->value = best->rank + part(s, SHARER_PROJECT, g->project) + part(s, SHARER_DEPARTMENT, g->department) + g->job_value;
	g->number = best->number;
	g->task = best->task;
	g->version = group_version(s, g);
}

static bool group_is_stale(const struct selection *s, const struct queue_group *g)
{
	return g->version != group_version(s, g) || queue_is_stale(s, g->queues.items[0]);
}

static bool group_before(const struct queue_group *a, const struct queue_group *b)
{
	if (a->value != b->value)
		return a->value > b->value;
	return a->number != b->number ? a->number < b->number : a->task < b->task;
}

static void group_sink(struct selection *s, size_t i)
{
	struct queue_group *sinking = s->heap[i];

	for (size_t child; (child = 2 * i + 1) < s->n; i = child) {
		if (child + 1 < s->n && group_before(s->heap[child + 1], s->heap[child]))
			child++;
		if (!group_before(s->heap[child], sinking))
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = sinking;
}

/* ---- groups ---- */

static int by_group(const void *a, const void *b)
{
	const struct task_queue *x = *(struct task_queue *const *)a, *y = *(struct task_queue *const *)b;

	if (x->sharer[SHARER_PROJECT] != y->sharer[SHARER_PROJECT])
		return x->sharer[SHARER_PROJECT] < y->sharer[SHARER_PROJECT] ? -1 : 1;
	if (x->sharer[SHARER_DEPARTMENT] != y->sharer[SHARER_DEPARTMENT])
		return x->sharer[SHARER_DEPARTMENT] < y->sharer[SHARER_DEPARTMENT] ? -1 : 1;
	return x->job_value < y->job_value ? -1 : x->job_value > y->job_value;
}

/* Could two users' parts that differ become equal by adding the other parts? */
static bool rounding_hides(const struct selection *s, size_t nqueues)
{
	struct sharer *users = s->sharers->items[SHARER_USER];
	double most_tasks = 1.0, most_tickets = 1.0;

	/* `active` counts the pending ones, too, for a moment */
	for (size_t i = 0; i < nqueues; i++) {
		const struct task_queue *q = &s->scratch->queues[i];
		double tickets = q->job_value;

		for (int k = 0; k < SHARER_KINDS; k++)
			if (q->sharer[k] != TICKETS_NONE)
				tickets += s->sharers->items[k][q->sharer[k]].oticket;
		most_tickets = fmax(most_tickets, tickets);
		if (q->sharer[SHARER_USER] != TICKETS_NONE) {
			users[q->sharer[SHARER_USER]].active += q->end - q->begin;
			most_tasks = fmax(most_tasks, users[q->sharer[SHARER_USER]].active + 1.0);
		}
	}
	sharers_reset(s->sharers);
	return most_tasks * most_tasks * most_tickets * DBL_EPSILON * ROUNDING_STEPS >= 1.0;
}

static void groups_build(struct selection *s, size_t nqueues)
{
	struct task_queue **queues = s->scratch->heap;
	bool alone = rounding_hides(s, nqueues);

	for (size_t i = 0; i < nqueues; i++) {
		queues[i] = &s->scratch->queues[i];
		queue_evaluate(s, queues[i]);
	}
	if (nqueues > 1)
		qsort(queues, nqueues, sizeof(*queues), by_group);
	for (size_t i = 0; i < nqueues; i++) {
		struct queue_group *g = s->groups + s->n;

		if (i > 0 && !alone && by_group(&queues[i - 1], &queues[i]) == 0) {
			g[-1].queues.n++;
			continue;
		}
		*g = (struct queue_group){
			.queues = { .items = queues + i, .n = 1 },
			.project = queues[i]->sharer[SHARER_PROJECT], .department = queues[i]->sharer[SHARER_DEPARTMENT],
			.job_value = queues[i]->job_value };
		s->heap[s->n++] = g;
	}
	for (size_t i = 0; i < s->n; i++) {
		queue_heap_build(&s->groups[i].queues);
		group_evaluate(s, &s->groups[i]);
	}
	for (size_t i = s->n / 2; i-- > 0; )
		group_sink(s, i);
}

/* ---- picking ---- */

static struct queue_group *best_group(struct selection *s)
{
	while (group_is_stale(s, s->heap[0])) {
		group_evaluate(s, s->heap[0]);
		group_sink(s, 0);
	}
	return s->heap[0];
}

static void count_pick(struct selection *s, const struct task_queue *q)
{
	s->clock++;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE) {
			struct sharer *o = &s->sharers->items[k][q->sharer[k]];

			o->active++;
			o->part = (double)o->oticket / (o->active + 1);
			o->version = s->clock;
		}
}

static void pick(struct selection *s)
{
	struct queue_group *g = best_group(s);
	struct task_queue *q = g->queues.items[0];
	uint32_t task = s->scratch->members[q->begin++];

	s->pending->tickets[task].override = g->value;
	s->pending->tickets[task].accumulated += g->value;
	count_pick(s, q);
	if (q->begin == q->end) {
		queue_heap_pop(&g->queues);
	} else {
		queue_head(q, s->pending, s->scratch);
		queue_evaluate(s, q);
		queue_heap_sink(&g->queues, 0);
	}
	if (g->queues.n == 0)
		s->heap[0] = s->heap[--s->n];
	else
		group_evaluate(s, g);
	if (s->n > 0)
		group_sink(s, 0);
}

static void pending_shared(struct sharers *sharers, const struct ticket_classes *classes, bool dependent,
			   const struct ticket_tasks *pending, struct ticket_scratch *scratch)
{
	struct selection s = { .sharers = sharers, .pending = pending, .scratch = scratch, .groups = scratch->groups,
			       .heap = scratch->group_heap };

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < sharers->n[k]; i++)
			sharers->items[k][i].part = (double)sharers->items[k][i].oticket / (sharers->items[k][i].active + 1);
	groups_build(&s, queues_build(classes, sharers, pending, true, dependent, scratch));
	while (s.n > 0)
		pick(&s);
	sharers_reset(sharers);
}

void override_pending(const struct ticket_params *params, struct sharers *sharers, const struct ticket_classes *classes, bool dependent,
		      const struct ticket_tasks *pending, struct ticket_scratch *scratch)
{
	if (params->share_override_tickets)
		pending_shared(sharers, classes, dependent, pending, scratch);
	else
		pending_unshared(sharers, classes, dependent, pending);
}
