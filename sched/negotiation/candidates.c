/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots for a request, the best first. HTCondor makes a list of them for the requests of an
 * autocluster, with the limits of that moment, and goes on with it as long as the next request is
 * of the same one. Here free slots come to it when they are asked for, from the ordered lists of
 * their classes: a heap of those classes' first slots, into which a class comes when it can be the
 * best.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/heap.h"
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

/* A slot that has given the list a piece comes back in another list. */
bool slot_admits_class(const struct negotiator *n, uint32_t class, uint32_t slot)
{
	return !(n->list.gave && n->pool.gave[slot] == n->list.number) &&
		(!n->in->admits || n->in->admits(n->in->context, class, slot));
}

/* From that slot of a class on, the first one that the caller lets the request have; NONE. */
static uint32_t admitting(const struct negotiator *n, uint32_t class, uint32_t slot)
{
	while (slot != NONE && !slot_admits_class(n, class, slot))
		slot = n->pool.nodes[slot].next;
	return slot;
}

static struct slot_candidate free_candidate(const struct row_entry *e, uint32_t entry, uint32_t slot, float pre, float post)
{
	return (struct slot_candidate){ .pre = e->pre + pre, .job = e->job, .post = e->post + post, .rank = e->rank, .weight = e->weight, .slot = slot,
					.entry = entry, .preemption = PREEMPTS_NOBODY };
}

static int heap_put(struct match_list *l, const struct slot_candidate *c)
{
	if (room_for(&l->heap, &l->heap_capacity, l->nheap + 1, sizeof(*l->heap)) < 0)
		return -ENOMEM;
	l->heap[l->nheap++] = *c;
	heap_rise(l->heap, l->nheap - 1, heap_better, NULL);
	return 0;
}

/* No slot of the class that the row has next is better than this. */
static struct slot_candidate entry_bound(const struct negotiator *n, const struct class_row *row, size_t entry)
{
	const struct row_entry *e = &row->items[entry];
	const struct slot_class *class = &n->slot_classes.items[e->class];

	return (struct slot_candidate){ .pre = e->pre + class->pre, .job = e->job, .post = e->post + class->post };
}

/* Classes of which a slot may be the best one come into the heap. */
static int heap_fill(struct negotiator *n, uint32_t class)
{
	struct match_list *l = &n->list;
	struct class_row *row = &n->clusters.kinds[l->kind].rows[0];
	struct slot_candidate next;

	if (l->walk)
		return l->nheap == 0 && walk_step(n, class, &next) ? heap_put(l, &next) : 0;
	for (; l->next_entry < row->n; l->next_entry++) {
		const struct row_entry *e = &row->items[l->next_entry];
		const struct class_pool *pool = &n->pool.classes[e->class];
		struct slot_candidate bound = entry_bound(n, row, l->next_entry), first;
		uint32_t slot = pool->head;

		if (slot == NONE) {
			row->alive += row->alive == l->next_entry;
			continue;
		}
		if (l->nheap > 0 && !is_better(&bound, &l->heap[0]))
			break;
		slot = admitting(n, class, slot);
		if (slot == NONE)
			continue;
		if (e->weight >= l->refused || !limit_permits(l->used_free, e->weight, l->limit_free)) {
			l->by_limit = true;
			continue;
		}
		first = slot == pool->head ? free_candidate(e, (uint32_t)l->next_entry, slot, pool->pre, pool->post) :
			free_candidate(e, (uint32_t)l->next_entry, slot, n->pool.nodes[slot].pre, n->pool.nodes[slot].post);
		if (heap_put(l, &first) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void heap_drop(struct match_list *l)
{
	l->heap[0] = l->heap[--l->nheap];
	if (l->nheap > 0)
		heap_sink(l->heap, l->nheap, 0, heap_better, NULL);
}

/* The best free one leaves the heap, the next of its class takes its place. */
static void heap_advance(struct negotiator *n, uint32_t class)
{
	struct match_list *l = &n->list;
	struct slot_candidate best = l->heap[0];
	const struct slot_node *nodes = n->pool.nodes;
	uint32_t next = l->walk ? NONE : admitting(n, class, nodes[best.slot].next);

	if (next == NONE) {
		heap_drop(l);
		return;
	}
	l->heap[0] = free_candidate(&n->clusters.kinds[l->kind].rows[0].items[best.entry], best.entry, next, nodes[next].pre, nodes[next].post);
	heap_sink(l->heap, l->nheap, 0, heap_better, NULL);
}

/* Of free ones, claimed ones that were all looked at, and claimed ones class by class. */
static bool best_next(struct negotiator *n, uint32_t class, struct slot_candidate *c)
{
	struct match_list *l = &n->list;
	const struct slot_candidate *free = l->nheap > 0 ? &l->heap[0] : NULL, *claimed = l->at_claimed < l->nclaimed ? &l->claimed[l->at_claimed] : NULL;
	const struct slot_candidate *lazy = l->nlazy > 0 ? &l->lazy[0].candidate : NULL, *best = free;

	if (claimed && (!best || is_better(claimed, best)))
		best = claimed;
	if (lazy && (!best || is_better(lazy, best)))
		best = lazy;
	if (!best)
		return false;
	*c = *best;
	if (best == free)
		heap_advance(n, class);
	else if (best == claimed)
		l->at_claimed++;
	else
		preempt_advance(n, class);
	return true;
}

/* *c: the next one of the list; it has left it. False: there is none. */
static bool list_next(struct negotiator *n, uint32_t class, struct slot_candidate *c)
{
	struct match_list *l = &n->list;

	if (l->again.slot != NONE) {
		*c = l->again;
		l->again.slot = NONE;
		return true;
	}
	while (!l->rank_only && n->rc == 0) {
		if (heap_fill(n, class) < 0)
			n->rc = -ENOMEM;
		if (l->nheap == 0 || l->heap[0].weight < l->refused)
			break;
		heap_drop(l);
	}
	return n->rc == 0 && best_next(n, class, c);
}

static void list_make(struct negotiator *n, const struct submitter_visit *v, uint32_t class)
{
	const struct class_facts *facts = &n->class_facts[class];
	struct match_list *l = &n->list;
	struct match_list made = {
		.is_there = true, .rank_only = v->rank_only, .customer = n->in->submitters[v->submitter].customer, .cluster = facts->cluster,
		.class = class, .kind = facts->kind, .limit = v->limit, .limit_free = v->limit_free, .used = v->used, .used_free = v->used_free,
		.heap = l->heap, .heap_capacity = l->heap_capacity, .claimed = l->claimed, .claimed_capacity = l->claimed_capacity,
		.lazy = l->lazy, .lazy_capacity = l->lazy_capacity,
		.again = { .slot = NONE }, .limited_by = { .limit = NONE }, .refused = INFINITY, .number = l->number + 1,
	};

	*l = made;
	rows_bound(&n->clusters);
	moment_submitter(n, v);
	l->walk = walk_serves(n, &n->clusters.kinds[facts->kind]);
	l->cursor = n->pool.walk_head;
	if (!v->rank_only && !l->walk && n->pool.nfree > 0 && row_complete(n, facts->kind, PLACE_FREE) < 0)
		n->rc = -ENOMEM;
	l->next_entry = n->clusters.kinds[facts->kind].rows[0].alive;
	if (n->pool.nfree == 0)
		l->next_entry = SIZE_MAX;
	if (n->rc == 0 && n->pool.nclaimed > 0 && ((!v->rank_only && n->pool.by_priority) || n->pool.by_rank > 0) &&
	    (row_complete(n, facts->kind, PLACE_CLAIMED) < 0 || claimed_collect(n, v, class) < 0))
		n->rc = -ENOMEM;
}

/* PREEMPTION_REQUIREMENTS_STABLE and _RANK_STABLE: is the next one still what it was? */
static bool list_holds(struct negotiator *n, const struct submitter_visit *v, uint32_t class)
{
	const struct condor_conf *conf = n->conf;
	const struct match_list *l = &n->list;
	const struct class_facts *facts = &n->class_facts[class];

	if (n->in->admits && l->class != class)	/* the caller may let one class have what it refuses to another */
		return false;
	if (!l->is_there || !conf->matchlist_caching || conf->negotiate_all_jobs_in_cluster || l->cluster != facts->cluster ||
	    l->rank_only != v->rank_only || l->customer != n->in->submitters[v->submitter].customer)
		return false;
	if ((conf->preemption_requirements_stable && conf->preemption_rank_stable) || l->at_claimed == l->nclaimed ||
	    l->claimed[l->at_claimed].preemption != PREEMPTS_BY_PRIORITY)
		return true;
	moment_submitter(n, v);
	return claimed_holds(n, class, &l->claimed[l->at_claimed]);
}

/* Concurrency limits that only the slot decides. */
static bool limits_permit(struct negotiator *n, struct request_kind *kind, const struct slot_candidate *c)
{
	struct classad_pair pair = { .my = kind->ad };
	struct classad_value value;
	const struct limit_use *refused;

	if (!kind->limits_by_slot)
		return true;
	pair.target = c->preemption == PREEMPTS_NOBODY ? moment_free(n, c->slot, n->slots[c->slot].ad) : moment_claim(n, c->slot);
	classad_room_reset(&n->moments.room);
	classad_attribute(&pair, "ConcurrencyLimits", &n->moments.room, &value);
	n->limits.nuses = 0;
	if (value.type != CLASSAD_STRING)
		return true;
	if (concurrency_read(n, value.text) < 0) {
		n->rc = -ENOMEM;
		return false;
	}
	refused = concurrency_refuse(&n->limits, n->limits.uses, n->limits.nuses);
	if (refused) {
		n->list.by_concurrency = true;
		n->list.limited_by = *refused;
	}
	return !refused;
}

/*
 * Not the first one of a list: the limits are looked at again, other than when it was made. The
 * manual has it that a machine's Rank never asks for them.
 */
static bool limit_permits_again(const struct negotiator *n, const struct submitter_visit *v, const struct slot_candidate *c)
{
	if (n->conf->follows == FOLLOWS_MANUAL && c->preemption == PREEMPTS_BY_RANK)
		return true;
	return limit_permits(v->used_free, c->weight, v->limit_free) ||
		(c->preemption != PREEMPTS_NOBODY && limit_permits(v->used, c->weight, v->limit));
}

void candidates_again(struct negotiator *n, const struct slot_candidate *c, uint32_t class)
{
	struct match_list *l = &n->list;
	struct row_entry e;

	if (row_evaluate(n, &n->clusters.kinds[l->kind], n->pool.current[c->slot], PLACE_FREE, &e) != VERDICT_MATCHES ||
	    (n->in->admits && !n->in->admits(n->in->context, class, c->slot)))
		return;
	l->again = (struct slot_candidate){ .job = e.job, .rank = e.rank, .weight = e.weight, .slot = c->slot, .entry = NONE,
				       .preemption = PREEMPTS_NOBODY };
}

struct slot_candidate candidates_best(struct negotiator *n, const struct submitter_visit *v, uint32_t class)
{
	struct request_kind *kind = &n->clusters.kinds[n->class_facts[class].kind];
	struct match_list *l = &n->list;
	bool fresh = !list_holds(n, v, class);
	struct slot_candidate c;

	for (;;) {
		if (fresh)
			list_make(n, v, class);
		while (n->rc == 0 && list_next(n, class, &c)) {
			if (!limits_permit(n, kind, &c))
				continue;
			if (fresh || limit_permits_again(n, v, &c))
				return c;
			l->by_limit = true;
			/* used weight only grows: what is as heavy is refused, too */
			if (c.preemption == PREEMPTS_NOBODY)
				l->refused = fmin(l->refused, c.weight);
		}
		/* at its end: what is left of slots that have given a piece comes round again */
		if (n->rc < 0 || !l->gave)
			return (struct slot_candidate){ .slot = NONE };
		fresh = true;
	}
}
