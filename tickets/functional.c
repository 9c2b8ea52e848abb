/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/functional.h"

#include <math.h>

#include "tickets/queue.h"

struct functional_weights {
	double kind[SHARER_KINDS];
	double job;
};

/* Limit of weights, so that products stay finite even after a division by a tiny sum. */
#define WEIGHT_LIMIT 1e100

static double weight(bool is_used, double value)
{
	return is_used ? fmin(fmax(value, -WEIGHT_LIMIT), WEIGHT_LIMIT) : 0.0;
}

/* Return the weights of the kinds, divided by their sum. Unused kinds have weight 0. */
static struct functional_weights weights_of(const struct ticket_params *params, bool user, bool project,
					    bool department, bool job)
{
	struct functional_weights weights = {
		.kind = { [SHARER_USER] = weight(user, params->weight_user),
			  [SHARER_PROJECT] = weight(project, params->weight_project),
			  [SHARER_DEPARTMENT] = weight(department, params->weight_department) },
		.job = weight(job, params->weight_job),
	};
	double sum = weights.kind[SHARER_USER] + weights.kind[SHARER_DEPARTMENT] + weights.kind[SHARER_PROJECT] +
		     weights.job;

	if (sum > 0) {
		for (int k = 0; k < SHARER_KINDS; k++)
			weights.kind[k] = weight(true, weights.kind[k] / sum);
		weights.job = weight(true, weights.job / sum);
	}
	return weights;
}

static double part(double shares, double tickets, double sum)
{
	return shares != 0 && sum != 0 ? shares * tickets / sum : 0.0;
}

/* Add up the contributions of the kinds to a task. The order of addition affects the result. */
static double functional_value(const double terms[SHARER_KINDS], double job)
{
	return terms[SHARER_USER] + terms[SHARER_DEPARTMENT] + terms[SHARER_PROJECT] + job;
}

/* Return the shares that an object gives to one of active + `more` tasks. */
static double share_of(const struct sharer *sharer, bool shared, uint32_t more)
{
	return shared ? (double)sharer->fshare / (sharer->active + more) : (double)sharer->fshare;
}

/* Return the tickets of one task from its shares. */
static double value_of_shares(const double shares[SHARER_KINDS], uint32_t jobshare, const struct functional_sums *sums,
			      const struct functional_weights *weights, double tickets)
{
	double terms[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		terms[k] = weights->kind[k] * part(shares[k], tickets, sums->kind[k]);
	return functional_value(terms, weights->job * part(jobshare, tickets, sums->job));
}

static void shares_of(const struct sharers *sharers, const uint32_t sharer[SHARER_KINDS], bool shared,
		      double shares[SHARER_KINDS])
{
	for (int k = 0; k < SHARER_KINDS; k++)
		shares[k] = sharer[k] == TICKETS_NONE ? 0.0 : share_of(&sharers->items[k][sharer[k]], shared, 0);
}

struct functional_sums functional_running(const struct ticket_params *params, const struct sharers *sharers,
					  struct ticket_classes *classes, const struct ticket_tasks *running)
{
	struct functional_sums sums = { { 0 }, 0 };
	double shares[SHARER_KINDS];

	for (size_t i = 0; i < running->n; i++) {
		const struct ticket_class *class = &classes->items[running->class_id[i]];

		shares_of(sharers, class->sharer, params->share_functional_shares, shares);
		for (int k = 0; k < SHARER_KINDS; k++)
			sums.kind[k] += shares[k];
		sums.job += class->jobshare;
	}

	struct functional_weights weights =
		weights_of(params, sums.kind[SHARER_USER] > 0, sums.kind[SHARER_PROJECT] > 0,
			   sums.kind[SHARER_DEPARTMENT] > 0, sums.job > 0);

	for (size_t i = 0; i < classes->n; i++) {
		struct ticket_class *class = &classes->items[i];

		if (!class->running)
			continue;
		shares_of(sharers, class->sharer, params->share_functional_shares, shares);
		class->running_tickets.functional =
			value_of_shares(shares, class->jobshare, &sums, &weights, params->functional_tickets);
	}
	return sums;
}

/* Pending tasks */

struct selection {
	const struct ticket_params *params;
	struct sharers *sharers;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	struct functional_sums sums;
	struct functional_weights weights;
	bool dependent;
	uint64_t version;		/* version of the sums; sharers have their own */
	uint64_t clock;
	bool sum_changed[SHARER_KINDS];	/* changed since the terms were computed */
};

static uint64_t queue_version(const struct selection *selection, const struct task_queue *queue)
{
	uint64_t newest = selection->version;

	for (int k = 0; k < SHARER_KINDS; k++)
		if (queue->sharer[k] != TICKETS_NONE && selection->sharers->items[k][queue->sharer[k]].version > newest)
			newest = selection->sharers->items[k][queue->sharer[k]].version;
	return newest;
}

/*
 * Return the contribution of an object to the next task. The sums are kept from 0 by adding a
 * thousandth.
 */
static double term_of_next(const struct selection *selection, enum sharer_kind kind, const struct sharer *sharer)
{
	bool shared = selection->params->share_functional_shares;
	double share = share_of(sharer, shared, 1), sum = selection->sums.kind[kind] + 0.001;

	if (!shared)
		sum += share;
	return selection->weights.kind[kind] * part(share, selection->params->functional_tickets, sum);
}

static double job_term_of_next(const struct selection *selection, uint32_t jobshare)
{
	double sum = selection->sums.job + 0.001;

	sum += jobshare;
	return selection->weights.job * part(jobshare, selection->params->functional_tickets, sum);
}

/* Estimate what the head would get if it came next. */
static void queue_estimate(const struct selection *selection, struct task_queue *queue)
{
	double terms[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		terms[k] = queue->sharer[k] == TICKETS_NONE
				   ? 0.0
				   : term_of_next(selection, k, &selection->sharers->items[k][queue->sharer[k]]);
	queue->value = functional_value(terms, job_term_of_next(selection, queue->job_value));
	queue->version = queue_version(selection, queue);
}

/*
 * Take the next task as the head of the queue. Of heads with equal rank the one submitted first is
 * picked.
 */
static void entry_take_head(const struct selection *selection, struct queue_entry *entry)
{
	struct task_queue *queue = &selection->scratch->queues[entry->queue];
	uint32_t head = selection->scratch->members[queue->begin];

	queue->accumulated = selection->dependent ? selection->pending->accumulated[head] : 0.0;
	entry->turn = pending_age(selection->pending, head);
}

static void entry_rank(const struct selection *selection, struct queue_entry *entry)
{
	const struct task_queue *queue = &selection->scratch->queues[entry->queue];

	entry->rank = queue->value + queue->accumulated;
}

static void entry_estimate(const struct selection *selection, struct queue_entry *entry)
{
	queue_estimate(selection, &selection->scratch->queues[entry->queue]);
	entry_rank(selection, entry);
}

static void heap_evaluate_all(const struct selection *selection, struct queue_heap *heap)
{
	for (size_t i = 0; i < heap->n; i++)
		entry_estimate(selection, &heap->items[i]);
	queue_heap_build(heap);
}

static bool entry_is_stale(const struct selection *selection, const struct queue_entry *entry)
{
	const struct task_queue *queue = &selection->scratch->queues[entry->queue];

	return queue->version != queue_version(selection, queue);
}

/*
 * Bring the top up to date. As in override_pick.c: if no weight is negative, a pick can only lower
 * an estimate.
 */
static void heap_refresh(const struct selection *selection, struct queue_heap *heap)
{
	while (entry_is_stale(selection, &heap->items[0])) {
		entry_estimate(selection, &heap->items[0]);
		queue_heap_sink(heap, 0);
	}
}

/* Count the picked task, and return its tickets with the task itself in the sums. */
static double selection_count(struct selection *selection, const struct task_queue *queue)
{
	bool shared = selection->params->share_functional_shares, changed = queue->job_value != 0;
	double shares[SHARER_KINDS];

	selection->clock++;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (queue->sharer[k] != TICKETS_NONE) {
			selection->sharers->items[k][queue->sharer[k]].active++;
			selection->sharers->items[k][queue->sharer[k]].version = selection->clock;
		}
	shares_of(selection->sharers, queue->sharer, shared, shares);
	for (int k = 0; k < SHARER_KINDS; k++)
		if (queue->sharer[k] != TICKETS_NONE &&
		    (!shared || selection->sharers->items[k][queue->sharer[k]].active <= 1)) {
			selection->sums.kind[k] += shares[k];
			selection->sum_changed[k] = changed = true;
		}
	selection->sums.job += queue->job_value;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (queue->sharer[k] != TICKETS_NONE)
			selection->sharers->items[k][queue->sharer[k]].term =
				term_of_next(selection, k, &selection->sharers->items[k][queue->sharer[k]]);
	if (changed)
		selection->version = selection->clock;
	return value_of_shares(shares, queue->job_value, &selection->sums, &selection->weights,
			       selection->params->functional_tickets);
}

/* Pick the head of this entry's queue. Return whether the queue has more tasks. */
static bool pick(struct selection *selection, struct queue_entry *entry)
{
	struct task_queue *queue = &selection->scratch->queues[entry->queue];
	uint32_t task = selection->scratch->members[queue->begin++];

	if (selection->scratch->witness)
		picked_tasks_add(&selection->scratch->witness->functional, task);
	selection->pending->functional[task] = selection_count(selection, queue);
	if (selection->dependent)
		selection->pending->accumulated[task] += selection->pending->functional[task];
	if (queue->begin == queue->end)
		return false;
	entry_take_head(selection, entry);
	entry_rank(selection, entry);	/* the next task uses the same estimate */
	return true;
}

/* Rounds */

/*
 * Number of rounds without a heap. In round k the sums grow, and all estimates fall, by about one
 * k-th. At first hardly any order survives a pick. Therefore it is cheaper to compute the
 * contribution of each object once and to check all queues than to use a heap. Later most estimates
 * are far below the best one.
 */
#define EARLY_ROUNDS 128

static void terms_compute(struct selection *selection)
{
	for (int k = 0; k < SHARER_KINDS; k++) {
		for (size_t i = 0; selection->sum_changed[k] && i < selection->sharers->n[k]; i++)
			selection->sharers->items[k][i].term =
				term_of_next(selection, k, &selection->sharers->items[k][i]);
		selection->sum_changed[k] = false;
	}
}

static double term(const struct selection *selection, enum sharer_kind kind, const struct task_queue *queue)
{
	return queue->sharer[kind] == TICKETS_NONE ? 0.0 : selection->sharers->items[kind][queue->sharer[kind]].term;
}

/* Update all estimates and return the best entry. */
static struct queue_entry *scan(struct selection *selection, struct queue_heap *heap)
{
	struct queue_entry *best = &heap->items[0];

	terms_compute(selection);
	for (struct queue_entry *entry = heap->items; entry < heap->items + heap->n; entry++) {
		struct task_queue *queue = &selection->scratch->queues[entry->queue];
		const double terms[SHARER_KINDS] = { term(selection, SHARER_USER, queue),
						     term(selection, SHARER_PROJECT, queue),
						     term(selection, SHARER_DEPARTMENT, queue) };

		queue->value = functional_value(
			terms, queue->job_value == 0 ? 0.0 : job_term_of_next(selection, queue->job_value));
		entry_rank(selection, entry);
		if (entry->rank > best->rank || (entry->rank == best->rank && entry->turn < best->turn))
			best = entry;
	}
	return best;
}

static void early_round(struct selection *selection, struct queue_heap *heap)
{
	struct queue_entry *best = scan(selection, heap);

	if (!pick(selection, best))
		*best = heap->items[--heap->n];
}

static void late_round(struct selection *selection, struct queue_heap *heap)
{
	heap_refresh(selection, heap);
	if (pick(selection, &heap->items[0]))
		queue_heap_sink(heap, 0);
	else
		queue_heap_pop(heap);
}

/*
 * Give the remaining tasks of a queue its last estimate. All but the head add it to the accumulated
 * tickets.
 */
static void selection_rest(void *context, size_t i)
{
	const struct selection *selection = context;
	const struct task_queue *queue = &selection->scratch->queues[i];
	const uint32_t *members = selection->scratch->members;

	for (uint32_t k = queue->begin; k < queue->end; k++)
		selection->pending->functional[members[k]] = queue->value;
	for (uint32_t k = queue->begin + 1; selection->dependent && k < queue->end; k++)
		selection->pending->accumulated[members[k]] += queue->value;
}

void functional_pending(const struct ticket_params *params, struct sharers *sharers,
			const struct ticket_classes *classes, struct functional_sums sums, bool dependent,
			const struct pending_tasks *pending, struct ticket_scratch *scratch)
{
	struct selection selection = { .params = params,
				       .sharers = sharers,
				       .pending = pending,
				       .scratch = scratch,
				       .sums = sums,
				       .weights = weights_of(params, true, true, true, true),
				       .dependent = dependent,
				       .sum_changed = { true, true, true } };
	struct queue_heap heap = { .items = scratch->heap };
	bool only_falls = params->weight_user >= 0 && params->weight_project >= 0 && params->weight_department >= 0 &&
			  params->weight_job >= 0;
	size_t nqueues = queues_build(classes, sharers, pending, false, dependent, scratch), tasks = 0, rounds;

	for (heap.n = 0; heap.n < nqueues; heap.n++) {
		heap.items[heap.n].queue = (uint32_t)heap.n;
		entry_take_head(&selection, &heap.items[heap.n]);
		tasks += scratch->queues[heap.n].end - scratch->queues[heap.n].begin;
	}
	rounds = params->max_functional_jobs_to_schedule < tasks ? params->max_functional_jobs_to_schedule : tasks;
	for (size_t round = 0; round < rounds; round++) {
		if (round < EARLY_ROUNDS || !only_falls || round + 1 == rounds) {
			early_round(&selection, &heap);
			continue;
		}
		if (round == EARLY_ROUNDS)
			heap_evaluate_all(&selection, &heap);
		late_round(&selection, &heap);
	}
	if (rounds > 0)
		tickets_share_work(&scratch->workers, selection_rest, &selection, nqueues);
	sharers_reset(sharers);
}
