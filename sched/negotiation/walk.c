/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitionable slots, of which each has something else left, are nearly as many classes. Where the
 * order of free slots does not depend on the job they stand in one list, and a request takes the
 * first that matches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

bool walk_serves(const struct negotiator *n, const struct request_kind *kind)
{
	return n->pool.walks && !kind->has_rank && !kind->moments && !kind->time && !(n->interest.both_moments & MOMENTS_OF_JOBS) &&
		!n->interest.slots[ROOT_REQUIREMENTS].time && !cross_is_on(n);
}

/* What did not match does not match: of the classes that there were first, that is remembered. */
static uint8_t *remembered(struct negotiator *n, struct class_row *row, uint32_t class)
{
	if (class >= CLASSES_WALKED)
		return NULL;
	if (!row->walked) {
		row->walked = calloc(CLASSES_WALKED, 1);
		if (!row->walked) {
			n->rc = -ENOMEM;
			return NULL;
		}
		n->clusters.row_bytes += CLASSES_WALKED;
	}
	return &row->walked[class];
}

bool walk_step(struct negotiator *n, uint32_t class, struct slot_candidate *c)
{
	struct match_list *l = &n->list;
	struct request_kind *kind = &n->clusters.kinds[l->kind];

	while (l->cursor != NONE && n->rc == 0) {
		uint32_t slot = l->cursor, of = n->pool.current[slot];
		uint8_t *no = remembered(n, &kind->rows[0], of);
		enum match_verdict verdict;
		struct row_entry e;

		l->cursor = n->pool.walk[slot].next;
		if ((no && *no) || !slot_admits_class(n, class, slot))
			continue;
		verdict = row_evaluate(n, kind, of, PLACE_FREE, &e);
		if (verdict != VERDICT_MATCHES) {
			if (no)
				*no = (uint8_t)verdict;
			continue;
		}
		if (e.weight >= l->refused || !limit_permits(l->used_free, e.weight, l->limit_free)) {
			l->by_limit = true;
			continue;
		}
		*c = (struct slot_candidate){ .pre = n->pool.nodes[slot].pre, .job = e.job, .post = n->pool.nodes[slot].post, .rank = e.rank,
					      .weight = e.weight, .slot = slot, .entry = NONE, .preemption = PREEMPTS_NOBODY };
		return true;
	}
	return false;
}

void walk_put(struct negotiator *n, uint32_t slot, uint32_t from)
{
	struct slot_pool *p = &n->pool;
	uint32_t before = from, next = before == NONE ? p->walk_head : p->walk[before].next;

	while (before != NONE && slot_precedes(n, slot, before)) {
		next = before;
		before = p->walk[before].previous;
	}
	while (next != NONE && slot_precedes(n, next, slot)) {
		before = next;
		next = p->walk[next].next;
	}
	p->walk[slot].previous = before;
	p->walk[slot].next = next;
	*(before == NONE ? &p->walk_head : &p->walk[before].next) = slot;
	if (next != NONE)
		p->walk[next].previous = slot;
}

void walk_take(struct slot_pool *p, uint32_t slot)
{
	uint32_t before = p->walk[slot].previous, next = p->walk[slot].next;

	*(before == NONE ? &p->walk_head : &p->walk[before].next) = next;
	if (next != NONE)
		p->walk[next].previous = before;
}
