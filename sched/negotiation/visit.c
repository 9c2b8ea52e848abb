/* SPDX-License-Identifier: Apache-2.0 */
/* Serve one submitter: for each of its requests in turn, find the best slot. */
#include <errno.h>

#include "conf/base/array.h"
#include "sched/negotiation/inside.h"

struct asking {				/* position of a visit */
	const struct cycle_submitter *submitter;
	uint32_t *left;			/* jobs of each request */
	size_t at;
};

static bool is_late(struct negotiator *negotiator, struct submitter_visit *visit)
{
	if (!negotiator->in->clock_ns || visit->deadline_ns == 0 ||
	    negotiator->in->clock_ns(negotiator->in->context) < visit->deadline_ns)
		return false;
	visit->stop = visit->deadline_stop;
	return true;
}

/* Return what is rejected as a whole: an autocluster, or a class if the caller admits classes. */
static uint32_t rejected_whole(const struct negotiator *negotiator, const struct asking *asking)
{
	uint32_t class = asking->submitter->requests[asking->at].class;

	return negotiator->in->admits ? class : negotiator->class_facts[class].cluster;
}

/* Advance to the next request that may be served. False: there are no more. */
static bool next_request(struct negotiator *negotiator, struct asking *asking)
{
	for (; asking->at < asking->submitter->n; asking->at++)
		if (asking->left[asking->at] > 0 &&
		    negotiator->rejected[rejected_whole(negotiator, asking)] != negotiator->visits)
			return true;
	return false;
}

static enum refusal reason_of(const struct negotiator *negotiator, const struct submitter_visit *visit)
{
	const struct match_list *matches = &negotiator->list;

	if (matches->by_concurrency)
		return REFUSED_CONCURRENCY_LIMIT;
	if (matches->by_policy)
		return REFUSED_PREEMPTION;
	if (visit->rank_only || matches->by_limit)
		return visit->group_bound ? REFUSED_GROUP_LIMIT : REFUSED_SUBMITTER_LIMIT;
	return matches->by_rank ? REFUSED_RANK : REFUSED_NO_MATCH;
}

/* Return the verdict for a class from its row or from walking; UNKNOWN: not evaluated. */
static uint8_t verdict_known(const struct class_row *row, uint32_t class)
{
	uint8_t verdict = row->verdicts && class < row->nverdicts ? row->verdicts[class] : VERDICT_UNKNOWN;

	return verdict == VERDICT_UNKNOWN && row->walked && class < CLASSES_WALKED ? row->walked[class] : verdict;
}

/* Count the slots of a place that each side refused, as they were when the cycle began. */
static void count_place(const struct negotiator *negotiator, struct request_kind *kind, enum slot_place place)
{
	const struct class_row *row = &kind->rows[place == PLACE_CLAIMED];
	const uint32_t *classes = negotiator->pool.lists[place == PLACE_CLAIMED];

	for (size_t i = 0; i < negotiator->pool.nlists[place == PLACE_CLAIMED]; i++) {
		const struct class_pool *pool = &negotiator->pool.classes[classes[i]];
		uint8_t verdict = verdict_known(row, classes[i]);
		uint32_t slots = place == PLACE_FREE ? pool->were_free : pool->nclaimed;

		kind->by_job += verdict == VERDICT_BY_JOB ? slots : 0;
		kind->by_slot += verdict == VERDICT_BY_SLOT ? slots : 0;
	}
}

/* Count the slots that refused a kind. Claimed slots count if they were evaluated. */
static void count_slots(const struct negotiator *negotiator, struct request_kind *kind, struct class_refusal *refusal)
{
	if (kind->counted_in != negotiator->cycle) {
		kind->by_job = kind->by_slot = 0;
		count_place(negotiator, kind, PLACE_FREE);
		count_place(negotiator, kind, PLACE_CLAIMED);
		kind->counted_in = negotiator->cycle;
	}
	refusal->slots = (uint32_t)(negotiator->pool.were_free + negotiator->pool.were_claimed);
	refusal->claimed = (uint32_t)negotiator->pool.were_claimed;
	refusal->by_job = kind->by_job;
	refusal->by_slot = kind->by_slot;
}

/* Record a refusal, one for each visit and cluster. */
static void record(struct negotiator *negotiator, const struct submitter_visit *visit, const struct asking *asking,
		   enum refusal refusal, struct limit_use limit)
{
	struct cycle_result *result = negotiator->result;
	struct class_refusal *class_refusal;

	if (room_for(&result->refusals, &result->room.refusals, result->nrefusals + 1, sizeof(*result->refusals)) < 0) {
		negotiator->rc = -ENOMEM;
		return;
	}
	class_refusal = &result->refusals[result->nrefusals++];
	*class_refusal = (struct class_refusal){ .submitter = visit->submitter,
						 .request = (uint32_t)asking->at,
						 .refusal = refusal,
						 .limit = limit.limit,
						 .units = limit.units };
}

static void reject(struct negotiator *negotiator, struct submitter_visit *visit, struct asking *asking,
		   enum refusal refusal, struct limit_use limit)
{
	negotiator->rejected[rejected_whole(negotiator, asking)] = negotiator->visits;
	negotiator->result->submitters[visit->submitter].rejected++;
	record(negotiator, visit, asking, refusal, limit);
}

/* Make what is left of a partitionable slot available as a slot again. */
static void give_piece(struct negotiator *negotiator, const struct slot_candidate *candidate, uint32_t class)
{
	const struct condor_conf *conf = negotiator->conf;
	const struct slot_class *from = &negotiator->slot_classes.items[negotiator->pool.current[candidate->slot]];
	struct classad *left = piece_left(negotiator, candidate->slot, from, negotiator->classes[class].ad);
	double weight = conf->use_slot_weights && left ? slot_weight(conf, left, &negotiator->moments.room) : 1;
	uint32_t to = left ? slot_class_of(negotiator, left, weight, true, from->single) : NONE;

	if (to == NONE) {
		classad_free(left);
		negotiator->rc = -ENOMEM;
		return;
	}
	/* no request fits into what is left */
	if (attribute_number(negotiator, left, "Cpus", 1) < 1) {
		classad_free(left);
		return;
	}
	slot_ranks(negotiator, moment_free(negotiator, NONE, left), &negotiator->facts[candidate->slot].pre,
		   &negotiator->facts[candidate->slot].post);
	negotiator->facts[candidate->slot].known = false;
	class_take_in(negotiator, to, candidate->slot, left);
	negotiator->pool.gave[candidate->slot] = negotiator->list.number;
	negotiator->list.gave = true;
	if (pool_put(negotiator, candidate->slot, to) < 0)
		negotiator->rc = -ENOMEM;
	if (conf->depth_first)
		candidates_again(negotiator, candidate, class);
}

void refusals_settle(struct negotiator *negotiator)
{
	struct cycle_result *result = negotiator->result;
	size_t kept = 0;

	for (size_t i = 0; i < result->nrefusals; i++)
		if (i >= negotiator->states[result->refusals[i].submitter].refusals)
			result->refusals[kept++] = result->refusals[i];
	for (size_t i = 0; i < kept; i++) {
		const struct cycle_submitter *submitter = &negotiator->in->submitters[result->refusals[i].submitter];

		count_slots(
			negotiator,
			&negotiator->clusters.kinds
				 [negotiator->class_facts[submitter->requests[result->refusals[i].request].class].kind],
			&result->refusals[i]);
	}
	result->nrefusals = kept;
}

static int record_match(struct negotiator *negotiator, const struct submitter_visit *visit, const struct asking *asking,
			const struct slot_candidate *candidate)
{
	struct cycle_result *result = negotiator->result;

	if (room_for(&result->matches, &result->room.matches, result->nmatches + 1, sizeof(*result->matches)) < 0)
		return -ENOMEM;
	result->matches[result->nmatches++] = (struct match){
		.submitter = visit->submitter,
		.request = (uint32_t)asking->at,
		.slot = candidate->slot,
		.preemption = candidate->preemption,
		.weight = candidate->weight,
		.rank = isnan(candidate->rank) ? 0 : candidate->rank,
		.group = visit->group,
		.autoregroup = visit->autoregroup,
	};
	result->submitters[visit->submitter].matches++;
	result->submitters[visit->submitter].preemptions += candidate->preemption != PREEMPTS_NONE;
	return 0;
}

static int use_limits(struct negotiator *negotiator, const struct request_kind *kind)
{
	/* if they depend on the slot, the limits that were read last are those of this slot */
	if (kind->limits_by_slot)
		concurrency_use(&negotiator->limits, negotiator->limits.uses, negotiator->limits.nuses);
	else
		concurrency_use(&negotiator->limits, kind->limits, kind->nlimits);
	return 0;
}

static void match(struct negotiator *negotiator, struct submitter_visit *visit, struct asking *asking,
		  const struct slot_candidate *candidate)
{
	uint32_t class = asking->submitter->requests[asking->at].class;
	const struct request_kind *kind = &negotiator->clusters.kinds[negotiator->class_facts[class].kind];

	if (record_match(negotiator, visit, asking, candidate) < 0) {
		negotiator->rc = -ENOMEM;
		return;
	}
	visit->used += candidate->weight;
	visit->left -= candidate->weight;
	if (candidate->preemption == PREEMPTS_NONE)
		visit->used_free += candidate->weight;
	use_limits(negotiator, kind);
	account_match(negotiator, candidate->slot, asking->submitter->customer, candidate->weight);
	if (--asking->left[asking->at] == 0)
		asking->at++;
	pool_take(negotiator, candidate->slot);
	if (candidate->preemption == PREEMPTS_NONE && negotiator->slots[candidate->slot].partitionable)
		give_piece(negotiator, candidate, class);
}

/* Serve one request. False: the visit ends, and the submitter stays for the next spin. */
static bool serve(struct negotiator *negotiator, struct submitter_visit *visit, struct asking *asking)
{
	uint32_t class = asking->submitter->requests[asking->at].class;
	const struct limit_use *limit;
	struct request_kind *kind = &negotiator->clusters.kinds[negotiator->class_facts[class].kind];
	struct slot_candidate candidate;

	if (!kind->limits_known && kind_limits(negotiator, kind) < 0)
		negotiator->rc = -ENOMEM;
	limit = concurrency_refuse(&negotiator->limits, kind->limits, kind->nlimits);
	if (limit) {
		reject(negotiator, visit, asking, REFUSED_CONCURRENCY_LIMIT, *limit);
		return true;
	}
	candidate = candidates_best(negotiator, visit, class);
	if (negotiator->rc < 0)
		return false;
	if (candidate.slot != NONE) {
		match(negotiator, visit, asking, &candidate);
		return negotiator->rc == 0;
	}
	visit->limited |= negotiator->list.by_limit;
	reject(negotiator, visit, asking, reason_of(negotiator, visit), negotiator->list.limited_by);
	return !negotiator->list.by_limit || negotiator->conf->consider_preemption ||
	       negotiator->conf->use_slot_weights;
}

bool visit_make(struct negotiator *negotiator, struct submitter_visit *visit)
{
	struct asking asking = { .submitter = &negotiator->in->submitters[visit->submitter],
				 .left = negotiator->left + negotiator->left_of[visit->submitter] };

	negotiator->visits++;
	negotiator->states[visit->submitter].refusals = negotiator->result->nrefusals;
	while (asking.at < asking.submitter->n && asking.left[asking.at] == 0)
		asking.at++;
	for (;;) {
		if (negotiator->rc < 0 || is_late(negotiator, visit))
			return false;
		if (visit->used >= visit->limit) {
			visit->stop = STOP_SLICE;
			if (!visit->ignore)
				return false;
			visit->rank_only = visit->limited = true;
		}
		if (visit->used >= visit->room) {
			visit->stop = STOP_CEILING;
			return false;
		}
		if (!next_request(negotiator, &asking)) {
			if (visit->stop == STOP_NONE || !visit->limited)
				visit->stop = visit->limited ? STOP_SLICE : STOP_REFUSED;
			return !visit->limited;
		}
		if (!serve(negotiator, visit, &asking))
			return false;
	}
}
