/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of hosts and queue instances, and how job starts change it. Grid Engine sorts hosts by
 * load and numbers them; hosts of equal load have equal numbers. The queue list is sorted by these
 * numbers and seq_no (queue_sort_method), with a stable sort. Both happen only at certain moments:
 *
 *   hosts are numbered      when a search begins for a job before which a job start has changed a
 *                           sort value. host_order.c also reports whether a number has changed
 *   the list is sorted      when a search begins, if (1) a number has changed for this job, or
 *                           (2) the last job that got a place was a parallel job with soft
 *                           requests, whose search leaves the list in the order of violations, or
 *                           (3) no job has got a place yet
 *
 * Any sequential search, successful or not, ends the second and the third reason. A failed parallel
 * search does not, so later jobs may use the order of violations that it has left. If the cluster
 * as a whole cannot satisfy a job, a parallel search ends before the list is sorted, a sequential
 * one after it.
 *
 * Therefore a job that fails before any search leaves the queue list in the order of old numbers
 * until the next job start changes one. This was seen in recordings of 8.1.9; without it some jobs
 * are placed differently.
 *
 * A renumbering affects the instances in the list. Instances that are aside keep the numbers of
 * their hosts, or 0 if they have never been in the list. When they return for a reservation, they
 * are sorted by these old numbers among the present numbers of the others. `global` is a host with
 * the value 0 there.
 *
 * This file moves only what has changed, and the order stays stable. An instance that joins a group
 * of equals is put before the group if its old key was smaller, and otherwise after it. Labels
 * record that: instances that come from the front get smaller and smaller labels, instances from
 * the back get greater and greater ones.
 */
#include "sched/dispatch/search/ranking.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

#define MOST_MARKED 224			/* categories, one count per PE */

struct ranking_entry {
	uint32_t instance;
	struct queue_key old, new;
};

/* Return whether the instance has returned from aside and hosts were not renumbered since then. */
static bool has_old_number(const struct queue_ranking *ranking, uint32_t instance)
{
	return ranking->instances[instance].came_back == ranking->hosts.renumberings + 1;
}

struct queue_key ranking_key(const struct queue_ranking *ranking, uint32_t instance, int64_t label)
{
	const struct queue_instance *queue_instance = &ranking->cluster->instances[instance];
	double load = has_old_number(ranking, instance)
			      ? host_order_value(&ranking->hosts, ranking->instances[instance].number)
			      : ranking->hosts.ranks[queue_instance->host].ranked;
	double seq_no = ranking->cluster->profiles[queue_instance->profile].seq_no;

	return ranking->by_seqno ? (struct queue_key){ seq_no, load, label }
				 : (struct queue_key){ load, seq_no, label };
}

static void put_aside(struct queue_ranking *ranking, uint32_t instance, uint32_t number)
{
	ranking->instances[instance].number = number;
	ranking->instances[instance].came_back = 0;
	ranking->aside[ranking->naside++] = instance;
}

int ranking_begin(struct queue_ranking *ranking, struct cluster *cluster, bool by_seqno, bool keeps_numbers)
{
	size_t n = cluster->ninstances;

	if (array_grow(&ranking->entries, n + 1, sizeof(*ranking->entries)) ||
	    array_grow(&ranking->aside, n + 1, sizeof(*ranking->aside)) ||
	    array_grow(&ranking->instances, n + 1, sizeof(*ranking->instances)) ||
	    host_order_begin(&ranking->hosts, cluster, keeps_numbers) || queue_list_begin(&ranking->list, n))
		return -ENOMEM;
	ranking->cluster = cluster;
	ranking->by_seqno = by_seqno;
	memset(ranking->instances, 0, n * sizeof(*ranking->instances));
	ranking->naside = 0;
	ranking->in_soft_order = ranking->is_stale = ranking->merged = ranking->appended = false;
	ranking->placed_soft = true;
	ranking->marked = 0;
	ranking->front = 0;
	ranking->back = (int64_t)n;
	ranking->came_back_at = 0;
	for (size_t k = 0; k < cluster->nlist; k++)
		if (cluster->instances[cluster->list[k]].state == INSTANCE_OPEN)
			queue_list_insert(&ranking->list, cluster->list[k],
					  ranking_key(ranking, cluster->list[k], (int64_t)k));
		else if (cluster->instances[cluster->list[k]].state == INSTANCE_ASIDE)
			put_aside(ranking, cluster->list[k], 0);
	return 0;
}

void ranking_free(struct queue_ranking *ranking)
{
	queue_list_free(&ranking->list);
	host_order_free(&ranking->hosts);
	free(ranking->aside);
	free(ranking->instances);
	free(ranking->entries);
}

void ranking_host_changed(struct queue_ranking *ranking, uint32_t host)
{
	host_order_load(&ranking->hosts, host);
}

void ranking_job(struct queue_ranking *ranking)
{
	host_order_job(&ranking->hosts);
}

void ranking_number(struct queue_ranking *ranking, bool exactly)
{
	uint32_t before = ranking->hosts.renumberings;

	host_order_renumber(&ranking->hosts, exactly || (ranking->is_stale && !ranking->placed_soft));
	ranking->is_stale = ranking->is_stale || ranking->hosts.renumberings != before;
}

void ranking_placed(struct queue_ranking *ranking, bool soft)
{
	ranking->placed_soft = soft;
}

/* Sorting */

static int entries_compare(const void *a, const void *b)
{
	const struct ranking_entry *x = a, *y = b;
	struct queue_key key = { x->new.major, x->new.minor, 0 }, queue_key = { y->new.major, y->new.minor, 0 };
	int order = queue_key_compare(&key, &queue_key);

	return order ? order : queue_key_compare(&x->old, &y->old);
}

static bool same_place(const struct queue_key *a, const struct queue_key *b)
{
	return a->major == b->major && a->minor == b->minor;
}

static void take_out_one(struct queue_ranking *ranking, uint32_t i, size_t *n)
{
	struct ranking_entry *entry = &ranking->entries[*n];

	if (!has_old_number(ranking, i))
		ranking->instances[i].came_back = 0;
	*entry = (struct ranking_entry){ i, queue_list_key(&ranking->list, i), ranking_key(ranking, i, 0) };
	if (same_place(&entry->old, &entry->new))
		return;
	queue_list_remove(&ranking->list, i);
	++*n;
}

/* Remove the instances whose key has changed, and those that were only appended to the list. */
static size_t take_out(struct queue_ranking *ranking)
{
	const struct cluster *cluster = ranking->cluster;
	size_t n = 0;

	for (size_t k = 0; ranking->in_soft_order && k < cluster->nlist; k++)
		if (queue_list_has(&ranking->list, cluster->list[k]))
			take_out_one(ranking, cluster->list[k], &n);
	if (ranking->in_soft_order)
		return n;
	for (size_t m = 0; m < ranking->hosts.nmoved; m++)
		for (uint32_t i = cluster->hosts[ranking->hosts.moved[m]].first_instance; i != UINT32_MAX;
		     i = cluster->instances[i].next_on_host)
			if (queue_list_has(&ranking->list, i))
				take_out_one(ranking, i, &n);
	for (size_t k = 0; ranking->appended && k < cluster->nlist; k++)
		if (queue_list_has(&ranking->list, cluster->list[k]) &&
		    ranking->instances[cluster->list[k]].came_back > 0)
			take_out_one(ranking, cluster->list[k], &n);
	return n;
}

/*
 * Insert all instances again. The former position of a group of equals does not matter in this
 * case, only the order within it.
 */
static void put_back_all(struct queue_ranking *ranking, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ranking->entries[i].new.label = ++ranking->back;
		queue_list_insert(&ranking->list, ranking->entries[i].instance, ranking->entries[i].new);
	}
	ranking->in_soft_order = false;
}

/* Insert instances that are sorted by their new keys, and by the old order within equal keys. */
static void put_back(struct queue_ranking *ranking, size_t n)
{
	struct ranking_entry *entry = ranking->entries;

	for (size_t i = n; i > 0; i--) {
		struct queue_key from = { entry[i - 1].old.major, entry[i - 1].old.minor, 0 },
				 to = { entry[i - 1].new.major, entry[i - 1].new.minor, 0 };

		if (queue_key_compare(&from, &to) < 0)
			entry[i - 1].new.label = --ranking->front;
	}
	for (size_t i = 0; i < n; i++) {
		if (entry[i].new.label == 0)
			entry[i].new.label = ++ranking->back;
		queue_list_insert(&ranking->list, entry[i].instance, entry[i].new);
	}
}

static void sort_moved(struct queue_ranking *ranking)
{
	size_t n = take_out(ranking);

	qsort(ranking->entries, n, sizeof(*ranking->entries), entries_compare);
	if (ranking->in_soft_order)
		put_back_all(ranking, n);
	else
		put_back(ranking, n);
	ranking->appended = ranking->appended && ranking->came_back_at == ranking->hosts.renumberings;
	host_order_settle(&ranking->hosts);
	/* appended instances may still have old numbers */
	ranking->is_stale = ranking->appended;
}

void ranking_search(struct queue_ranking *ranking, bool sequential)
{
	if (ranking->hosts.changed || ranking->placed_soft)
		sort_moved(ranking);
	if (sequential)
		ranking->placed_soft = false;
}

/* Instances that are aside */

/* Append at the end of the list, whatever the loads are, until a search sorts. */
static void append(struct queue_ranking *ranking, uint32_t instance)
{
	ranking->instances[instance].came_back = ranking->hosts.renumberings + 1;
	queue_list_insert(&ranking->list, instance, (struct queue_key){ INFINITY, INFINITY, ++ranking->back });
}

void ranking_merge(struct queue_ranking *ranking)
{
	for (size_t k = 0; k < ranking->naside; k++) {
		append(ranking, ranking->aside[k]);
		ranking->instances[ranking->aside[k]].was_aside = true;
	}
	if (ranking->naside > 0)
		ranking->came_back_at = ranking->hosts.renumberings;
	ranking->merged = ranking->merged || ranking->naside > 0;
	ranking->is_stale = ranking->is_stale || ranking->naside > 0;
	ranking->appended = ranking->appended || ranking->naside > 0;
	ranking->naside = 0;
}

/* Return the number that its host had at the last renumbering. */
static uint32_t number_of(const struct queue_ranking *ranking, uint32_t instance)
{
	return has_old_number(ranking, instance)
		       ? ranking->instances[instance].number
		       : host_order_number(&ranking->hosts, ranking->cluster->instances[instance].host);
}

/* order in which instances leave the list again */
enum split_turn { SPLIT_SUBORDINATED, SPLIT_WERE_ASIDE, SPLIT_OTHERS };

static enum split_turn split_turn_of(const struct queue_ranking *ranking, uint32_t instance)
{
	if (ranking->cluster->instances[instance].is_subordinated)
		return SPLIT_SUBORDINATED;
	return ranking->instances[instance].was_aside ? SPLIT_WERE_ASIDE : SPLIT_OTHERS;
}

/*
 * Set aside the instances of one group, in the present order of the list. Return whether other
 * instances that have returned stay in the list.
 */
static bool split(struct queue_ranking *ranking, enum split_turn turn)
{
	bool stay = false;
	uint32_t next;

	for (uint32_t i = queue_list_first(&ranking->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE; i = next) {
		next = queue_list_next(&ranking->list, i, QUEUE_LIST_NONE);
		if (split_turn_of(ranking, i) == turn && ranking->cluster->instances[i].state == INSTANCE_ASIDE) {
			queue_list_remove(&ranking->list, i);
			put_aside(ranking, i, number_of(ranking, i));
		} else {
			stay |= ranking->instances[i].came_back > 0;
		}
	}
	return stay;
}

/*
 * Take out the instances that were added. Instances that other queues have suspended go first, in
 * the order of the list. Then come those that were aside before, then the others, wherever they are
 * in the list.
 */
void ranking_split(struct queue_ranking *ranking)
{
	if (!ranking->merged)
		return;
	split(ranking, SPLIT_SUBORDINATED);
	split(ranking, SPLIT_WERE_ASIDE);
	ranking->appended = split(ranking, SPLIT_OTHERS);
	for (size_t i = 0; i < ranking->cluster->ninstances; i++)
		ranking->instances[i].was_aside = false;
	ranking->merged = false;
}

void ranking_set_aside(struct queue_ranking *ranking, uint32_t instance)
{
	if (ranking->cluster->instances[instance].state == INSTANCE_ASIDE)
		return;
	ranking->cluster->instances[instance].state = INSTANCE_ASIDE;
	if (ranking->merged)			/* ranking_split() will find it */
		return;
	queue_list_remove(&ranking->list, instance);
	put_aside(ranking, instance, number_of(ranking, instance));
}

void ranking_drop(struct queue_ranking *ranking, uint32_t instance)
{
	queue_list_remove(&ranking->list, instance);
	put_aside(ranking, instance, number_of(ranking, instance));
}

uint32_t ranking_mark(struct queue_ranking *ranking)
{
	if (ranking->marked == MOST_MARKED)
		return QUEUE_LIST_NONE;
	ranking->marked++;
	return queue_list_mark(&ranking->list);
}

static int list_compare(const void *a, const void *b, void *context)
{
	const struct queue_ranking *ranking = context;
	struct queue_key x = queue_list_key(&ranking->list, *(const uint32_t *)a),
			 y = queue_list_key(&ranking->list, *(const uint32_t *)b);

	return queue_key_compare(&x, &y);
}

void ranking_order(const struct queue_ranking *ranking, uint32_t *instances, size_t n)
{
	qsort_r(instances, n, sizeof(*instances), list_compare, (void *)(uintptr_t)ranking);
}

size_t ranking_list(const struct queue_ranking *ranking, uint32_t *instances)
{
	size_t n = 0;

	for (uint32_t i = queue_list_first(&ranking->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE;
	     i = queue_list_next(&ranking->list, i, QUEUE_LIST_NONE))
		instances[n++] = i;
	return n;
}

void ranking_take_order(struct queue_ranking *ranking, const uint32_t *instances, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		queue_list_remove(&ranking->list, instances[i]);
		queue_list_insert(&ranking->list, instances[i], (struct queue_key){ -INFINITY, 0, (int64_t)i });
	}
	ranking->in_soft_order = ranking->is_stale = true;
}
