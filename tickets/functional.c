/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/functional.h"

#include <math.h>

#include "tickets/queue.h"

struct functional_weights {
	double kind[SHARER_KINDS];
	double job;
};

/* A weight beyond this, or divided by next to nothing, could make products infinite. */
#define WEIGHT_LIMIT 1e100

static double weight(bool is_used, double value)
{
	return is_used ? fmin(fmax(value, -WEIGHT_LIMIT), WEIGHT_LIMIT) : 0.0;
}

/* Weights of the kinds, those that are not used 0, divided by their sum. */
static struct functional_weights weights_of(const struct ticket_params *p, bool user, bool project, bool department, bool job)
{
	struct functional_weights w = {
		.kind = { [SHARER_USER] = weight(user, p->weight_user), [SHARER_PROJECT] = weight(project, p->weight_project),
			  [SHARER_DEPARTMENT] = weight(department, p->weight_department) },
		.job = weight(job, p->weight_job),
	};
	double sum = w.kind[SHARER_USER] + w.kind[SHARER_DEPARTMENT] + w.kind[SHARER_PROJECT] + w.job;

	if (sum > 0) {
		for (int k = 0; k < SHARER_KINDS; k++)
			w.kind[k] = weight(true, w.kind[k] / sum);
		w.job = weight(true, w.job / sum);
	}
	return w;
}

static double part(double shares, double tickets, double sum)
{
	return shares != 0 && sum != 0 ? shares * tickets / sum : 0.0;
}

/* What each kind brings to a task, added up. The order of addition is part of the result. */
static double functional_value(const double terms[SHARER_KINDS], double job)
{
	return terms[SHARER_USER] + terms[SHARER_DEPARTMENT] + terms[SHARER_PROJECT] + job;
}

/* Shares that an object brings to one of `more` + active tasks. */
static double share_of(const struct sharer *o, bool shared, uint32_t more)
{
	return shared ? (double)o->fshare / (o->active + more) : (double)o->fshare;
}

/* Tickets of one task from its shares. */
static double value_of_shares(const double shares[SHARER_KINDS], uint32_t jobshare, const struct functional_sums *sums,
			      const struct functional_weights *w, double tickets)
{
	double terms[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		terms[k] = w->kind[k] * part(shares[k], tickets, sums->kind[k]);
	return functional_value(terms, w->job * part(jobshare, tickets, sums->job));
}

static void shares_of(const struct sharers *sharers, const uint32_t sharer[SHARER_KINDS], bool shared, double shares[SHARER_KINDS])
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
		const struct ticket_class *c = &classes->items[running->class_id[i]];

		shares_of(sharers, c->sharer, params->share_functional_shares, shares);
		for (int k = 0; k < SHARER_KINDS; k++)
			sums.kind[k] += shares[k];
		sums.job += c->jobshare;
	}

	struct functional_weights w = weights_of(params, sums.kind[SHARER_USER] > 0, sums.kind[SHARER_PROJECT] > 0,
				      sums.kind[SHARER_DEPARTMENT] > 0, sums.job > 0);

	for (size_t i = 0; i < classes->n; i++) {
		struct ticket_class *c = &classes->items[i];

		if (!c->running)
			continue;
		shares_of(sharers, c->sharer, params->share_functional_shares, shares);
		c->running_tickets.functional = value_of_shares(shares, c->jobshare, &sums, &w, params->functional_tickets);
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
	uint64_t version;		/* of the sums; sharers have their own */
	uint64_t clock;
	bool sum_changed[SHARER_KINDS];	/* since the terms were computed */
};

static uint64_t queue_version(const struct selection *s, const struct task_queue *q)
{
	uint64_t newest = s->version;

	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE && s->sharers->items[k][q->sharer[k]].version > newest)
			newest = s->sharers->items[k][q->sharer[k]].version;
	return newest;
}

/*
 * What an object would bring to the task that comes next. The sums are kept from 0 by a thousandth.
 */
static double term_of_next(const struct selection *s, enum sharer_kind kind, const struct sharer *o)
{
	bool shared = s->params->share_functional_shares;
	double share = share_of(o, shared, 1), sum = s->sums.kind[kind] + 0.001;

	if (!shared)
		sum += share;
	return s->weights.kind[kind] * part(share, s->params->functional_tickets, sum);
}

static double job_term_of_next(const struct selection *s, uint32_t jobshare)
{
	double sum = s->sums.job + 0.001;

	sum += jobshare;
	return s->weights.job * part(jobshare, s->params->functional_tickets, sum);
}

/* What the head would get if it came next. */
static void queue_estimate(const struct selection *s, struct task_queue *q)
{
	double terms[SHARER_KINDS];

	for (int k = 0; k < SHARER_KINDS; k++)
		terms[k] = q->sharer[k] == TICKETS_NONE ? 0.0 : term_of_next(s, k, &s->sharers->items[k][q->sharer[k]]);
	q->value = functional_value(terms, job_term_of_next(s, q->job_value));
	q->version = queue_version(s, q);
}

/*
 * The next task of a queue stands at its head. Of heads of equal rank the one submitted first is
 * picked.
 */
static void entry_take_head(const struct selection *s, struct queue_entry *e)
{
	struct task_queue *q = &s->scratch->queues[e->queue];
	uint32_t head = s->scratch->members[q->begin];

	q->accumulated = s->dependent ? s->pending->accumulated[head] : 0.0;
	e->turn = pending_age(s->pending, head);
}

static void entry_rank(const struct selection *s, struct queue_entry *e)
{
	const struct task_queue *q = &s->scratch->queues[e->queue];

	e->rank = q->value + q->accumulated;
}

static void entry_estimate(const struct selection *s, struct queue_entry *e)
{
	queue_estimate(s, &s->scratch->queues[e->queue]);
	entry_rank(s, e);
}

static void heap_evaluate_all(const struct selection *s, struct queue_heap *h)
{
	for (size_t i = 0; i < h->n; i++)
		entry_estimate(s, &h->items[i]);
	queue_heap_build(h);
}

static bool entry_is_stale(const struct selection *s, const struct queue_entry *e)
{
	const struct task_queue *q = &s->scratch->queues[e->queue];

	return q->version != queue_version(s, q);
}

/* As in override_pick.c: with weights that are not negative, a pick can only lower an estimate. */
static void heap_refresh(const struct selection *s, struct queue_heap *h)
{
	while (entry_is_stale(s, &h->items[0])) {
		entry_estimate(s, &h->items[0]);
		queue_heap_sink(h, 0);
	}
}

/* The picked task counts from now on; its tickets are those with itself in the sums. */
static double selection_count(struct selection *s, const struct task_queue *q)
{
	bool shared = s->params->share_functional_shares, changed = q->job_value != 0;
	double shares[SHARER_KINDS];

	s->clock++;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE) {
			s->sharers->items[k][q->sharer[k]].active++;
			s->sharers->items[k][q->sharer[k]].version = s->clock;
		}
	shares_of(s->sharers, q->sharer, shared, shares);
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE && (!shared || s->sharers->items[k][q->sharer[k]].active <= 1)) {
			s->sums.kind[k] += shares[k];
			s->sum_changed[k] = changed = true;
		}
	s->sums.job += q->job_value;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE)
			s->sharers->items[k][q->sharer[k]].term = term_of_next(s, k, &s->sharers->items[k][q->sharer[k]]);
	if (changed)
		s->version = s->clock;
	return value_of_shares(shares, q->job_value, &s->sums, &s->weights, s->params->functional_tickets);
}

/* The head of this entry's queue is next. Returns whether the queue has another one. */
static bool pick(struct selection *s, struct queue_entry *e)
{
	struct task_queue *q = &s->scratch->queues[e->queue];
	uint32_t task = s->scratch->members[q->begin++];

	if (s->scratch->witness)
		picked_tasks_add(&s->scratch->witness->functional, task);
	s->pending->functional[task] = selection_count(s, q);
	if (s->dependent)
		s->pending->accumulated[task] += s->pending->functional[task];
	if (q->begin == q->end)
		return false;
	entry_take_head(s, e);
	entry_rank(s, e);	/* the next one takes over the estimate */
	return true;
}

/* Rounds */

/*
 * In the k-th round the sums grow, and all estimates fall, by a k-th or so: at first hardly any
 * order survives a pick, and looking at all queues, with what each object brings worked out once,
 * is cheaper than a heap. Later most estimates are still far below the best one.
 */
#define EARLY_ROUNDS 128

static void terms_compute(struct selection *s)
{
	for (int k = 0; k < SHARER_KINDS; k++) {
		for (size_t i = 0; s->sum_changed[k] && i < s->sharers->n[k]; i++)
			s->sharers->items[k][i].term = term_of_next(s, k, &s->sharers->items[k][i]);
		s->sum_changed[k] = false;
	}
}

static double term(const struct selection *s, enum sharer_kind kind, const struct task_queue *q)
{
	return q->sharer[kind] == TICKETS_NONE ? 0.0 : s->sharers->items[kind][q->sharer[kind]].term;
}

/* All estimates as they are now. Returns the best. */
static struct queue_entry *scan(struct selection *s, struct queue_heap *h)
{
	struct queue_entry *best = &h->items[0];

	terms_compute(s);
	for (struct queue_entry *e = h->items; e < h->items + h->n; e++) {
		struct task_queue *q = &s->scratch->queues[e->queue];
		const double terms[SHARER_KINDS] = { term(s, SHARER_USER, q), term(s, SHARER_PROJECT, q), term(s, SHARER_DEPARTMENT, q) };

		q->value = functional_value(terms, q->job_value == 0 ? 0.0 : job_term_of_next(s, q->job_value));
		entry_rank(s, e);
		if (e->rank > best->rank || (e->rank == best->rank && e->turn < best->turn))
			best = e;
	}
	return best;
}

static void early_round(struct selection *s, struct queue_heap *h)
{
	struct queue_entry *best = scan(s, h);

	if (!pick(s, best))
		*best = h->items[--h->n];
}

static void late_round(struct selection *s, struct queue_heap *h)
{
	heap_refresh(s, h);
	if (pick(s, &h->items[0]))
		queue_heap_sink(h, 0);
	else
		queue_heap_pop(h);
}

/*
 * Those not picked get their queue's last estimate; all but the head add it to what has
 * accumulated.
 */
static void selection_rest(void *context, size_t i)
{
	const struct selection *s = context;
	const struct task_queue *q = &s->scratch->queues[i];
	const uint32_t *members = s->scratch->members;

	for (uint32_t k = q->begin; k < q->end; k++)
		s->pending->functional[members[k]] = q->value;
	for (uint32_t k = q->begin + 1; s->dependent && k < q->end; k++)
		s->pending->accumulated[members[k]] += q->value;
}

void functional_pending(const struct ticket_params *params, struct sharers *sharers, const struct ticket_classes *classes,
			struct functional_sums sums, bool dependent, const struct pending_tasks *pending,
			struct ticket_scratch *scratch)
{
	struct selection s = { .params = params, .sharers = sharers, .pending = pending, .scratch = scratch, .sums = sums,
			       .weights = weights_of(params, true, true, true, true), .dependent = dependent,
			       .sum_changed = { true, true, true } };
	struct queue_heap h = { .items = scratch->heap };
	bool only_falls = params->weight_user >= 0 && params->weight_project >= 0 && params->weight_department >= 0 && params->weight_job >= 0;
	size_t nqueues = queues_build(classes, sharers, pending, false, dependent, scratch), tasks = 0, rounds;

	for (h.n = 0; h.n < nqueues; h.n++) {
		h.items[h.n].queue = (uint32_t)h.n;
		entry_take_head(&s, &h.items[h.n]);
		tasks += scratch->queues[h.n].end - scratch->queues[h.n].begin;
	}
	rounds = params->max_functional_jobs_to_schedule < tasks ? params->max_functional_jobs_to_schedule : tasks;
	for (size_t round = 0; round < rounds; round++) {
		if (round < EARLY_ROUNDS || !only_falls || round + 1 == rounds) {
			early_round(&s, &h);
			continue;
		}
		if (round == EARLY_ROUNDS)
			heap_evaluate_all(&s, &h);
		late_round(&s, &h);
	}
	if (rounds > 0)
		tickets_share_work(&scratch->workers, selection_rest, &s, nqueues);
	sharers_reset(sharers);
}
