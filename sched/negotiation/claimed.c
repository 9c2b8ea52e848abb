/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claimed slots as candidates: a machine may prefer the job by its RANK, or PREEMPTION_REQUIREMENTS
 * let it take the slot from another submitter. HTCondor's manual, "PREEMPTION_REQUIREMENTS".
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/negotiation/inside.h"

/*
 * As the manual has it: a job takes a slot from a user of a worse priority only, whatever the
 * expression says.
 */
static bool is_worse(const struct negotiator *n, uint32_t slot)
{
	const struct customer *own = &n->customers->items[n->list.customer], *other = &n->customers->items[slot_customer(&n->slots[slot])];

	return customer_eup(other) > customer_eup(own);
}

bool claimed_may_take(struct negotiator *n, uint32_t slot, const struct classad *job)
{
	struct classad_pair pair = { .target = job };
	struct classad_value value;

	if (!n->pool.by_priority || (n->conf->follows == FOLLOWS_MANUAL && !is_worse(n, slot)))
		return false;
	pair.my = moment_claim(n, slot);
	classad_room_reset(&n->moments.room);
	classad_evaluate(n->conf->preemption_requirements.program, &pair, &n->moments.room, &value);
	return value.type == CLASSAD_BOOL && value.truth;
}

/* Whom a match would drive out; PREEMPTS_NOBODY: it is none. */
static enum preemption preemption_of(struct negotiator *n, const struct submitter_visit *v, const struct row_entry *e, uint32_t slot,
				     const struct classad *job)
{
	const struct slot *s = &n->slots[slot];

	if (e->rank > s->current_rank)
		return PREEMPTS_BY_RANK;
	if (v->rank_only || slot_customer(s) == n->in->submitters[v->submitter].customer)
		return PREEMPTS_NOBODY;
	if (!claimed_may_take(n, slot, job)) {
		n->list.by_policy = true;
		return PREEMPTS_NOBODY;
	}
	if (!(e->rank >= s->current_rank)) {
		n->list.by_rank = true;
		return PREEMPTS_NOBODY;
	}
	return PREEMPTS_BY_PRIORITY;
}

/* The slot's own part of the ranks, as a claimed one. */
const struct claim_facts *claim_facts(struct negotiator *n, uint32_t slot)
{
	struct claim_facts *facts = &n->pool.claims[slot];
	struct slot_facts *kept = &n->facts[slot];

	if (facts->cycle == n->cycle)
		return facts;
	facts->cycle = n->cycle;
	if (!kept->claimed_known || !n->pool.ranks_hold)
		slot_ranks(n, moment_claim(n, slot), &kept->claimed_pre, &kept->claimed_post);
	kept->claimed_known = true;
	facts->pre = kept->claimed_pre;
	facts->post = kept->claimed_post;
	return facts;
}

static struct slot_candidate claimed_candidate(struct negotiator *n, const struct row_entry *e, uint32_t slot, const struct classad *job,
					  enum preemption preemption)
{
	const struct claim_facts *facts = claim_facts(n, slot);

	return (struct slot_candidate){
		.pre = e->pre + facts->pre, .job = e->job, .post = e->post + facts->post, .rank = e->rank, .weight = e->weight, .slot = slot,
		.entry = NONE, .preemption = preemption,
		.preemption_rank = negotiators_rank(n, n->conf->preemption_rank.program, moment_claim(n, slot), job),
	};
}

static int by_worth(const void *a, const void *b)
{
	return is_better(a, b) ? -1 : 1;
}

static int collect_class(struct negotiator *n, const struct submitter_visit *v, uint32_t class, const struct row_entry *e, const struct classad *job)
{
	const struct class_pool *pool = &n->pool.classes[e->class];
	struct match_list *l = &n->list;

	for (uint32_t i = 0; i < pool->nclaimed; i++) {
		uint32_t slot = n->pool.claimed[pool->claimed + i];
		enum preemption preemption;

		if (n->pool.places[slot] != PLACE_CLAIMED || (n->in->admits && !n->in->admits(n->in->context, class, slot)))
			continue;
		preemption = preemption_of(n, v, e, slot, job);
		if (preemption == PREEMPTS_NOBODY)
			continue;
		if (preemption == PREEMPTS_BY_PRIORITY && !limit_permits(l->used, e->weight, l->limit)) {
			l->by_limit = true;
			continue;
		}
		if (room_for(&l->claimed, &l->claimed_capacity, l->nclaimed + 1, sizeof(*l->claimed)) < 0)
			return -ENOMEM;
		l->claimed[l->nclaimed++] = claimed_candidate(n, e, slot, job, preemption);
	}
	return 0;
}

int claimed_collect(struct negotiator *n, const struct submitter_visit *v, uint32_t class)
{
	const struct class_row *row = &n->clusters.kinds[n->class_facts[class].kind].rows[1];
	const struct classad *job = moment_job(n, n->classes[class].ad);
	struct match_list *l = &n->list;
	int rc = 0;

	if (n->pool.lazy)
		clauses_job(n, job);
	for (uint32_t i = 0; i < row->n && rc == 0; i++)
		if (!n->pool.lazy || row->items[i].rank > n->pool.classes[row->items[i].class].least_rank)
			rc = collect_class(n, v, class, &row->items[i], job);
		else if (!v->rank_only)
			rc = preempt_open(n, class, i, job);
	if (l->nclaimed > 1)
		qsort(l->claimed, l->nclaimed, sizeof(*l->claimed), by_worth);
	return rc;
}

bool claimed_holds(struct negotiator *n, uint32_t class, const struct slot_candidate *c)
{
	const struct classad *job = moment_job(n, n->classes[class].ad);

	if (!n->conf->preemption_requirements_stable && !claimed_may_take(n, c->slot, job))
		return false;
	return n->conf->preemption_rank_stable ||
		c->preemption_rank == negotiators_rank(n, n->conf->preemption_rank.program, moment_claim(n, c->slot), job);
}
