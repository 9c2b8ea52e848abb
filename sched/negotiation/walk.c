/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitionable slots differ in what is left of them, so they have almost as many classes. If the
 * order of free slots does not depend on the job, they are in one list, and a request takes the
 * first that matches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

bool walk_serves(const struct negotiator *negotiator, const struct request_kind *kind)
{
	return negotiator->pool.walks && !kind->has_rank && !kind->moments && !kind->time &&
	       !(negotiator->interest.both_moments & MOMENTS_OF_JOBS) &&
	       !negotiator->interest.slots[ROOT_REQUIREMENTS].time && !cross_is_on(negotiator);
}

/*
 * Return the address at which the verdict for a class is stored. A class that did not match does
 * not match later. Only the first CLASSES_WALKED classes are remembered.
 */
static uint8_t *remembered(struct negotiator *negotiator, struct class_row *row, uint32_t class)
{
	if (class >= CLASSES_WALKED)
		return NULL;
	if (!row->walked) {
		row->walked = calloc(CLASSES_WALKED, 1);
		if (!row->walked) {
			negotiator->rc = -ENOMEM;
			return NULL;
		}
		negotiator->clusters.row_bytes += CLASSES_WALKED;
	}
	return &row->walked[class];
}

bool walk_step(struct negotiator *negotiator, uint32_t class, struct slot_candidate *candidate)
{
	struct match_list *matches = &negotiator->list;
	struct request_kind *kind = &negotiator->clusters.kinds[matches->kind];

	while (matches->cursor != NONE && negotiator->rc == 0) {
		uint32_t slot = matches->cursor, of = negotiator->pool.current[slot];
		uint8_t *no = remembered(negotiator, &kind->rows[0], of);
		enum match_verdict verdict;
		struct row_entry entry;

		matches->cursor = negotiator->pool.walk[slot].next;
		if ((no && *no) || !slot_admits_class(negotiator, class, slot))
			continue;
		verdict = row_evaluate(negotiator, kind, of, PLACE_FREE, &entry);
		if (verdict != VERDICT_MATCHES) {
			if (no)
				*no = (uint8_t)verdict;
			continue;
		}
		if (entry.weight >= matches->refused ||
		    !limit_permits(matches->used_free, entry.weight, matches->limit_free)) {
			matches->by_limit = true;
			continue;
		}
		*candidate = (struct slot_candidate){ .pre = negotiator->pool.nodes[slot].pre,
						      .job = entry.job,
						      .post = negotiator->pool.nodes[slot].post,
						      .rank = entry.rank,
						      .weight = entry.weight,
						      .slot = slot,
						      .entry = NONE,
						      .preemption = PREEMPTS_NONE };
		return true;
	}
	return false;
}

void walk_put(struct negotiator *negotiator, uint32_t slot, uint32_t from)
{
	struct slot_pool *pool = &negotiator->pool;
	uint32_t before = from, next = before == NONE ? pool->walk_head : pool->walk[before].next;

	while (before != NONE && slot_precedes(negotiator, slot, before)) {
		next = before;
		before = pool->walk[before].previous;
	}
	while (next != NONE && slot_precedes(negotiator, next, slot)) {
		before = next;
		next = pool->walk[next].next;
	}
	pool->walk[slot].previous = before;
	pool->walk[slot].next = next;
	*(before == NONE ? &pool->walk_head : &pool->walk[before].next) = slot;
	if (next != NONE)
		pool->walk[next].previous = slot;
}

void walk_take(struct slot_pool *pool, uint32_t slot)
{
	uint32_t before = pool->walk[slot].previous, next = pool->walk[slot].next;

	*(before == NONE ? &pool->walk_head : &pool->walk[before].next) = next;
	if (next != NONE)
		pool->walk[next].previous = before;
}
