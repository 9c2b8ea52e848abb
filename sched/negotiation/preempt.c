/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claimed slots of others, as they are asked for: where machines can't prefer a job by RANK, and
 * PREEMPTION_RANK depends on the slot alone, those of a class stand in the same order for all
 * requests; PREEMPTION_REQUIREMENTS is asked about one after the other until it lets one go.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/heap.h"
#include "sched/negotiation/inside.h"

static uint32_t moments_in(const struct classad_names *names)
{
	uint32_t moments = 0;

	for (size_t i = 0; i < names->n; i++)
		moments |= moment_of(names->items[i]);
	return moments;
}

bool preempt_is_lazy(const struct negotiator *n)
{
	const struct interest *x = &n->interest;

	return n->conf->follows == FOLLOWS_PROGRAM && n->conf->preemption_requirements_stable && n->conf->preemption_rank_stable &&
		!n->clauses.any && n->clauses.n > 0 && !x->by_job[ROOT_PREEMPTION_RANK] &&
		!(moments_in(&x->slots[ROOT_PREEMPTION_RANK].own) & MOMENTS_OF_USE) && !cross_is_on(n);
}

static int by_order(const void *a, const void *b, void *context)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct claim_facts *claims = context, *x = &claims[i], *y = &claims[j];

	if ((x->says == CLAUSE_NO) != (y->says == CLAUSE_NO))
		return x->says == CLAUSE_NO ? 1 : -1;
	if (x->pre != y->pre)
		return x->pre > y->pre ? -1 : 1;
	if (x->post != y->post)
		return x->post > y->post ? -1 : 1;
	if (x->preemption != y->preemption)
		return x->preemption > y->preemption ? -1 : 1;
	return (i > j) - (i < j);
}

/* Once a cycle. */
static void class_sort(struct negotiator *n, struct class_pool *c)
{
	struct slot_pool *p = &n->pool;

	if (c->sorted_in == n->cycle)
		return;
	c->sorted_in = n->cycle;
	c->bound = INFINITY;
	c->eligible = 0;
	for (uint32_t i = 0; i < c->nclaimed; i++) {
		uint32_t slot = p->claimed[c->claimed + i];
		struct claim_facts *facts = &p->claims[slot];

		claim_facts(n, slot);
		facts->says = clauses_slot(n, slot);
		if (facts->says == CLAUSE_NO)
			continue;
		c->eligible++;
		facts->preemption = negotiators_rank(n, n->conf->preemption_rank.program, moment_claim(n, slot), NULL);
	}
	if (c->nclaimed > 0)
		qsort_r(p->claimed + c->claimed, c->nclaimed, sizeof(*p->claimed), by_order, p->claims);
}

static bool may_have(struct negotiator *n, uint32_t class, const struct row_entry *e, uint32_t slot, bool policy)
{
	struct match_list *l = &n->list;
	const struct slot *s = &n->slots[slot];

	if (slot_customer(s) == l->customer || (n->in->admits && !n->in->admits(n->in->context, class, slot)))
		return false;
	l->by_policy |= !policy;
	l->by_rank |= policy && !(e->rank >= s->current_rank);
	return policy && e->rank >= s->current_rank;
}

/* From *at on, the next one of the class that the list may have. NONE: there is none. */
static uint32_t next_of(struct negotiator *n, uint32_t class, const struct row_entry *e, uint32_t *at, const struct classad *job)
{
	struct slot_pool *p = &n->pool;
	struct class_pool *c = &p->classes[e->class];
	bool from_begin = *at == 0;
	double most = -INFINITY;

	for (; *at < c->eligible; ++*at) {
		uint32_t slot = p->claimed[c->claimed + *at];
		double bound = INFINITY;
		bool policy;

		if (p->places[slot] != PLACE_CLAIMED)
			continue;
		policy = p->claims[slot].says == CLAUSE_ASKS ? claimed_may_take(n, slot, job) : clauses_hold(n, slot, job, &bound);
		if (may_have(n, class, e, slot, policy))
			return slot;
		most = bound > most ? bound : most;
	}
	if (from_begin)
		c->bound = most;	/* all that are left were looked at */
	return NONE;
}

static struct slot_candidate candidate_of(const struct negotiator *n, const struct row_entry *e, uint32_t slot)
{
	const struct claim_facts *facts = &n->pool.claims[slot];

	return (struct slot_candidate){ .pre = e->pre + facts->pre, .job = e->job, .post = e->post + facts->post, .rank = e->rank, .weight = e->weight,
					.slot = slot, .entry = NONE, .preemption = PREEMPTS_BY_PRIORITY, .preemption_rank = facts->preemption };
}

#define lazy_better(CONTEXT, A, B) is_better(&(A)->candidate, &(B)->candidate)

int preempt_open(struct negotiator *n, uint32_t class, uint32_t entry, const struct classad *job)
{
	struct match_list *l = &n->list;
	const struct row_entry *e = &n->clusters.kinds[l->kind].rows[1].items[entry];
	struct class_pool *c = &n->pool.classes[e->class];
	struct claimed_head head = { .entry = entry };
	uint32_t slot;

	class_sort(n, c);
	l->by_policy |= c->eligible < c->nclaimed;
	if (clauses_exclude(n, c->bound)) {
		l->by_policy = true;
		return 0;
	}
	slot = next_of(n, class, e, &head.at, job);
	if (slot == NONE)
		return 0;
	if (!limit_permits(l->used, e->weight, l->limit)) {
		l->by_limit = true;
		return 0;
	}
	if (room_for(&l->lazy, &l->lazy_capacity, l->nlazy + 1, sizeof(*l->lazy)) < 0)
		return -ENOMEM;
	head.candidate = candidate_of(n, e, slot);
	l->lazy[l->nlazy++] = head;
	heap_rise(l->lazy, l->nlazy - 1, lazy_better, NULL);
	return 0;
}

void preempt_advance(struct negotiator *n, uint32_t class)
{
	struct match_list *l = &n->list;
	struct claimed_head *head = &l->lazy[0];
	const struct row_entry *e = &n->clusters.kinds[l->kind].rows[1].items[head->entry];
	uint32_t slot;

	head->at++;
	slot = next_of(n, class, e, &head->at, moment_job(n, n->classes[class].ad));
	if (slot != NONE)
		head->candidate = candidate_of(n, e, slot);
	else
		*head = l->lazy[--l->nlazy];
	if (l->nlazy > 0)
		heap_sink(l->lazy, l->nlazy, 0, lazy_better, NULL);
}
