/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claimed slots as candidates: a machine may prefer the job by its RANK, or PREEMPTION_REQUIREMENTS
 * allow it to take the slot from another submitter. Source: HTCondor's manual,
 * "PREEMPTION_REQUIREMENTS".
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/negotiation/inside.h"

/*
 * Return whether the slot's user has a worse priority. By the manual, a job takes a slot only from
 * such a user, whatever the expression says.
 */
static bool is_worse(const struct negotiator *negotiator, uint32_t slot)
{
	const struct customer *own = &negotiator->customers->items[negotiator->list.customer],
			      *other = &negotiator->customers->items[slot_customer(&negotiator->slots[slot])];

	return customer_eup(other) > customer_eup(own);
}

bool claimed_may_take(struct negotiator *negotiator, uint32_t slot, const struct classad *job)
{
	struct classad_pair pair = { .target = job };
	struct classad_value value;

	if (!negotiator->pool.by_priority ||
	    (negotiator->conf->follows == FOLLOWS_MANUAL && !is_worse(negotiator, slot)))
		return false;
	pair.my = moment_claim(negotiator, slot);
	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(negotiator->conf->preemption_requirements.program, &pair, &negotiator->moments.room, &value);
	return value.type == CLASSAD_BOOL && value.truth;
}

/* Return the kind of preemption of a match; PREEMPTS_NONE: the slot is not available to it. */
static enum preemption preemption_of(struct negotiator *negotiator, const struct submitter_visit *visit,
				     const struct row_entry *entry, uint32_t slot, const struct classad *job)
{
	const struct slot *s = &negotiator->slots[slot];

	if (entry->rank > s->current_rank)
		return PREEMPTS_BY_RANK;
	if (visit->rank_only || slot_customer(s) == negotiator->in->submitters[visit->submitter].customer)
		return PREEMPTS_NONE;
	if (!claimed_may_take(negotiator, slot, job)) {
		negotiator->list.by_policy = true;
		return PREEMPTS_NONE;
	}
	if (!(entry->rank >= s->current_rank)) {
		negotiator->list.by_rank = true;
		return PREEMPTS_NONE;
	}
	return PREEMPTS_BY_PRIORITY;
}

/* Return the claimed slot's own part of the ranks. */
const struct claim_facts *claim_facts(struct negotiator *negotiator, uint32_t slot)
{
	struct claim_facts *facts = &negotiator->pool.claims[slot];
	struct slot_facts *kept = &negotiator->facts[slot];

	if (facts->cycle == negotiator->cycle)
		return facts;
	facts->cycle = negotiator->cycle;
	if (!kept->claimed_known || !negotiator->pool.ranks_hold)
		slot_ranks(negotiator, moment_claim(negotiator, slot), &kept->claimed_pre, &kept->claimed_post);
	kept->claimed_known = true;
	facts->pre = kept->claimed_pre;
	facts->post = kept->claimed_post;
	return facts;
}

static struct slot_candidate claimed_candidate(struct negotiator *negotiator, const struct row_entry *entry,
					       uint32_t slot, const struct classad *job, enum preemption preemption)
{
	const struct claim_facts *facts = claim_facts(negotiator, slot);

	return (struct slot_candidate){
		.pre = entry->pre + facts->pre,
		.job = entry->job,
		.post = entry->post + facts->post,
		.rank = entry->rank,
		.weight = entry->weight,
		.slot = slot,
		.entry = NONE,
		.preemption = preemption,
		.preemption_rank = negotiators_rank(negotiator, negotiator->conf->preemption_rank.program,
						    moment_claim(negotiator, slot), job),
	};
}

static int by_worth(const void *a, const void *b)
{
	return is_better(a, b) ? -1 : 1;
}

static int collect_class(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class,
			 const struct row_entry *entry, const struct classad *job)
{
	const struct class_pool *pool = &negotiator->pool.classes[entry->class];
	struct match_list *matches = &negotiator->list;

	for (uint32_t i = 0; i < pool->nclaimed; i++) {
		uint32_t slot = negotiator->pool.claimed[pool->claimed + i];
		enum preemption preemption;

		if (negotiator->pool.places[slot] != PLACE_CLAIMED ||
		    (negotiator->in->admits && !negotiator->in->admits(negotiator->in->context, class, slot)))
			continue;
		preemption = preemption_of(negotiator, visit, entry, slot, job);
		if (preemption == PREEMPTS_NONE)
			continue;
		if (preemption == PREEMPTS_BY_PRIORITY &&
		    !limit_permits(matches->used, entry->weight, matches->limit)) {
			matches->by_limit = true;
			continue;
		}
		if (room_for(&matches->claimed, &matches->claimed_capacity, matches->nclaimed + 1,
			     sizeof(*matches->claimed)) < 0)
			return -ENOMEM;
		matches->claimed[matches->nclaimed++] = claimed_candidate(negotiator, entry, slot, job, preemption);
	}
	return 0;
}

int claimed_collect(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class)
{
	const struct class_row *row = &negotiator->clusters.kinds[negotiator->class_facts[class].kind].rows[1];
	const struct classad *job = moment_job(negotiator, negotiator->classes[class].ad);
	struct match_list *matches = &negotiator->list;
	int rc = 0;

	if (negotiator->pool.lazy)
		clauses_job(negotiator, job);
	for (uint32_t i = 0; i < row->n && rc == 0; i++)
		if (!negotiator->pool.lazy ||
		    row->items[i].rank > negotiator->pool.classes[row->items[i].class].least_rank)
			rc = collect_class(negotiator, visit, class, &row->items[i], job);
		else if (!visit->rank_only)
			rc = preempt_open(negotiator, class, i, job);
	if (matches->nclaimed > 1)
		qsort(matches->claimed, matches->nclaimed, sizeof(*matches->claimed), by_worth);
	return rc;
}

bool claimed_holds(struct negotiator *negotiator, uint32_t class, const struct slot_candidate *candidate)
{
	const struct classad *job = moment_job(negotiator, negotiator->classes[class].ad);

	if (!negotiator->conf->preemption_requirements_stable && !claimed_may_take(negotiator, candidate->slot, job))
		return false;
	return negotiator->conf->preemption_rank_stable ||
	       candidate->preemption_rank == negotiators_rank(negotiator, negotiator->conf->preemption_rank.program,
							      moment_claim(negotiator, candidate->slot), job);
}
