/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/reserve/host_capacity.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/heap.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/search/parallel.h"

#define MANY_HOSTS 8			/* one in so many */

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The heap */

static inline bool comes_before(const struct host_capacity *r, const uint32_t *a, const uint32_t *b)
{
	return r->from[*a] < r->from[*b];
}

/* The first one leaves it; it stays in the array, just behind. */
static uint32_t heap_take(struct host_capacity *r)
{
	uint32_t host = r->heap[0];

	r->heap[0] = r->heap[--r->nheap];
	r->heap[r->nheap] = host;
	heap_sink(r->heap, r->nheap, 0, comes_before, r);
	return host;
}

static void heap_put_back(struct host_capacity *r)
{
	heap_rise(r->heap, r->nheap, comes_before, r);
	r->nheap++;
}

/* One host */

static uint32_t instance_slots(struct search *s, uint32_t instance)
{
	bool master_only;

	if (!queue_list_has(&s->d->list, instance) || !match_static(s, instance, &master_only))
		return 0;
	return match_object(s, LEVEL_QUEUE, instance, s->with->capacity->slots);
}

static uint32_t slots_ever(struct search *s, enum level level, uint32_t object)
{
	uint32_t slots;

	s->free = true;
	slots = level == LEVEL_HOST ? match_object(s, level, object, s->with->capacity->slots) : instance_slots(s, object);
	s->free = false;
	return slots;
}

/*
 * Attempts come to a host by its instances in cluster queues that are in question: fewer of them if
 * they are for one slot.
 */
static bool is_visited(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;
	bool any = false;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX && !any; i = c->instances[i].next_on_host)
		any = queue_list_has(&s->d->list, i) && parallel_queue_counts(s, i, 2);
	return any;
}

/* What it could give at the moment of the search. */
static uint32_t host_slots(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;
	uint32_t left = is_visited(s, host) ? match_object(s, LEVEL_HOST, host, s->with->capacity->slots) : 0, sum = 0;

	left = left < s->with->capacity->headroom[host] ? left : s->with->capacity->headroom[host];
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX && sum < left; i = c->instances[i].next_on_host)
		sum += instance_slots(s, i);
	return sum < left ? sum : left;
}

/*
 * It has no room now: not before the first instance gives more than it does, or all, if there is
 * one that must, what that one must. Each instance alone says until when it lacks that.
 */
static int64_t instances_lack(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;
	const struct host_capacity *r = s->with->capacity;
	int64_t any = TIMELINE_NEVER, must = INT64_MIN;
	uint64_t ever = 0;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		ever += slots_ever(s, LEVEL_QUEUE, i);
	if (ever < r->least)
		return TIMELINE_NEVER;
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host) {
		uint32_t now = instance_slots(s, i), most = slots_ever(s, LEVEL_QUEUE, i);
		int64_t others = (int64_t)(ever - most), wanted = (int64_t)r->least - others, lack;

		if (now == most)
			continue;
		if (wanted > (int64_t)now) {
			must = later_of(must, shortage_end(s, LEVEL_QUEUE, i, (uint32_t)wanted, DOUBT_IS_ENOUGH));
		} else {
			lack = shortage_end(s, LEVEL_QUEUE, i, now + 1, DOUBT_IS_ENOUGH);
			any = lack < any ? lack : any;
		}
	}
	return must > INT64_MIN ? must : any;
}

static int64_t host_lack(struct search *s, uint32_t host)
{
	const struct host_capacity *r = s->with->capacity;

	if (!is_visited(s, host) || r->headroom[host] < r->least || slots_ever(s, LEVEL_HOST, host) < r->least)
		return TIMELINE_NEVER;
	if (match_object(s, LEVEL_HOST, host, r->slots) < r->least)
		return shortage_end(s, LEVEL_HOST, host, r->least, DOUBT_IS_ENOUGH);
	return instances_lack(s, host);
}

/* There is no room now: from one lack to the end of it, as far as the moment of the search. */
static void host_learn(struct search *s, uint32_t host)
{
	struct host_capacity *r = s->with->capacity;
	int64_t at = s->begin, next = later_of(later_of(r->from[host], r->failed), s->d->now), lack = next;

	while (lack == next && next <= at) {
		search_at(s, next);
		if (host_slots(s, host) >= r->least)
			break;
		lack = host_lack(s, host);
		/* where rounding decides: then no further for now */
		next = lack > next ? lack : next + 1;
	}
	r->from[host] = next;
	search_at(s, at);
}

/* All hosts */

/* Since when a host has been able to give that much, in the way in which it gives it now. */
static int64_t host_since(struct search *s, uint32_t host, uint32_t slots)
{
	const struct cluster *c = &s->d->cluster;
	int64_t since = shortage_end(s, LEVEL_HOST, host, slots, DOUBT_IS_SHORTAGE);

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX && slots > 0; i = c->instances[i].next_on_host) {
		uint32_t n = instance_slots(s, i);

		n = n < slots ? n : slots;
		slots -= n;
		if (n > 0)
			since = later_of(since, shortage_end(s, LEVEL_QUEUE, i, n, DOUBT_IS_SHORTAGE));
	}
	return since;
}

static uint32_t host_gives(struct search *s, uint32_t host, uint32_t missing, int64_t *since)
{
	const struct host_capacity *r = s->with->capacity;
	uint32_t slots = host_slots(s, host), most = missing < r->most ? missing : r->most;

	if (slots < r->least) {
		host_learn(s, host);
		return 0;
	}
	slots = slots < most ? slots : most;
	*since = later_of(*since, host_since(s, host, slots));
	return slots;
}

/* Are there enough slots in the PE, and of what the whole cluster shares? */
static bool shared_suffice(struct search *s, int64_t *since)
{
	const struct host_capacity *r = s->with->capacity;
	const struct pe *pe = &s->d->cell->pes[s->with->pe];

	if (parallel_left(s) < r->slots || match_object(s, LEVEL_GLOBAL, 0, r->slots) < r->slots)
		return false;
	*since = later_of(shortage_end(s, LEVEL_GLOBAL, 0, r->slots, DOUBT_IS_SHORTAGE),
			  timeline_above(&s->d->cluster.limits, s->d->pes[s->with->pe].line, pe->slots - r->slots, s->end));
	return true;
}

bool hosts_suffice(struct search *s, int64_t *since)
{
	struct host_capacity *r = s->with->capacity;
	uint32_t missing = r->slots;
	size_t taken = 0;

	if (!shared_suffice(s, since)) {
		r->failed = later_of(r->failed, s->begin);
		return false;
	}
	for (; missing > 0 && r->nheap > 0 && r->from[r->heap[0]] <= s->begin; taken++)
		missing -= host_gives(s, heap_take(r), missing, since);
	for (; taken > 0; taken--)
		heap_put_back(r);
	*since = *since < s->begin ? *since : s->begin;
	r->failed = missing > 0 ? s->begin : r->failed;
	return missing == 0;
}

/* How many hosts of the heap, from the i-th on, may have room at a moment; it ends at `most`. */
static size_t heap_count(const struct host_capacity *r, size_t i, int64_t at, size_t most)
{
	size_t n = 1;

	if (most == 0 || i >= r->nheap || r->from[r->heap[i]] > at)
		return 0;
	n += heap_count(r, 2 * i + 1, at, most - n);
	return n + heap_count(r, 2 * i + 2, at, most - n);
}

bool hosts_are_few(const struct search *s)
{
	size_t few = s->d->cluster.nhosts / MANY_HOSTS + 1;

	return s->with->capacity->are_all && heap_count(s->with->capacity, 0, s->begin, few + 1) <= few;
}

/* The heap must not learn of it: where it is used, attempts only learn from it. */
void host_was_visited(struct search *s, uint32_t host, uint32_t slots)
{
	const struct host_capacity *r = s->with->capacity;

	if (slots < r->least && !r->are_all)
		host_learn(s, host);
}

/* Life */

/*
 * What the job needs once, quotas, and thresholds on what it consumes make a difference between
 * instances that have room.
 */
static bool are_all(const struct search *s)
{
	const struct cluster *c = &s->d->cluster;
	bool all = !load_thresholds_consume(c) && !s->category->master_queues && !s->category->by_name && quota_view_is_empty(s->d->quotas, &s->with->view);

	for (size_t k = 0; k < c->nconsumables && all; k++)
		all = s->category->need[k] == 0 || (s->category->need[k] > 0 && c->columns[c->consumables[k]].complex->consumable != CONSUMABLE_JOB);
	for (size_t i = 0; i < s->category->nhard && all; i++)
		all = s->category->hard[i].column == UINT32_MAX || c->columns[s->category->hard[i].column].complex->consumable != CONSUMABLE_JOB;
	return all;
}

static void forget(struct host_capacity *r, size_t nhosts)
{
	r->nheap = nhosts;
	r->failed = INT64_MIN;
	for (size_t h = 0; h < nhosts; h++) {
		r->heap[h] = (uint32_t)h;
		r->from[h] = INT64_MIN;
	}
}

static void headroom_learn(const struct search *s, struct host_capacity *r)
{
	bool consume = load_thresholds_consume(&s->d->cluster);

	for (uint32_t h = 0; h < s->d->cluster.nhosts; h++)
		r->headroom[h] = consume ? UINT32_MAX : visit_headroom(s, h);
}

int host_capacity_begin(struct search *s, uint32_t slots)
{
	const struct pe *pe = &s->d->cell->pes[s->with->pe];
	struct host_capacity *r = s->with->capacity;
	size_t nhosts = s->d->cluster.nhosts;

	if (r) {
		if (!reserve_keeps(s))
			forget(r, nhosts);
		return 0;
	}
	r = calloc(1, sizeof(*r));
	s->with->capacity = r;
	if (!r || array_grow(&r->from, nhosts + 1, sizeof(*r->from)) || array_grow(&r->heap, nhosts + 1, sizeof(*r->heap)) ||
	    array_grow(&r->headroom, nhosts + 1, sizeof(*r->headroom))) {
		host_capacity_free(r);
		s->with->capacity = NULL;
		return -ENOMEM;
	}
	r->slots = slots;
	r->least = parallel_host_least(pe, slots);
	r->most = pe->rule == RULE_FIXED ? r->least : slots;
	r->are_all = are_all(s);
	headroom_learn(s, r);
	forget(r, nhosts);
	return 0;
}

void host_capacity_free(struct host_capacity *r)
{
	if (!r)
		return;
	free(r->from);
	free(r->heap);
	free(r->headroom);
	free(r);
}
