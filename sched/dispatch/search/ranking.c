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
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/dispatch.h"

struct ranking_entry {
	uint32_t instance;
	struct queue_key old, new;
};

/* Return whether the instance has returned from aside and hosts were not renumbered since then. */
static bool has_old_number(const struct dispatch *dispatch, uint32_t instance)
{
	return dispatch->cluster.instances[instance].came_back == dispatch->renumberings + 1;
}

struct queue_key ranking_key(const struct dispatch *dispatch, uint32_t instance, int64_t label)
{
	const struct queue_instance *queue_instance = &dispatch->cluster.instances[instance];
	double load = has_old_number(dispatch, instance) ? host_order_value(dispatch, queue_instance->number)
							 : dispatch->cluster.hosts[queue_instance->host].ranked;
	double seq_no = dispatch->cluster.profiles[queue_instance->profile].seq_no;

	if (dispatch->cell->sched.queue_sort_by_seqno)
		return (struct queue_key){ seq_no, load, label };
	return (struct queue_key){ load, seq_no, label };
}

static void put_aside(struct dispatch *dispatch, uint32_t instance, uint32_t number)
{
	dispatch->cluster.instances[instance].number = number;
	dispatch->cluster.instances[instance].came_back = 0;
	dispatch->aside[dispatch->naside++] = instance;
}

int ranking_begin(struct dispatch *dispatch)
{
	struct cluster *cluster = &dispatch->cluster;

	if (array_grow(&dispatch->moved, cluster->nhosts + 1, sizeof(*dispatch->moved)) ||
	    array_grow(&dispatch->is_moved, cluster->nhosts + 1, 1) ||
	    array_grow(&dispatch->entries, cluster->ninstances + 1, sizeof(*dispatch->entries)) ||
	    array_grow(&dispatch->touched, cluster->ninstances + 1, sizeof(*dispatch->touched)) ||
	    array_grow(&dispatch->aside, cluster->ninstances + 1, sizeof(*dispatch->aside)) ||
	    array_grow(&dispatch->tagged, cluster->ninstances + 1, sizeof(*dispatch->tagged)) ||
	    array_grow(&dispatch->was_aside, cluster->ninstances + 1, 1) || host_order_begin(dispatch) ||
	    queue_list_begin(&dispatch->list, cluster->ninstances))
		return -ENOMEM;
	sieves_begin(&dispatch->sieves);
	dispatch->marked = 0;
	memset(dispatch->is_moved, 0, cluster->nhosts);
	memset(dispatch->was_aside, 0, cluster->ninstances);
	dispatch->nmoved = dispatch->naside = 0;
	dispatch->starts = 0;
	dispatch->tag_search = 1;
	dispatch->ntagged = 0;
	dispatch->in_soft_order = dispatch->is_stale = dispatch->merged = dispatch->appended = false;
	dispatch->placed_soft = true;
	dispatch->host_changed = true;		/* the first job finds new numbers for all hosts */
	dispatch->front = 0;
	dispatch->back = (int64_t)cluster->ninstances;
	dispatch->renumberings = dispatch->came_back_at = 0;
	for (uint32_t h = 0; h < cluster->nhosts; h++)
		cluster->hosts[h].value = cluster->hosts[h].ranked = cluster_host_value(cluster, h);
	for (size_t k = 0; k < cluster->nlist; k++)
		if (cluster->instances[cluster->list[k]].state == INSTANCE_OPEN)
			queue_list_insert(&dispatch->list, cluster->list[k],
					  ranking_key(dispatch, cluster->list[k], (int64_t)k));
		else if (cluster->instances[cluster->list[k]].state == INSTANCE_ASIDE)
			put_aside(dispatch, cluster->list[k], 0);
	return 0;
}

void ranking_free(struct dispatch *dispatch)
{
	queue_list_free(&dispatch->list);
	sieves_free(&dispatch->sieves);
	free(dispatch->moved);
	free(dispatch->aside);
	free(dispatch->tagged);
	free(dispatch->was_aside);
	free(dispatch->is_moved);
	host_order_free(&dispatch->order);
	free(dispatch->entries);
	free(dispatch->touched);
}

void ranking_move(struct dispatch *dispatch, uint32_t host)
{
	if (!dispatch->is_moved[host])
		dispatch->moved[dispatch->nmoved++] = host;
	dispatch->is_moved[host] = 1;
}

void ranking_host_changed(struct dispatch *dispatch, uint32_t host)
{
	double value = cluster_host_value(&dispatch->cluster, host);

	if (value == dispatch->cluster.hosts[host].value)
		return;
	dispatch->cluster.hosts[host].value = value;
	dispatch->host_changed = true;
	ranking_move(dispatch, host);
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

static void take_out_one(struct dispatch *dispatch, uint32_t i, size_t *n)
{
	struct ranking_entry *entry = &dispatch->entries[*n];

	if (!has_old_number(dispatch, i))
		dispatch->cluster.instances[i].came_back = 0;
	*entry = (struct ranking_entry){ i, queue_list_key(&dispatch->list, i), ranking_key(dispatch, i, 0) };
	if (same_place(&entry->old, &entry->new))
		return;
	queue_list_remove(&dispatch->list, i);
	++*n;
}

/* Remove the instances whose key has changed, and those that were only appended to the list. */
static size_t take_out(struct dispatch *dispatch)
{
	const struct cluster *cluster = &dispatch->cluster;
	size_t n = 0;

	for (size_t k = 0; dispatch->in_soft_order && k < cluster->nlist; k++)
		if (queue_list_has(&dispatch->list, cluster->list[k]))
			take_out_one(dispatch, cluster->list[k], &n);
	if (dispatch->in_soft_order)
		return n;
	for (size_t m = 0; m < dispatch->nmoved; m++)
		for (uint32_t i = cluster->hosts[dispatch->moved[m]].first_instance; i != UINT32_MAX;
		     i = cluster->instances[i].next_on_host)
			if (queue_list_has(&dispatch->list, i))
				take_out_one(dispatch, i, &n);
	for (size_t k = 0; dispatch->appended && k < cluster->nlist; k++)
		if (queue_list_has(&dispatch->list, cluster->list[k]) &&
		    cluster->instances[cluster->list[k]].came_back > 0)
			take_out_one(dispatch, cluster->list[k], &n);
	return n;
}

/*
 * Insert all instances again. The former position of a group of equals does not matter in this
 * case, only the order within it.
 */
static void put_back_all(struct dispatch *dispatch, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dispatch->entries[i].new.label = ++dispatch->back;
		queue_list_insert(&dispatch->list, dispatch->entries[i].instance, dispatch->entries[i].new);
	}
	dispatch->in_soft_order = false;
}

/* Insert instances that are sorted by their new keys, and by the old order within equal keys. */
static void put_back(struct dispatch *dispatch, size_t n)
{
	struct ranking_entry *entry = dispatch->entries;

	for (size_t i = n; i > 0; i--) {
		struct queue_key from = { entry[i - 1].old.major, entry[i - 1].old.minor, 0 },
				 to = { entry[i - 1].new.major, entry[i - 1].new.minor, 0 };

		if (queue_key_compare(&from, &to) < 0)
			entry[i - 1].new.label = --dispatch->front;
	}
	for (size_t i = 0; i < n; i++) {
		if (entry[i].new.label == 0)
			entry[i].new.label = ++dispatch->back;
		queue_list_insert(&dispatch->list, entry[i].instance, entry[i].new);
	}
}

static void sort_moved(struct dispatch *dispatch)
{
	size_t n = take_out(dispatch);

	qsort(dispatch->entries, n, sizeof(*dispatch->entries), entries_compare);
	if (dispatch->in_soft_order)
		put_back_all(dispatch, n);
	else
		put_back(dispatch, n);
	dispatch->appended = dispatch->appended && dispatch->came_back_at == dispatch->renumberings;
	for (size_t m = 0; m < dispatch->nmoved; m++)
		dispatch->is_moved[dispatch->moved[m]] = dispatch->cluster.hosts[dispatch->moved[m]].ranked !=
							 dispatch->cluster.hosts[dispatch->moved[m]].value;
	for (size_t m = n = 0; m < dispatch->nmoved; m++)
		if (dispatch->is_moved[dispatch->moved[m]])
			dispatch->moved[n++] = dispatch->moved[m];
	dispatch->nmoved = n;
	/* appended instances may still have old numbers */
	dispatch->is_stale = dispatch->appended;
}

void ranking_search(struct dispatch *dispatch, bool sequential)
{
	if (dispatch->order.changed || dispatch->placed_soft)
		sort_moved(dispatch);
	if (sequential)
		dispatch->placed_soft = false;
}

/* Instances that are aside */

/* Append at the end of the list, whatever the loads are, until a search sorts. */
static void append(struct dispatch *dispatch, uint32_t instance)
{
	dispatch->cluster.instances[instance].came_back = dispatch->renumberings + 1;
	queue_list_insert(&dispatch->list, instance, (struct queue_key){ INFINITY, INFINITY, ++dispatch->back });
}

void ranking_merge(struct dispatch *dispatch)
{
	for (size_t k = 0; k < dispatch->naside; k++) {
		append(dispatch, dispatch->aside[k]);
		dispatch->was_aside[dispatch->aside[k]] = 1;
	}
	if (dispatch->naside > 0)
		dispatch->came_back_at = dispatch->renumberings;
	dispatch->merged = dispatch->merged || dispatch->naside > 0;
	dispatch->is_stale = dispatch->is_stale || dispatch->naside > 0;
	dispatch->appended = dispatch->appended || dispatch->naside > 0;
	dispatch->naside = 0;
}

/* Return the number that its host had at the last renumbering. */
static uint32_t number_of(const struct dispatch *dispatch, uint32_t instance)
{
	const struct queue_instance *queue_instance = &dispatch->cluster.instances[instance];

	if (has_old_number(dispatch, instance))
		return queue_instance->number;
	return host_order_number(dispatch, queue_instance->host);
}

/* order in which instances leave the list again */
enum split_turn { SPLIT_SUBORDINATED, SPLIT_WERE_ASIDE, SPLIT_OTHERS };

static enum split_turn split_turn_of(const struct dispatch *dispatch, uint32_t instance)
{
	if (dispatch->cluster.instances[instance].is_subordinated)
		return SPLIT_SUBORDINATED;
	return dispatch->was_aside[instance] ? SPLIT_WERE_ASIDE : SPLIT_OTHERS;
}

/*
 * Set aside the instances of one group, in the present order of the list. Return whether other
 * instances that have returned stay in the list.
 */
static bool split(struct dispatch *dispatch, enum split_turn turn)
{
	bool stay = false;
	uint32_t next;

	for (uint32_t i = queue_list_first(&dispatch->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE; i = next) {
		next = queue_list_next(&dispatch->list, i, QUEUE_LIST_NONE);
		if (split_turn_of(dispatch, i) == turn && dispatch->cluster.instances[i].state == INSTANCE_ASIDE) {
			queue_list_remove(&dispatch->list, i);
			put_aside(dispatch, i, number_of(dispatch, i));
		} else {
			stay |= dispatch->cluster.instances[i].came_back > 0;
		}
	}
	return stay;
}

/*
 * Take out the instances that were added. Instances that other queues have suspended go first, in
 * the order of the list. Then come those that were aside before, then the others, wherever they are
 * in the list.
 */
void ranking_split(struct dispatch *dispatch)
{
	if (!dispatch->merged)
		return;
	split(dispatch, SPLIT_SUBORDINATED);
	split(dispatch, SPLIT_WERE_ASIDE);
	dispatch->appended = split(dispatch, SPLIT_OTHERS);
	memset(dispatch->was_aside, 0, dispatch->cluster.ninstances);
	dispatch->merged = false;
}

void ranking_set_aside(struct dispatch *dispatch, uint32_t instance)
{
	if (dispatch->cluster.instances[instance].state == INSTANCE_ASIDE)
		return;
	dispatch->cluster.instances[instance].state = INSTANCE_ASIDE;
	if (dispatch->merged)			/* ranking_split() will find it */
		return;
	queue_list_remove(&dispatch->list, instance);
	put_aside(dispatch, instance, number_of(dispatch, instance));
}

void ranking_drop(struct dispatch *dispatch, uint32_t instance)
{
	queue_list_remove(&dispatch->list, instance);
	put_aside(dispatch, instance, number_of(dispatch, instance));
}

size_t ranking_add_host(struct dispatch *dispatch, uint32_t host, uint32_t *instances, size_t n)
{
	const struct cluster *cluster = &dispatch->cluster;

	if (cluster->hosts[host].reviewed == dispatch->starts)
		return n;
	cluster->hosts[host].reviewed = dispatch->starts;
	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX; i = cluster->instances[i].next_on_host)
		if (queue_list_has(&dispatch->list, i))
			instances[n++] = i;
	return n;
}

static int list_compare(const void *a, const void *b, void *context)
{
	const struct dispatch *dispatch = context;
	struct queue_key x = queue_list_key(&dispatch->list, *(const uint32_t *)a),
			 y = queue_list_key(&dispatch->list, *(const uint32_t *)b);

	return queue_key_compare(&x, &y);
}

void ranking_order(const struct dispatch *dispatch, uint32_t *instances, size_t n)
{
	qsort_r(instances, n, sizeof(*instances), list_compare, (void *)(uintptr_t)dispatch);
}

size_t ranking_list(struct dispatch *dispatch, uint32_t *instances)
{
	size_t n = 0;

	for (uint32_t i = queue_list_first(&dispatch->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE;
	     i = queue_list_next(&dispatch->list, i, QUEUE_LIST_NONE))
		instances[n++] = i;
	return n;
}

void ranking_take_order(struct dispatch *dispatch, const uint32_t *instances, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		queue_list_remove(&dispatch->list, instances[i]);
		queue_list_insert(&dispatch->list, instances[i], (struct queue_key){ -INFINITY, 0, (int64_t)i });
	}
	dispatch->in_soft_order = dispatch->is_stale = true;
}
