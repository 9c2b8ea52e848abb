/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots for a request, the best first. HTCondor makes a list of them for the requests of an
 * autocluster, with the limits of that moment, and uses it as long as the next request has the same
 * autocluster. Here free slots are added to the list when they are needed, from the ordered lists
 * of their classes. The list is a heap of the first slots of classes; a class is added to it when
 * its first slot can be the best.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/heap.h"
#include "sched/negotiation/inside.h"

bool is_better(const struct slot_candidate *a, const struct slot_candidate *b)
{
	if (a->pre != b->pre)
		return a->pre > b->pre;
	if (a->job != b->job)
		return a->job > b->job;
	if (a->post != b->post)
		return a->post > b->post;
	if (a->preemption != b->preemption)
		return a->preemption < b->preemption;
	if (a->preemption_rank != b->preemption_rank)
		return a->preemption_rank > b->preemption_rank;
	return a->slot < b->slot;
}

#define heap_better(CONTEXT, A, B) is_better(A, B)

/*
 * Return whether a class may have a slot. A slot that has given a piece to this list is available
 * again in the next list.
 */
bool slot_admits_class(const struct negotiator *negotiator, uint32_t class, uint32_t slot)
{
	return !(negotiator->list.gave && negotiator->pool.gave[slot] == negotiator->list.number) &&
		(!negotiator->in->admits || negotiator->in->admits(negotiator->in->context, class, slot));
}

/* Return the first slot of a class, from this one on, that the caller admits; NONE. */
static uint32_t admitting(const struct negotiator *negotiator, uint32_t class, uint32_t slot)
{
	while (slot != NONE && !slot_admits_class(negotiator, class, slot))
		slot = negotiator->pool.nodes[slot].next;
	return slot;
}

static struct slot_candidate free_candidate(const struct row_entry *row_entry, uint32_t entry, uint32_t slot, float pre,
					    float post)
{
	return (struct slot_candidate){ .pre = row_entry->pre + pre,
					.job = row_entry->job,
					.post = row_entry->post + post,
					.rank = row_entry->rank,
					.weight = row_entry->weight,
					.slot = slot,
					.entry = entry,
					.preemption = PREEMPTS_NONE };
}

static int heap_put(struct match_list *matches, const struct slot_candidate *candidate)
{
	if (room_for(&matches->heap, &matches->heap_capacity, matches->nheap + 1, sizeof(*matches->heap)) < 0)
		return -ENOMEM;
	matches->heap[matches->nheap++] = *candidate;
	heap_rise(matches->heap, matches->nheap - 1, heap_better, NULL);
	return 0;
}

/* Return a bound: no slot of the row's next class is better. */
static struct slot_candidate entry_bound(const struct negotiator *negotiator, const struct class_row *row, size_t entry)
{
	const struct row_entry *row_entry = &row->items[entry];
	const struct slot_class *class = &negotiator->slot_classes.items[row_entry->class];

	return (struct slot_candidate){ .pre = row_entry->pre + class->pre,
					.job = row_entry->job,
					.post = row_entry->post + class->post };
}

/* Add classes to the heap whose first slot may be the best. */
static int heap_fill(struct negotiator *negotiator, uint32_t class)
{
	struct match_list *matches = &negotiator->list;
	struct class_row *row = &negotiator->clusters.kinds[matches->kind].rows[0];
	struct slot_candidate next;

	if (matches->walk)
		return matches->nheap == 0 && walk_step(negotiator, class, &next) ? heap_put(matches, &next) : 0;
	for (; matches->next_entry < row->n; matches->next_entry++) {
		const struct row_entry *entry = &row->items[matches->next_entry];
		const struct class_pool *pool = &negotiator->pool.classes[entry->class];
		struct slot_candidate bound = entry_bound(negotiator, row, matches->next_entry), first;
		uint32_t slot = pool->head;

		if (slot == NONE) {
			row->alive += row->alive == matches->next_entry;
			continue;
		}
		if (matches->nheap > 0 && !is_better(&bound, &matches->heap[0]))
			break;
		slot = admitting(negotiator, class, slot);
		if (slot == NONE)
			continue;
		if (entry->weight >= matches->refused ||
		    !limit_permits(matches->used_free, entry->weight, matches->limit_free)) {
			matches->by_limit = true;
			continue;
		}
		first = slot == pool->head
				? free_candidate(entry, (uint32_t)matches->next_entry, slot, pool->pre, pool->post)
				: free_candidate(entry, (uint32_t)matches->next_entry, slot,
						 negotiator->pool.nodes[slot].pre, negotiator->pool.nodes[slot].post);
		if (heap_put(matches, &first) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void heap_drop(struct match_list *matches)
{
	matches->heap[0] = matches->heap[--matches->nheap];
	if (matches->nheap > 0)
		heap_sink(matches->heap, matches->nheap, 0, heap_better, NULL);
}

/* Replace the best free slot in the heap by the next slot of its class. */
static void heap_advance(struct negotiator *negotiator, uint32_t class)
{
	struct match_list *matches = &negotiator->list;
	struct slot_candidate best = matches->heap[0];
	const struct slot_node *nodes = negotiator->pool.nodes;
	uint32_t next = matches->walk ? NONE : admitting(negotiator, class, nodes[best.slot].next);

	if (next == NONE) {
		heap_drop(matches);
		return;
	}
	matches->heap[0] = free_candidate(&negotiator->clusters.kinds[matches->kind].rows[0].items[best.entry],
					  best.entry, next, nodes[next].pre, nodes[next].post);
	heap_sink(matches->heap, matches->nheap, 0, heap_better, NULL);
}

/*
 * Take the best of three: free slots, claimed slots that were all evaluated, and claimed slots
 * class by class.
 */
static bool best_next(struct negotiator *negotiator, uint32_t class, struct slot_candidate *candidate)
{
	struct match_list *matches = &negotiator->list;
	const struct slot_candidate *free = matches->nheap > 0 ? &matches->heap[0] : NULL,
				    *claimed = matches->at_claimed < matches->nclaimed
						       ? &matches->claimed[matches->at_claimed]
						       : NULL;
	const struct slot_candidate *lazy = matches->nlazy > 0 ? &matches->lazy[0].candidate : NULL, *best = free;

	if (claimed && (!best || is_better(claimed, best)))
		best = claimed;
	if (lazy && (!best || is_better(lazy, best)))
		best = lazy;
	if (!best)
		return false;
	*candidate = *best;
	if (best == free)
		heap_advance(negotiator, class);
	else if (best == claimed)
		matches->at_claimed++;
	else
		preempt_advance(negotiator, class);
	return true;
}

/* Take the next slot from the list. False: there is none. */
static bool list_next(struct negotiator *negotiator, uint32_t class, struct slot_candidate *candidate)
{
	struct match_list *matches = &negotiator->list;

	if (matches->again.slot != NONE) {
		*candidate = matches->again;
		matches->again.slot = NONE;
		return true;
	}
	while (!matches->rank_only && negotiator->rc == 0) {
		if (heap_fill(negotiator, class) < 0)
			negotiator->rc = -ENOMEM;
		if (matches->nheap == 0 || matches->heap[0].weight < matches->refused)
			break;
		heap_drop(matches);
	}
	return negotiator->rc == 0 && best_next(negotiator, class, candidate);
}

static void list_make(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class)
{
	const struct class_facts *facts = &negotiator->class_facts[class];
	struct match_list *matches = &negotiator->list;
	struct match_list made = {
		.is_there = true,
		.rank_only = visit->rank_only,
		.customer = negotiator->in->submitters[visit->submitter].customer,
		.cluster = facts->cluster,
		.class = class,
		.kind = facts->kind,
		.limit = visit->limit,
		.limit_free = visit->limit_free,
		.used = visit->used,
		.used_free = visit->used_free,
		.heap = matches->heap,
		.heap_capacity = matches->heap_capacity,
		.claimed = matches->claimed,
		.claimed_capacity = matches->claimed_capacity,
		.lazy = matches->lazy,
		.lazy_capacity = matches->lazy_capacity,
		.again = { .slot = NONE },
		.limited_by = { .limit = NONE },
		.refused = INFINITY,
		.number = matches->number + 1,
	};

	*matches = made;
	rows_bound(&negotiator->clusters);
	moment_submitter(negotiator, visit);
	matches->walk = walk_serves(negotiator, &negotiator->clusters.kinds[facts->kind]);
	matches->cursor = negotiator->pool.walk_head;
	if (!visit->rank_only && !matches->walk && negotiator->pool.nfree > 0 &&
	    row_complete(negotiator, facts->kind, PLACE_FREE) < 0)
		negotiator->rc = -ENOMEM;
	matches->next_entry = negotiator->clusters.kinds[facts->kind].rows[0].alive;
	if (negotiator->pool.nfree == 0)
		matches->next_entry = SIZE_MAX;
	if (negotiator->rc == 0 && negotiator->pool.nclaimed > 0 &&
	    ((!visit->rank_only && negotiator->pool.by_priority) || negotiator->pool.by_rank > 0) &&
	    (row_complete(negotiator, facts->kind, PLACE_CLAIMED) < 0 || claimed_collect(negotiator, visit, class) < 0))
		negotiator->rc = -ENOMEM;
}

/*
 * Return whether the list is still valid for the class. Without PREEMPTION_REQUIREMENTS_STABLE and
 * _RANK_STABLE, the next claimed slot is evaluated again.
 */
static bool list_holds(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class)
{
	const struct condor_conf *conf = negotiator->conf;
	const struct match_list *matches = &negotiator->list;
	const struct class_facts *facts = &negotiator->class_facts[class];

	if (negotiator->in->admits &&
	    matches->class != class) /* the caller may admit one class to a slot and not another */
		return false;
	if (!matches->is_there || !conf->matchlist_caching || conf->negotiate_all_jobs_in_cluster ||
	    matches->cluster != facts->cluster || matches->rank_only != visit->rank_only ||
	    matches->customer != negotiator->in->submitters[visit->submitter].customer)
		return false;
	if ((conf->preemption_requirements_stable && conf->preemption_rank_stable) ||
	    matches->at_claimed == matches->nclaimed ||
	    matches->claimed[matches->at_claimed].preemption != PREEMPTS_BY_PRIORITY)
		return true;
	moment_submitter(negotiator, visit);
	return claimed_holds(negotiator, class, &matches->claimed[matches->at_claimed]);
}

/* Check concurrency limits that depend on the slot. */
static bool limits_permit(struct negotiator *negotiator, struct request_kind *kind,
			  const struct slot_candidate *candidate)
{
	struct classad_pair pair = { .my = kind->ad };
	struct classad_value value;
	const struct limit_use *refused;

	if (!kind->limits_by_slot)
		return true;
	pair.target = candidate->preemption == PREEMPTS_NONE
			      ? moment_free(negotiator, candidate->slot, negotiator->slots[candidate->slot].ad)
			      : moment_claim(negotiator, candidate->slot);
	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, "ConcurrencyLimits", &negotiator->moments.room, &value);
	negotiator->limits.nuses = 0;
	if (value.type != CLASSAD_STRING)
		return true;
	if (concurrency_read(negotiator, value.text) < 0) {
		negotiator->rc = -ENOMEM;
		return false;
	}
	refused = concurrency_refuse(&negotiator->limits, negotiator->limits.uses, negotiator->limits.nuses);
	if (refused) {
		negotiator->list.by_concurrency = true;
		negotiator->list.limited_by = *refused;
	}
	return !refused;
}

/*
 * Check the limits again for a slot that is not the first of a list, differently from when the list
 * was made. By the manual, a machine's Rank never depends on them.
 */
static bool limit_permits_again(const struct negotiator *negotiator, const struct submitter_visit *visit,
				const struct slot_candidate *candidate)
{
	if (negotiator->conf->follows == FOLLOWS_MANUAL && candidate->preemption == PREEMPTS_BY_RANK)
		return true;
	return limit_permits(visit->used_free, candidate->weight, visit->limit_free) ||
	       (candidate->preemption != PREEMPTS_NONE &&
		limit_permits(visit->used, candidate->weight, visit->limit));
}

void candidates_again(struct negotiator *negotiator, const struct slot_candidate *candidate, uint32_t class)
{
	struct match_list *matches = &negotiator->list;
	struct row_entry entry;

	if (row_evaluate(negotiator, &negotiator->clusters.kinds[matches->kind],
			 negotiator->pool.current[candidate->slot], PLACE_FREE, &entry) != VERDICT_MATCHES ||
	    (negotiator->in->admits && !negotiator->in->admits(negotiator->in->context, class, candidate->slot)))
		return;
	matches->again = (struct slot_candidate){ .job = entry.job,
						  .rank = entry.rank,
						  .weight = entry.weight,
						  .slot = candidate->slot,
						  .entry = NONE,
						  .preemption = PREEMPTS_NONE };
}

struct slot_candidate candidates_best(struct negotiator *negotiator, const struct submitter_visit *visit,
				      uint32_t class)
{
	struct request_kind *kind = &negotiator->clusters.kinds[negotiator->class_facts[class].kind];
	struct match_list *matches = &negotiator->list;
	bool fresh = !list_holds(negotiator, visit, class);
	struct slot_candidate candidate;

	for (;;) {
		if (fresh)
			list_make(negotiator, visit, class);
		while (negotiator->rc == 0 && list_next(negotiator, class, &candidate)) {
			if (!limits_permit(negotiator, kind, &candidate))
				continue;
			if (fresh || limit_permits_again(negotiator, visit, &candidate))
				return candidate;
			matches->by_limit = true;
			/* used weight only grows: refuse slots of at least this weight */
			if (candidate.preemption == PREEMPTS_NONE)
				matches->refused = fmin(matches->refused, candidate.weight);
		}
		/* list the rest of slots that have given a piece again */
		if (negotiator->rc < 0 || !matches->gave)
			return (struct slot_candidate){ .slot = NONE };
		fresh = true;
	}
}
