/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claimed slots of others, evaluated when they are needed. If machines cannot prefer a job by RANK,
 * and PREEMPTION_RANK depends only on the slot, then the slots of a class have the same order for
 * all requests. PREEMPTION_REQUIREMENTS is evaluated for one slot after the other until it is true.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/heap.h"
#include "sched/negotiation/inside.h"

static uint32_t moments_in(const struct classad_names *names)
{
	uint32_t moments = 0;

	for (size_t i = 0; i < names->n; i++)
		moments |= moment_of(names->items[i]);
	return moments;
}

bool preempt_is_lazy(const struct negotiator *negotiator)
{
	const struct interest *interest = &negotiator->interest;

	return negotiator->conf->follows == FOLLOWS_PROGRAM && negotiator->conf->preemption_requirements_stable &&
	       negotiator->conf->preemption_rank_stable && !negotiator->clauses.any && negotiator->clauses.n > 0 &&
	       !interest->by_job[ROOT_PREEMPTION_RANK] &&
	       !(moments_in(&interest->slots[ROOT_PREEMPTION_RANK].own) & MOMENTS_OF_USE) && !cross_is_on(negotiator);
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

/* Sort the claimed slots of a class, once per cycle. */
static void class_sort(struct negotiator *negotiator, struct class_pool *pool)
{
	struct slot_pool *slot_pool = &negotiator->pool;

	if (pool->sorted_in == negotiator->cycle)
		return;
	pool->sorted_in = negotiator->cycle;
	pool->bound = INFINITY;
	pool->eligible = 0;
	for (uint32_t i = 0; i < pool->nclaimed; i++) {
		uint32_t slot = slot_pool->claimed[pool->claimed + i];
		struct claim_facts *facts = &slot_pool->claims[slot];

		claim_facts(negotiator, slot);
		facts->says = clauses_slot(negotiator, slot);
		if (facts->says == CLAUSE_NO)
			continue;
		pool->eligible++;
		facts->preemption = negotiators_rank(negotiator, negotiator->conf->preemption_rank.program,
						     moment_claim(negotiator, slot), NULL);
	}
	if (pool->nclaimed > 0)
		qsort_r(slot_pool->claimed + pool->claimed, pool->nclaimed, sizeof(*slot_pool->claimed), by_order,
			slot_pool->claims);
}

static bool may_have(struct negotiator *negotiator, uint32_t class, const struct row_entry *entry, uint32_t slot,
		     bool policy)
{
	struct match_list *matches = &negotiator->list;
	const struct slot *s = &negotiator->slots[slot];

	if (slot_customer(s) == matches->customer ||
	    (negotiator->in->admits && !negotiator->in->admits(negotiator->in->context, class, slot)))
		return false;
	matches->by_policy |= !policy;
	matches->by_rank |= policy && !(entry->rank >= s->current_rank);
	return policy && entry->rank >= s->current_rank;
}

/* Return the next slot of the class, from *at on, that the list may have. NONE: there is none. */
static uint32_t next_of(struct negotiator *negotiator, uint32_t class, const struct row_entry *entry, uint32_t *at,
			const struct classad *job)
{
	struct slot_pool *pool = &negotiator->pool;
	struct class_pool *class_pool = &pool->classes[entry->class];
	bool from_begin = *at == 0;
	double most = -INFINITY;

	for (; *at < class_pool->eligible; ++*at) {
		uint32_t slot = pool->claimed[class_pool->claimed + *at];
		double bound = INFINITY;
		bool policy;

		if (pool->places[slot] != PLACE_CLAIMED)
			continue;
		policy = pool->claims[slot].says == CLAUSE_ASKS ? claimed_may_take(negotiator, slot, job)
								: clauses_hold(negotiator, slot, job, &bound);
		if (may_have(negotiator, class, entry, slot, policy))
			return slot;
		most = bound > most ? bound : most;
	}
	if (from_begin)
		class_pool->bound = most;	/* no slot remains to be evaluated */
	return NONE;
}

static struct slot_candidate candidate_of(const struct negotiator *negotiator, const struct row_entry *entry,
					  uint32_t slot)
{
	const struct claim_facts *facts = &negotiator->pool.claims[slot];

	return (struct slot_candidate){ .pre = entry->pre + facts->pre,
					.job = entry->job,
					.post = entry->post + facts->post,
					.rank = entry->rank,
					.weight = entry->weight,
					.slot = slot,
					.entry = NONE,
					.preemption = PREEMPTS_BY_PRIORITY,
					.preemption_rank = facts->preemption };
}

#define lazy_better(CONTEXT, A, B) is_better(&(A)->candidate, &(B)->candidate)

int preempt_open(struct negotiator *negotiator, uint32_t class, uint32_t entry, const struct classad *job)
{
	struct match_list *matches = &negotiator->list;
	const struct row_entry *row_entry = &negotiator->clusters.kinds[matches->kind].rows[1].items[entry];
	struct class_pool *pool = &negotiator->pool.classes[row_entry->class];
	struct claimed_head head = { .entry = entry };
	uint32_t slot;

	class_sort(negotiator, pool);
	matches->by_policy |= pool->eligible < pool->nclaimed;
	if (clauses_exclude(negotiator, pool->bound)) {
		matches->by_policy = true;
		return 0;
	}
	slot = next_of(negotiator, class, row_entry, &head.at, job);
	if (slot == NONE)
		return 0;
	if (!limit_permits(matches->used, row_entry->weight, matches->limit)) {
		matches->by_limit = true;
		return 0;
	}
	if (room_for(&matches->lazy, &matches->lazy_capacity, matches->nlazy + 1, sizeof(*matches->lazy)) < 0)
		return -ENOMEM;
	head.candidate = candidate_of(negotiator, row_entry, slot);
	matches->lazy[matches->nlazy++] = head;
	heap_rise(matches->lazy, matches->nlazy - 1, lazy_better, NULL);
	return 0;
}

void preempt_advance(struct negotiator *negotiator, uint32_t class)
{
	struct match_list *matches = &negotiator->list;
	struct claimed_head *head = &matches->lazy[0];
	const struct row_entry *entry = &negotiator->clusters.kinds[matches->kind].rows[1].items[head->entry];
	uint32_t slot;

	head->at++;
	slot = next_of(negotiator, class, entry, &head->at, moment_job(negotiator, negotiator->classes[class].ad));
	if (slot != NONE)
		head->candidate = candidate_of(negotiator, entry, slot);
	else
		*head = matches->lazy[--matches->nlazy];
	if (matches->nlazy > 0)
		heap_sink(matches->lazy, matches->nlazy, 0, lazy_better, NULL);
}
