/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/host_capacity.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/heap.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/queue_check.h"

#define MANY_HOSTS 8			/* divisor of the number of hosts */

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The heap */

static inline bool comes_before(const struct host_capacity *capacity, const uint32_t *a, const uint32_t *b)
{
	return capacity->from[*a] < capacity->from[*b];
}

/* Take the first host out of the heap. It stays in the array, just after the heap. */
static uint32_t heap_take(struct host_capacity *capacity)
{
	uint32_t host = capacity->heap[0];

	capacity->heap[0] = capacity->heap[--capacity->nheap];
	capacity->heap[capacity->nheap] = host;
	heap_sink(capacity->heap, capacity->nheap, 0, comes_before, capacity);
	return host;
}

static void heap_put_back(struct host_capacity *capacity)
{
	heap_rise(capacity->heap, capacity->nheap, comes_before, capacity);
	capacity->nheap++;
}

/* Single hosts */

static uint32_t instance_slots(struct search *search, uint32_t instance)
{
	bool master_only;

	if (!queue_list_has(&search->d->ranking.list, instance) || !match_static(search, instance, &master_only))
		return 0;
	return match_object(search, LEVEL_QUEUE, instance, search->with->capacity->slots);
}

static uint32_t slots_ever(struct search *search, enum level level, uint32_t object)
{
	uint32_t slots;

	search->free = true;
	slots = level == LEVEL_HOST ? match_object(search, level, object, search->with->capacity->slots)
				    : instance_slots(search, object);
	search->free = false;
	return slots;
}

/*
 * Return whether attempts visit the host. They do if one of its instances is in a suitable cluster
 * queue. Attempts for one slot have fewer suitable queues.
 */
static bool is_visited(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->d->cluster;
	bool any = false;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && !any;
	     i = cluster->instances[i].next_on_host)
		any = queue_list_has(&search->d->ranking.list, i) && queue_check_counts(search, i, 2);
	return any;
}

/* Return how many slots the host could give at the time of the search. */
static uint32_t host_slots(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->d->cluster;
	uint32_t left = is_visited(search, host) ? match_object(search, LEVEL_HOST, host, search->with->capacity->slots)
						 : 0,
		 sum = 0;

	left = left < search->with->capacity->headroom[host] ? left : search->with->capacity->headroom[host];
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && sum < left;
	     i = cluster->instances[i].next_on_host)
		sum += instance_slots(search, i);
	return sum < left ? sum : left;
}

/*
 * Return the time until which the instances of a host have too little room. There is no room until
 * the first instance gives more than now. If some instances must give more, there is no room until
 * all of these do. Each instance alone determines the end of its shortage.
 */
static int64_t instances_lack(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->d->cluster;
	const struct host_capacity *capacity = search->with->capacity;
	int64_t any = TIMELINE_NEVER, must = INT64_MIN;
	uint64_t ever = 0;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		ever += slots_ever(search, LEVEL_QUEUE, i);
	if (ever < capacity->least)
		return TIMELINE_NEVER;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		uint32_t now = instance_slots(search, i), most = slots_ever(search, LEVEL_QUEUE, i);
		int64_t others = (int64_t)(ever - most), wanted = (int64_t)capacity->least - others, lack;

		if (now == most)
			continue;
		if (wanted > (int64_t)now) {
			must = later_of(must, shortage_end(search, LEVEL_QUEUE, i, (uint32_t)wanted, DOUBT_IS_ENOUGH));
		} else {
			lack = shortage_end(search, LEVEL_QUEUE, i, now + 1, DOUBT_IS_ENOUGH);
			any = lack < any ? lack : any;
		}
	}
	return must > INT64_MIN ? must : any;
}

static int64_t host_lack(struct search *search, uint32_t host)
{
	const struct host_capacity *capacity = search->with->capacity;

	if (!is_visited(search, host) || capacity->headroom[host] < capacity->least ||
	    slots_ever(search, LEVEL_HOST, host) < capacity->least)
		return TIMELINE_NEVER;
	if (match_object(search, LEVEL_HOST, host, capacity->slots) < capacity->least)
		return shortage_end(search, LEVEL_HOST, host, capacity->least, DOUBT_IS_ENOUGH);
	return instances_lack(search, host);
}

/*
 * Find the first time at which a host without room may have room, at most the time of the search.
 * Go from the end of one shortage to the next.
 */
static void host_learn(struct search *search, uint32_t host)
{
	struct host_capacity *capacity = search->with->capacity;
	int64_t at = search->begin, next = later_of(later_of(capacity->from[host], capacity->failed), search->d->now),
		lack = next;

	while (lack == next && next <= at) {
		search_at(search, next);
		if (host_slots(search, host) >= capacity->least)
			break;
		lack = host_lack(search, host);
		/* if rounding decides, stop at the next second */
		next = lack > next ? lack : next + 1;
	}
	capacity->from[host] = next;
	search_at(search, at);
}

/* All hosts */

/*
 * Return the time since when a host has been able to give that many slots from its present
 * instances.
 */
static int64_t host_since(struct search *search, uint32_t host, uint32_t slots)
{
	const struct cluster *cluster = &search->d->cluster;
	int64_t since = shortage_end(search, LEVEL_HOST, host, slots, DOUBT_IS_SHORTAGE);

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && slots > 0;
	     i = cluster->instances[i].next_on_host) {
		uint32_t n = instance_slots(search, i);

		n = n < slots ? n : slots;
		slots -= n;
		if (n > 0)
			since = later_of(since, shortage_end(search, LEVEL_QUEUE, i, n, DOUBT_IS_SHORTAGE));
	}
	return since;
}

static uint32_t host_gives(struct search *search, uint32_t host, uint32_t missing, int64_t *since)
{
	const struct host_capacity *capacity = search->with->capacity;
	uint32_t slots = host_slots(search, host), most = missing < capacity->most ? missing : capacity->most;

	if (slots < capacity->least) {
		host_learn(search, host);
		return 0;
	}
	slots = slots < most ? slots : most;
	*since = later_of(*since, host_since(search, host, slots));
	return slots;
}

/*
 * Return whether there are enough slots in the PE, and enough of the resources that the whole
 * cluster shares.
 */
static bool shared_suffice(struct search *search, int64_t *since)
{
	const struct host_capacity *capacity = search->with->capacity;
	const struct pe *pe = &search->d->cell->pes[search->with->pe];

	if (parallel_left(search) < capacity->slots ||
	    match_object(search, LEVEL_GLOBAL, 0, capacity->slots) < capacity->slots)
		return false;
	*since = later_of(shortage_end(search, LEVEL_GLOBAL, 0, capacity->slots, DOUBT_IS_SHORTAGE),
			  timeline_above(&search->d->cluster.limits, search->d->pes[search->with->pe].line,
					 pe->slots - capacity->slots, search->end));
	return true;
}

bool hosts_suffice(struct search *search, int64_t *since)
{
	struct host_capacity *capacity = search->with->capacity;
	uint32_t missing = capacity->slots;
	size_t taken = 0;

	if (!shared_suffice(search, since)) {
		capacity->failed = later_of(capacity->failed, search->begin);
		return false;
	}
	for (; missing > 0 && capacity->nheap > 0 && capacity->from[capacity->heap[0]] <= search->begin; taken++)
		missing -= host_gives(search, heap_take(capacity), missing, since);
	for (; taken > 0; taken--)
		heap_put_back(capacity);
	*since = *since < search->begin ? *since : search->begin;
	capacity->failed = missing > 0 ? search->begin : capacity->failed;
	return missing == 0;
}

/*
 * Count the hosts of the heap, from index i on, that may have room at a time. Stop counting at
 * `most`.
 */
static size_t heap_count(const struct host_capacity *capacity, size_t i, int64_t at, size_t most)
{
	size_t n = 1;

	if (most == 0 || i >= capacity->nheap || capacity->from[capacity->heap[i]] > at)
		return 0;
	n += heap_count(capacity, 2 * i + 1, at, most - n);
	return n + heap_count(capacity, 2 * i + 2, at, most - n);
}

bool hosts_are_few(const struct search *search)
{
	size_t few = search->d->cluster.nhosts / MANY_HOSTS + 1;

	return search->with->capacity->are_all && heap_count(search->with->capacity, 0, search->begin, few + 1) <= few;
}

/*
 * Learn from a visit that has found too little. Not with `are_all`: the heap is in use then and
 * must not change.
 */
void host_was_visited(struct search *search, uint32_t host, uint32_t slots)
{
	const struct host_capacity *capacity = search->with->capacity;

	if (slots < capacity->least && !capacity->are_all)
		host_learn(search, host);
}

/* Creation */

/*
 * Return whether every host with room is able to give it. Not if JOB consumables, quotas, or
 * thresholds on consumables make a difference between instances with room.
 */
static bool are_all(const struct search *search)
{
	const struct cluster *cluster = &search->d->cluster;
	bool all = !load_thresholds_consume(cluster) && !search->category->master_queues &&
		   !search->category->by_name && quota_view_is_empty(search->d->quotas, &search->with->view);

	for (size_t k = 0; k < cluster->nconsumables && all; k++)
		all = search->category->need[k] == 0 ||
		      (search->category->need[k] > 0 &&
		       cluster->columns[cluster->consumables[k]].complex->consumable != CONSUMABLE_JOB);
	for (size_t i = 0; i < search->category->nhard && all; i++)
		all = search->category->hard[i].column == UINT32_MAX ||
		      cluster->columns[search->category->hard[i].column].complex->consumable != CONSUMABLE_JOB;
	return all;
}

static void forget(struct host_capacity *capacity, size_t nhosts)
{
	capacity->nheap = nhosts;
	capacity->failed = INT64_MIN;
	for (size_t h = 0; h < nhosts; h++) {
		capacity->heap[h] = (uint32_t)h;
		capacity->from[h] = INT64_MIN;
	}
}

static void headroom_learn(const struct search *search, struct host_capacity *capacity)
{
	bool consume = load_thresholds_consume(&search->d->cluster);

	for (uint32_t h = 0; h < search->d->cluster.nhosts; h++)
		capacity->headroom[h] = consume ? UINT32_MAX : visit_headroom(search, h);
}

int host_capacity_begin(struct search *search, uint32_t slots)
{
	const struct pe *pe = &search->d->cell->pes[search->with->pe];
	struct host_capacity *capacity = search->with->capacity;
	size_t nhosts = search->d->cluster.nhosts;

	if (capacity) {
		if (!reserve_keeps(search))
			forget(capacity, nhosts);
		return 0;
	}
	capacity = calloc(1, sizeof(*capacity));
	search->with->capacity = capacity;
	if (!capacity || array_grow(&capacity->from, nhosts + 1, sizeof(*capacity->from)) ||
	    array_grow(&capacity->heap, nhosts + 1, sizeof(*capacity->heap)) ||
	    array_grow(&capacity->headroom, nhosts + 1, sizeof(*capacity->headroom))) {
		host_capacity_free(capacity);
		search->with->capacity = NULL;
		return -ENOMEM;
	}
	capacity->slots = slots;
	capacity->least = parallel_host_least(pe, slots);
	capacity->most = pe->rule == RULE_FIXED ? capacity->least : slots;
	capacity->are_all = are_all(search);
	headroom_learn(search, capacity);
	forget(capacity, nhosts);
	return 0;
}

void host_capacity_free(struct host_capacity *capacity)
{
	if (!capacity)
		return;
	free(capacity->from);
	free(capacity->heap);
	free(capacity->headroom);
	free(capacity);
}
