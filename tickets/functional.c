/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/functional.h"

#include <math.h>

#include "tickets/queue.h"

struct weights {
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
static struct weights weights_of(const struct ticket_params *p, bool user, bool project, bool department, bool job)
{
	struct weights w = {
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

/* Tickets of one task from its shares. The order of addition is part of the result. */
static double functional_value(const double shares[SHARER_KINDS], uint32_t jobshare, const struct functional_sums *sums,
			       const struct weights *w, double tickets)
{
	double user = part(shares[SHARER_USER], tickets, sums->kind[SHARER_USER]);
	double department = part(shares[SHARER_DEPARTMENT], tickets, sums->kind[SHARER_DEPARTMENT]);
	double project = part(shares[SHARER_PROJECT], tickets, sums->kind[SHARER_PROJECT]);
	double job = part(jobshare, tickets, sums->job);

	return w->kind[SHARER_USER] * user + w->kind[SHARER_DEPARTMENT] * department + w->kind[SHARER_PROJECT] * project + w->job * job;
}

/* Shares that the objects bring to one of `more` + active tasks. */
static void shares_of(const struct sharers *sharers, const uint32_t sharer[SHARER_KINDS], bool shared, uint32_t more,
		      double shares[SHARER_KINDS])
{
	for (int k = 0; k < SHARER_KINDS; k++) {
		const struct sharer *o = sharer[k] == TICKETS_NONE ? NULL : &sharers->items[k][sharer[k]];

		shares[k] = !o ? 0.0 : shared ? (double)o->fshare / (o->active + more) : (double)o->fshare;
	}
}

struct functional_sums functional_running(const struct ticket_params *params, const struct sharers *sharers,
					  struct ticket_classes *classes, const struct ticket_tasks *running)
{
	struct functional_sums sums = { { 0 }, 0 };
	double shares[SHARER_KINDS];

	for (size_t i = 0; i < running->n; i++) {
		const struct ticket_class *c = &classes->items[running->class_id[i]];

		shares_of(sharers, c->sharer, params->share_functional_shares, 0, shares);
		for (int k = 0; k < SHARER_KINDS; k++)
			sums.kind[k] += shares[k];
		sums.job += c->jobshare;
	}

	struct weights w = weights_of(params, sums.kind[SHARER_USER] > 0, sums.kind[SHARER_PROJECT] > 0,
				      sums.kind[SHARER_DEPARTMENT] > 0, sums.job > 0);

	for (size_t i = 0; i < classes->n; i++) {
		struct ticket_class *c = &classes->items[i];

		if (!c->running)
			continue;
		shares_of(sharers, c->sharer, params->share_functional_shares, 0, shares);
		c->running_tickets.functional = functional_value(shares, c->jobshare, &sums, &w, params->functional_tickets);
	}
	return sums;
}

/* ---- pending tasks -------------------------------------------------------------------------------------------------- */

struct selection {
	const struct ticket_params *params;
	struct sharers *sharers;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	struct functional_sums sums;
	struct weights weights;
	bool dependent;
	uint64_t version;		/* of the sums; sharers have their own */
	uint64_t clock;
};

static uint64_t queue_version(const struct selection *s, const struct task_queue *q)
{
	uint64_t newest = s->version;

	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE && s->sharers->items[k][q->sharer[k]].version > newest)
			newest = s->sharers->items[k][q->sharer[k]].version;
	return newest;
}

/* What the head would get if it came next. The sums are kept from 0 by a thousandth. */
static void queue_estimate(const struct selection *s, struct task_queue *q)
{
	bool shared = s->params->share_functional_shares;
	struct functional_sums sums = s->sums;
	double shares[SHARER_KINDS];

	shares_of(s->sharers, q->sharer, shared, 1, shares);
	for (int k = 0; k < SHARER_KINDS; k++) {
		sums.kind[k] += 0.001;
		if (!shared && q->sharer[k] != TICKETS_NONE)
			sums.kind[k] += shares[k];
	}
	sums.job += 0.001;
	sums.job += q->job_value;
	q->value = functional_value(shares, q->job_value, &sums, &s->weights, s->params->functional_tickets);
	q->version = queue_version(s, q);
}

/* Heads of equal rank: the one submitted first. */
static void queue_rank(const struct selection *s, struct task_queue *q)
{
	uint32_t head = s->scratch->members[q->begin];

	q->rank = s->dependent ? q->value + s->pending->accumulated[head] : q->value;
	q->turn = pending_age(s->pending, head);
}

static void heap_evaluate_all(const struct selection *s, struct queue_heap *h)
{
	for (size_t i = 0; i < h->n; i++) {
		queue_estimate(s, h->items[i]);
		queue_rank(s, h->items[i]);
	}
	queue_heap_build(h);
}

/* As in override.c: with weights that are not negative, a pick can only lower an estimate. */
static struct task_queue *heap_best(const struct selection *s, struct queue_heap *h)
{
	while (h->items[0]->version != queue_version(s, h->items[0])) {
		queue_estimate(s, h->items[0]);
		queue_rank(s, h->items[0]);
		queue_heap_sink(h, 0);
	}
	return h->items[0];
}

/* The picked task counts from now on; its tickets are those with itself in the sums. */
static double selection_pick(struct selection *s, const struct task_queue *q)
{
	bool shared = s->params->share_functional_shares, changed = q->job_value != 0;
	double shares[SHARER_KINDS];

	s->clock++;
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE) {
			s->sharers->items[k][q->sharer[k]].active++;
			s->sharers->items[k][q->sharer[k]].version = s->clock;
		}
	shares_of(s->sharers, q->sharer, shared, 0, shares);
	for (int k = 0; k < SHARER_KINDS; k++)
		if (q->sharer[k] != TICKETS_NONE && (!shared || s->sharers->items[k][q->sharer[k]].active <= 1)) {
			s->sums.kind[k] += shares[k];
			changed = true;
		}
	s->sums.job += q->job_value;
	if (changed)
		s->version = s->clock;
	return functional_value(shares, q->job_value, &s->sums, &s->weights, s->params->functional_tickets);
}

static void selection_round(struct selection *s, struct queue_heap *h)
{
	struct task_queue *q = heap_best(s, h);
	uint32_t task = s->scratch->members[q->begin++];

	s->pending->functional[task] = selection_pick(s, q);
	if (s->dependent)
		s->pending->accumulated[task] += s->pending->functional[task];
	if (q->begin == q->end) {
		queue_heap_pop(h);
	} else {
		queue_rank(s, q);	/* the next one takes over the estimate */
		queue_heap_sink(h, 0);
	}
}

/* Those not picked get their queue's last estimate; all but the head add it to what has accumulated. */
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
			       .weights = weights_of(params, true, true, true, true), .dependent = dependent };
	struct queue_heap h = { .items = scratch->heap };
	bool only_falls = params->weight_user >= 0 && params->weight_project >= 0 && params->weight_department >= 0 && params->weight_job >= 0;
	size_t nqueues = queues_build(classes, sharers, pending, false, dependent, scratch), tasks = 0, rounds;

	for (h.n = 0; h.n < nqueues; h.n++) {
		h.items[h.n] = &scratch->queues[h.n];
		tasks += h.items[h.n]->end - h.items[h.n]->begin;
	}
	rounds = params->max_functional_jobs_to_schedule < tasks ? params->max_functional_jobs_to_schedule : tasks;
	for (size_t round = 0; round < rounds; round++) {
		if (round == 0 || round + 1 == rounds || !only_falls)
			heap_evaluate_all(&s, &h);
		selection_round(&s, &h);
	}
	if (rounds > 0)
		tickets_share_work(&scratch->workers, selection_rest, &s, nqueues);
	sharers_reset(sharers);
}
