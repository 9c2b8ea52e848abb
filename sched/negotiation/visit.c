/* SPDX-License-Identifier: Apache-2.0 */
/* One submitter is asked for its requests, one after the other, and for each gets the best slot. */
#include <errno.h>

#include "conf/array.h"
#include "sched/negotiation/inside.h"

struct asking {				/* where a visit stands */
	const struct cycle_submitter *submitter;
	uint32_t *left;			/* jobs of each request */
	size_t at;
};

static bool is_late(struct negotiator *n, struct submitter_visit *v)
{
	if (!n->in->clock_ns || v->deadline_ns == 0 || n->in->clock_ns(n->in->context) < v->deadline_ns)
		return false;
	v->stop = v->deadline_stop;
	return true;
}

/* What is rejected together: an autocluster, or where the caller has a say in it, a class. */
static uint32_t alike(const struct negotiator *n, const struct asking *a)
{
	uint32_t class = a->submitter->requests[a->at].class;

	return n->in->admits ? class : n->class_facts[class].cluster;
}

/* False: no request is left that may be asked for. */
static bool next_request(struct negotiator *n, struct asking *a)
{
	for (; a->at < a->submitter->n; a->at++)
		if (a->left[a->at] > 0 && n->rejected[alike(n, a)] != n->visits)
			return true;
	return false;
}

static enum refusal reason_of(const struct negotiator *n, const struct submitter_visit *v)
{
	const struct match_list *l = &n->list;

	if (l->by_concurrency)
		return REFUSED_CONCURRENCY_LIMIT;
	if (l->by_policy)
		return REFUSED_PREEMPTION;
	if (v->rank_only || l->by_limit)
		return v->group_bound ? REFUSED_GROUP_LIMIT : REFUSED_SUBMITTER_LIMIT;
	return l->by_rank ? REFUSED_RANK : REFUSED_NO_MATCH;
}

/* Of a class that was listed, or walked; UNKNOWN: it was not looked at. */
static uint8_t verdict_known(const struct class_row *row, uint32_t class)
{
	uint8_t verdict = row->verdicts && class < row->nverdicts ? row->verdicts[class] : VERDICT_UNKNOWN;

	return verdict == VERDICT_UNKNOWN && row->walked && class < CLASSES_WALKED ? row->walked[class] : verdict;
}

/* Which side refused the slots of a place, as they were when the cycle began. */
static void count_place(const struct negotiator *n, struct request_kind *kind, enum slot_place place)
{
	const struct class_row *row = &kind->rows[place == PLACE_CLAIMED];
	const uint32_t *classes = n->pool.lists[place == PLACE_CLAIMED];

	for (size_t i = 0; i < n->pool.nlists[place == PLACE_CLAIMED]; i++) {
		const struct class_pool *pool = &n->pool.classes[classes[i]];
		uint8_t verdict = verdict_known(row, classes[i]);
		uint32_t slots = place == PLACE_FREE ? pool->were_free : pool->nclaimed;

		kind->by_job += verdict == VERDICT_BY_JOB ? slots : 0;
		kind->by_slot += verdict == VERDICT_BY_SLOT ? slots : 0;
	}
}

/* Claimed ones count where they were looked at, for a preemption. */
static void count_slots(const struct negotiator *n, struct request_kind *kind, struct class_refusal *r)
{
	if (kind->counted_in != n->cycle) {
		kind->by_job = kind->by_slot = 0;
		count_place(n, kind, PLACE_FREE);
		count_place(n, kind, PLACE_CLAIMED);
		kind->counted_in = n->cycle;
	}
	r->slots = (uint32_t)(n->pool.were_free + n->pool.were_claimed);
	r->claimed = (uint32_t)n->pool.were_claimed;
	r->by_job = kind->by_job;
	r->by_slot = kind->by_slot;
}

/* One refusal a visit and cluster. */
static void record(struct negotiator *n, const struct submitter_visit *v, const struct asking *a, enum refusal refusal, struct limit_use limit)
{
	struct cycle_result *result = n->result;
	struct class_refusal *r;

	if (room_for(&result->refusals, &result->room.refusals, result->nrefusals + 1, sizeof(*result->refusals)) < 0) {
		n->rc = -ENOMEM;
		return;
	}
	r = &result->refusals[result->nrefusals++];
	*r = (struct class_refusal){ .submitter = v->submitter, .request = (uint32_t)a->at, .refusal = refusal, .limit = limit.limit,
				     .units = limit.units };
}

static void reject(struct negotiator *n, struct submitter_visit *v, struct asking *a, enum refusal refusal, struct limit_use limit)
{
	n->rejected[alike(n, a)] = n->visits;
	n->result->submitters[v->submitter].rejected++;
	record(n, v, a, refusal, limit);
}

/* What is left of a partitionable slot is a slot again. */
static void give_piece(struct negotiator *n, const struct slot_candidate *c, uint32_t class)
{
	const struct condor_conf *conf = n->conf;
	const struct slot_class *from = &n->slot_classes.items[n->pool.current[c->slot]];
	struct classad *left = piece_left(n, c->slot, from, n->classes[class].ad);
	double weight = conf->use_slot_weights && left ? slot_weight(conf, left, &n->moments.room) : 1;
	uint32_t to = left ? slot_class_of(n, left, weight, true, from->single) : NONE;

	if (to == NONE) {
		classad_free(left);
		n->rc = -ENOMEM;
		return;
	}
	if (attribute_number(n, left, "Cpus", 1) < 1) {		/* nobody can have anything of it any more */
		classad_free(left);
		return;
	}
	slot_ranks(n, moment_free(n, NONE, left), &n->facts[c->slot].pre, &n->facts[c->slot].post);
	n->facts[c->slot].known = false;
	class_take_in(n, to, c->slot, left);
	n->pool.gave[c->slot] = n->list.number;
	n->list.gave = true;
	if (pool_put(n, c->slot, to) < 0)
		n->rc = -ENOMEM;
	if (conf->depth_first)
		candidates_again(n, c, class);
}

void refusals_settle(struct negotiator *n)
{
	struct cycle_result *r = n->result;
	size_t kept = 0;

	for (size_t i = 0; i < r->nrefusals; i++)
		if (i >= n->states[r->refusals[i].submitter].refusals)
			r->refusals[kept++] = r->refusals[i];
	for (size_t i = 0; i < kept; i++) {
		const struct cycle_submitter *s = &n->in->submitters[r->refusals[i].submitter];

		count_slots(n, &n->clusters.kinds[n->class_facts[s->requests[r->refusals[i].request].class].kind], &r->refusals[i]);
	}
	r->nrefusals = kept;
}

static int record_match(struct negotiator *n, const struct submitter_visit *v, const struct asking *a, const struct slot_candidate *c)
{
	struct cycle_result *r = n->result;

	if (room_for(&r->matches, &r->room.matches, r->nmatches + 1, sizeof(*r->matches)) < 0)
		return -ENOMEM;
	r->matches[r->nmatches++] = (struct match){
		.submitter = v->submitter, .request = (uint32_t)a->at, .slot = c->slot, .preemption = c->preemption, .weight = c->weight,
		.rank = isnan(c->rank) ? 0 : c->rank, .group = v->group, .autoregroup = v->autoregroup,
	};
	r->submitters[v->submitter].matches++;
	r->submitters[v->submitter].preemptions += c->preemption != PREEMPTS_NOBODY;
	return 0;
}

static int use_limits(struct negotiator *n, const struct request_kind *kind)
{
	/* where the slot decided, what was read of it last is what it decided */
	if (kind->limits_by_slot)
		concurrency_use(&n->limits, n->limits.uses, n->limits.nuses);
	else
		concurrency_use(&n->limits, kind->limits, kind->nlimits);
	return 0;
}

static void match(struct negotiator *n, struct submitter_visit *v, struct asking *a, const struct slot_candidate *c)
{
	uint32_t class = a->submitter->requests[a->at].class;
	const struct request_kind *kind = &n->clusters.kinds[n->class_facts[class].kind];

	if (record_match(n, v, a, c) < 0) {
		n->rc = -ENOMEM;
		return;
	}
	v->used += c->weight;
	v->left -= c->weight;
	if (c->preemption == PREEMPTS_NOBODY)
		v->used_free += c->weight;
	use_limits(n, kind);
	account_match(n, c->slot, a->submitter->customer, c->weight);
	if (--a->left[a->at] == 0)
		a->at++;
	pool_take(n, c->slot);
	if (c->preemption == PREEMPTS_NOBODY && n->slots[c->slot].partitionable)
		give_piece(n, c, class);
}

/* False: the visit is over, the submitter stays for the next spin. */
static bool serve(struct negotiator *n, struct submitter_visit *v, struct asking *a)
{
	uint32_t class = a->submitter->requests[a->at].class;
	const struct limit_use *limit;
	struct request_kind *kind = &n->clusters.kinds[n->class_facts[class].kind];
	struct slot_candidate c;

	if (!kind->limits_known && kind_limits(n, kind) < 0)
		n->rc = -ENOMEM;
	limit = concurrency_refuse(&n->limits, kind->limits, kind->nlimits);
	if (limit) {
		reject(n, v, a, REFUSED_CONCURRENCY_LIMIT, *limit);
		return true;
	}
	c = candidates_best(n, v, class);
	if (n->rc < 0)
		return false;
	if (c.slot != NONE) {
		match(n, v, a, &c);
		return n->rc == 0;
	}
	v->limited |= n->list.by_limit;
	reject(n, v, a, reason_of(n, v), n->list.limited_by);
	return !n->list.by_limit || n->conf->consider_preemption || n->conf->use_slot_weights;
}

bool visit_make(struct negotiator *n, struct submitter_visit *v)
{
	struct asking a = { .submitter = &n->in->submitters[v->submitter], .left = n->left + n->left_of[v->submitter] };

	n->visits++;
	n->states[v->submitter].refusals = n->result->nrefusals;
	while (a.at < a.submitter->n && a.left[a.at] == 0)
		a.at++;
	for (;;) {
		if (n->rc < 0 || is_late(n, v))
			return false;
		if (v->used >= v->limit) {
			v->stop = STOP_SLICE;
			if (!v->ignore)
				return false;
			v->rank_only = v->limited = true;
		}
		if (v->used >= v->room) {
			v->stop = STOP_CEILING;
			return false;
		}
		if (!next_request(n, &a)) {
			if (v->stop == STOP_NONE || !v->limited)
				v->stop = v->limited ? STOP_SLICE : STOP_REFUSED;
			return !v->limited;
		}
		if (!serve(n, v, &a))
			return false;
	}
}
