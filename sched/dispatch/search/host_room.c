/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/host_room.h"

#include <errno.h>

#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/search.h"

#define MANY_HOSTS 8			/* divisor of the number of hosts */

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Single hosts */

static uint32_t instance_slots(struct search *search, uint32_t instance)
{
	bool master_only;

	if (!queue_list_has(&search->shared->ranking.list, instance) || !match_static(search, instance, &master_only))
		return 0;
	return match_object(search, LEVEL_QUEUE, instance, search->with->capacity->slots);
}

/*
 * Return whether attempts visit the host. They do if one of its instances is in a suitable cluster
 * queue. Attempts for one slot have fewer suitable queues.
 */
static bool is_visited(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->supply->cluster;
	bool any = false;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && !any;
	     i = cluster->instances[i].next_on_host)
		any = queue_list_has(&search->shared->ranking.list, i) && queue_check_counts(search, i, 2);
	return any;
}

/* Return how many slots the host could give at the time of the search. */
static uint32_t host_slots(struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->supply->cluster;
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
	const struct cluster *cluster = &search->supply->cluster;
	const struct host_capacity *capacity = search->with->capacity;
	struct search empty = search_empty(search);
	int64_t any = TIMELINE_NEVER, must = INT64_MIN;
	uint64_t ever = 0;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		ever += instance_slots(&empty, i);
	if (ever < capacity->least)
		return TIMELINE_NEVER;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		uint32_t now = instance_slots(search, i), most = instance_slots(&empty, i);
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
	struct search empty = search_empty(search);

	if (!is_visited(search, host) || capacity->headroom[host] < capacity->least ||
	    match_object(&empty, LEVEL_HOST, host, capacity->slots) < capacity->least)
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
	int64_t at = search->question.begin,
		next = later_of(later_of(capacity->from[host], capacity->failed), search->supply->now), lack = next;

	while (lack == next && next <= at) {
		struct search then = search_at(search, next);

		if (host_slots(&then, host) >= capacity->least)
			break;
		lack = host_lack(&then, host);
		/* if rounding decides, stop at the next second */
		next = lack > next ? lack : next + 1;
	}
	capacity->from[host] = next;
}

/* All hosts */

/*
 * Return the time since when a host has been able to give that many slots from its present
 * instances.
 */
static int64_t host_since(struct search *search, uint32_t host, uint32_t slots)
{
	const struct cluster *cluster = &search->supply->cluster;
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
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];

	if (match_pe_left(search) < capacity->slots ||
	    match_object(search, LEVEL_GLOBAL, 0, capacity->slots) < capacity->slots)
		return false;
	*since = later_of(shortage_end(search, LEVEL_GLOBAL, 0, capacity->slots, DOUBT_IS_SHORTAGE),
			  timeline_above(&search->supply->cluster.limits, search->supply->pes[search->with->pe].line,
					 pe->slots - capacity->slots, search->question.end));
	return true;
}

bool hosts_suffice(struct search *search, int64_t *since)
{
	struct host_capacity *capacity = search->with->capacity;
	uint32_t missing = capacity->slots;
	size_t taken = 0;

	if (!shared_suffice(search, since)) {
		capacity->failed = later_of(capacity->failed, search->question.begin);
		return false;
	}
	for (; missing > 0 && capacity->nheap > 0 && capacity->from[capacity->heap[0]] <= search->question.begin;
	     taken++)
		missing -= host_gives(search, host_capacity_take(capacity), missing, since);
	for (; taken > 0; taken--)
		host_capacity_put_back(capacity);
	*since = *since < search->question.begin ? *since : search->question.begin;
	capacity->failed = missing > 0 ? search->question.begin : capacity->failed;
	return missing == 0;
}

bool hosts_are_few(const struct search *search)
{
	size_t few = search->supply->cluster.nhosts / MANY_HOSTS + 1;

	return search->with->capacity->are_all &&
	       host_capacity_count(search->with->capacity, search->question.begin, few + 1) <= few;
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
 * Return whether every host with room is able to give it. Not if JOB or HOST consumables, quotas,
 * or thresholds on consumables make a difference between instances with room.
 */
static bool are_all(const struct search *search)
{
	const struct cluster *cluster = &search->supply->cluster;
	bool all = !load_thresholds_consume(cluster) && !search->question.category->master_queues &&
		   !search->question.category->by_name &&
		   quota_view_is_empty(search->supply->quotas, &search->with->view);

	for (size_t k = 0; k < cluster->nconsumables && all; k++)
		all = search->question.category->need[k] == 0 ||
		      (search->question.category->need[k] > 0 &&
		       complex_is_per_slot(cluster->columns[cluster->consumables[k]].complex));
	for (size_t i = 0; i < search->question.category->nhard && all; i++)
		all = search->question.category->hard[i].column == UINT32_MAX ||
		      complex_is_per_slot(cluster->columns[search->question.category->hard[i].column].complex);
	return all;
}

/*
 * Return whether adjusted loads can make a request fit only later in the run. In this case no
 * results are kept.
 */
static bool is_adjusted(const struct search *search)
{
	for (size_t i = 0; i < search->question.category->nhard; i++) {
		const struct resource_request *request = &search->question.category->hard[i];

		if (request->column != UINT32_MAX && search->supply->cluster.columns[request->column].adjustment != 0.0)
			return true;
	}
	return false;
}

bool host_room_keeps(const struct search *search)
{
	return !search->supply->gives && !is_adjusted(search);
}

static void headroom_learn(const struct search *search, struct host_capacity *capacity)
{
	bool consume = load_thresholds_consume(&search->supply->cluster);

	for (uint32_t h = 0; h < search->supply->cluster.nhosts; h++)
		capacity->headroom[h] = consume ? UINT32_MAX : match_headroom(search, h);
}

int host_room_begin(struct search *search, uint32_t slots)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	struct host_capacity *capacity = search->with->capacity;
	size_t nhosts = search->supply->cluster.nhosts;

	if (capacity) {
		if (!host_room_keeps(search))
			host_capacity_forget(capacity, nhosts);
		return 0;
	}
	capacity = search->with->capacity = host_capacity_create(nhosts);
	if (!capacity)
		return -ENOMEM;
	capacity->slots = slots;
	capacity->least = attempt_host_least(pe, slots);
	capacity->most = pe->rule == RULE_FIXED ? capacity->least : slots;
	capacity->are_all = are_all(search);
	headroom_learn(search, capacity);
	return 0;
}
