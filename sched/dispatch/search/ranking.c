/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of hosts and queue instances, and how starts change it. Grid Engine sorts hosts by load
 * and gives them numbers, equal ones for equal loads; the queue list is sorted, stably, by these
 * numbers and seq_no (queue_sort_method). Both happen at certain moments only:
 *
 *   hosts are numbered      when a search begins for a job before which a start has changed a
 *                           sort value: host_order.c, which also says whether a number has changed
 *   a search begins         if a number has changed for this job, or if the last job that got a
 *                           place was a parallel one with soft requests (whose search leaves the
 *                           list in the order of violations), or none has got one yet: the queue
 *                           list is sorted. Any sequential search, found or not, ends the second
 *                           and third reason; a parallel one in vain does not, so later jobs may
 *                           work on the order of violations that it has left. A parallel one that
 *                           the cluster as a whole lacks something for ends before this, a
 *                           sequential one after it
 *
 * So a job that fails before any search leaves the queue list in the order of old numbers until the
 * next start changes one. Seen in recordings of 8.1.9; without this some jobs are placed elsewhere.
 *
 * A renumbering reaches the instances that are in the list. Those that are set aside keep the
 * numbers of their hosts, 0 if they have never been in it, and are sorted by them among the present
 * numbers of the others when they come back for a reservation. `global` is a host with the value 0
 * there.
 *
 * Here only what has moved is moved. "Stable" means: an instance that comes to a group of equals
 * stands before those that are there already if it stood before them, that is if its old key was
 * smaller, else behind them. Labels keep that: those that come from the front get ever smaller
 * ones, those from behind ever greater ones.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"

struct ranking_entry {
	uint32_t instance;
	struct queue_key old, new;
};

/* It has come back from aside, and hosts were not renumbered since. */
static bool has_old_number(const struct dispatch *d, uint32_t instance)
{
	return d->cluster.instances[instance].came_back == d->renumberings + 1;
}

struct queue_key ranking_key(const struct dispatch *d, uint32_t instance, int64_t label)
{
	const struct queue_instance *i = &d->cluster.instances[instance];
	double load = has_old_number(d, instance) ? host_order_value(d, i->number) : d->cluster.hosts[i->host].ranked;
	double seq_no = d->cluster.profiles[i->profile].seq_no;

	if (d->cell->sched.queue_sort_by_seqno)
		return (struct queue_key){ seq_no, load, label };
	return (struct queue_key){ load, seq_no, label };
}

static void put_aside(struct dispatch *d, uint32_t instance, uint32_t number)
{
	d->cluster.instances[instance].number = number;
	d->cluster.instances[instance].came_back = 0;
	d->aside[d->naside++] = instance;
}

int ranking_begin(struct dispatch *d)
{
	struct cluster *c = &d->cluster;

	if (array_grow(&d->moved, c->nhosts + 1, sizeof(*d->moved)) || array_grow(&d->is_moved, c->nhosts + 1, 1) ||
	    array_grow(&d->entries, c->ninstances + 1, sizeof(*d->entries)) ||
	    array_grow(&d->touched, c->ninstances + 1, sizeof(*d->touched)) ||
	    array_grow(&d->aside, c->ninstances + 1, sizeof(*d->aside)) || array_grow(&d->tagged, c->ninstances + 1, sizeof(*d->tagged)) ||
	    array_grow(&d->was_aside, c->ninstances + 1, 1) || host_order_begin(d) ||
	    queue_list_begin(&d->list, c->ninstances))
		return -ENOMEM;
	sieves_begin(&d->sieves);
	d->marked = 0;
	memset(d->is_moved, 0, c->nhosts);
	memset(d->was_aside, 0, c->ninstances);
	d->nmoved = d->naside = 0;
	d->starts = 0;
	d->tag_search = 1;
	d->ntagged = 0;
	d->in_soft_order = d->is_stale = d->merged = d->appended = false;
	d->placed_soft = true;
	d->host_changed = true;		/* the first job finds all hosts with new numbers */
	d->front = 0;
	d->back = (int64_t)c->ninstances;
	d->renumberings = d->came_back_at = 0;
	for (uint32_t h = 0; h < c->nhosts; h++)
		c->hosts[h].value = c->hosts[h].ranked = cluster_host_value(c, h);
	for (size_t k = 0; k < c->nlist; k++)
		if (c->instances[c->list[k]].state == INSTANCE_OPEN)
			queue_list_insert(&d->list, c->list[k], ranking_key(d, c->list[k], (int64_t)k));
		else if (c->instances[c->list[k]].state == INSTANCE_ASIDE)
			put_aside(d, c->list[k], 0);
	return 0;
}

void ranking_free(struct dispatch *d)
{
	queue_list_free(&d->list);
	sieves_free(&d->sieves);
	free(d->moved);
	free(d->aside);
	free(d->tagged);
	free(d->was_aside);
	free(d->is_moved);
	host_order_free(&d->order);
	free(d->entries);
	free(d->touched);
}

void ranking_move(struct dispatch *d, uint32_t host)
{
	if (!d->is_moved[host])
		d->moved[d->nmoved++] = host;
	d->is_moved[host] = 1;
}

void ranking_host_changed(struct dispatch *d, uint32_t host)
{
	double value = cluster_host_value(&d->cluster, host);

	if (value == d->cluster.hosts[host].value)
		return;
	d->cluster.hosts[host].value = value;
	d->host_changed = true;
	ranking_move(d, host);
}

/* Sorting */

static int entries_compare(const void *a, const void *b)
{
	const struct ranking_entry *x = a, *y = b;
	struct queue_key p = { x->new.major, x->new.minor, 0 }, q = { y->new.major, y->new.minor, 0 };
	int order = queue_key_compare(&p, &q);

	return order ? order : queue_key_compare(&x->old, &y->old);
}

static bool same_place(const struct queue_key *a, const struct queue_key *b)
{
	return a->major == b->major && a->minor == b->minor;
}

static void take_out_one(struct dispatch *d, uint32_t i, size_t *n)
{
	struct ranking_entry *e = &d->entries[*n];

	if (!has_old_number(d, i))
		d->cluster.instances[i].came_back = 0;
	*e = (struct ranking_entry){ i, queue_list_key(&d->list, i), ranking_key(d, i, 0) };
	if (same_place(&e->old, &e->new))
		return;
	queue_list_remove(&d->list, i);
	++*n;
}

/* The instances whose key has changed leave the list, and those that were only appended to it. */
static size_t take_out(struct dispatch *d)
{
	const struct cluster *c = &d->cluster;
	size_t n = 0;

	for (size_t k = 0; d->in_soft_order && k < c->nlist; k++)
		if (queue_list_has(&d->list, c->list[k]))
			take_out_one(d, c->list[k], &n);
	if (d->in_soft_order)
		return n;
	for (size_t m = 0; m < d->nmoved; m++)
		for (uint32_t i = c->hosts[d->moved[m]].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
			if (queue_list_has(&d->list, i))
				take_out_one(d, i, &n);
	for (size_t k = 0; d->appended && k < c->nlist; k++)
		if (queue_list_has(&d->list, c->list[k]) && c->instances[c->list[k]].came_back > 0)
			take_out_one(d, c->list[k], &n);
	return n;
}

/*
 * All of them: where each group of equals stood before does not matter then, only the order within
 * it.
 */
static void put_back_all(struct dispatch *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->entries[i].new.label = ++d->back;
		queue_list_insert(&d->list, d->entries[i].instance, d->entries[i].new);
	}
	d->in_soft_order = false;
}

/* Sorted by their new places, within one by the old order. */
static void put_back(struct dispatch *d, size_t n)
{
	struct ranking_entry *e = d->entries;

	for (size_t i = n; i > 0; i--) {
		struct queue_key from = { e[i - 1].old.major, e[i - 1].old.minor, 0 }, to = { e[i - 1].new.major, e[i - 1].new.minor, 0 };

		if (queue_key_compare(&from, &to) < 0)
			e[i - 1].new.label = --d->front;
	}
	for (size_t i = 0; i < n; i++) {
		if (e[i].new.label == 0)
			e[i].new.label = ++d->back;
		queue_list_insert(&d->list, e[i].instance, e[i].new);
	}
}

static void sort_moved(struct dispatch *d)
{
	size_t n = take_out(d);

	qsort(d->entries, n, sizeof(*d->entries), entries_compare);
	if (d->in_soft_order)
		put_back_all(d, n);
	else
		put_back(d, n);
	d->appended = d->appended && d->came_back_at == d->renumberings;
	for (size_t m = 0; m < d->nmoved; m++)
		d->is_moved[d->moved[m]] = d->cluster.hosts[d->moved[m]].ranked != d->cluster.hosts[d->moved[m]].value;
	for (size_t m = n = 0; m < d->nmoved; m++)
		if (d->is_moved[d->moved[m]])
			d->moved[n++] = d->moved[m];
	d->nmoved = n;
	d->is_stale = d->appended;	/* those may have old numbers still */
}

void ranking_search(struct dispatch *d, bool sequential)
{
	if (d->order.changed || d->placed_soft)
		sort_moved(d);
	if (sequential)
		d->placed_soft = false;
}

/* With those that are set aside */

/* Behind all others, whatever their loads are: until a search that sorts. */
static void append(struct dispatch *d, uint32_t instance)
{
	d->cluster.instances[instance].came_back = d->renumberings + 1;
	queue_list_insert(&d->list, instance, (struct queue_key){ INFINITY, INFINITY, ++d->back });
}

void ranking_merge(struct dispatch *d)
{
	for (size_t k = 0; k < d->naside; k++) {
		append(d, d->aside[k]);
		d->was_aside[d->aside[k]] = 1;
	}
	if (d->naside > 0)
		d->came_back_at = d->renumberings;
	d->merged = d->merged || d->naside > 0;
	d->is_stale = d->is_stale || d->naside > 0;
	d->appended = d->appended || d->naside > 0;
	d->naside = 0;
}

/* The number that its host had at the last renumbering. */
static uint32_t number_of(const struct dispatch *d, uint32_t instance)
{
	const struct queue_instance *i = &d->cluster.instances[instance];

	if (has_old_number(d, instance))
		return i->number;
	return host_order_number(d, i->host);
}

/* In which order they leave the list again. */
enum split_turn { SPLIT_SUBORDINATED, SPLIT_WERE_ASIDE, SPLIT_OTHERS };

static enum split_turn split_turn_of(const struct dispatch *d, uint32_t instance)
{
	if (d->cluster.instances[instance].is_subordinated)
		return SPLIT_SUBORDINATED;
	return d->was_aside[instance] ? SPLIT_WERE_ASIDE : SPLIT_OTHERS;
}

/* As the list has them by now. Returns whether others that have come back stay. */
static bool split(struct dispatch *d, enum split_turn turn)
{
	bool stay = false;
	uint32_t next;

	for (uint32_t i = queue_list_first(&d->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE; i = next) {
		next = queue_list_next(&d->list, i, QUEUE_LIST_NONE);
		if (split_turn_of(d, i) == turn && d->cluster.instances[i].state == INSTANCE_ASIDE) {
			queue_list_remove(&d->list, i);
			put_aside(d, i, number_of(d, i));
		} else {
			stay |= d->cluster.instances[i].came_back > 0;
		}
	}
	return stay;
}

/*
 * Those that other queues have suspended go first, in the order of the list. Of the others those
 * that were set aside before: those that were not are behind them, wherever the list has them.
 */
void ranking_split(struct dispatch *d)
{
	if (!d->merged)
		return;
	split(d, SPLIT_SUBORDINATED);
	split(d, SPLIT_WERE_ASIDE);
	d->appended = split(d, SPLIT_OTHERS);
	memset(d->was_aside, 0, d->cluster.ninstances);
	d->merged = false;
}

void ranking_set_aside(struct dispatch *d, uint32_t instance)
{
	if (d->cluster.instances[instance].state == INSTANCE_ASIDE)
		return;
	d->cluster.instances[instance].state = INSTANCE_ASIDE;
	if (d->merged)			/* ranking_split() will find it */
		return;
	queue_list_remove(&d->list, instance);
	put_aside(d, instance, number_of(d, instance));
}

void ranking_drop(struct dispatch *d, uint32_t instance)
{
	queue_list_remove(&d->list, instance);
	put_aside(d, instance, number_of(d, instance));
}

size_t ranking_add_host(struct dispatch *d, uint32_t host, uint32_t *instances, size_t n)
{
	const struct cluster *c = &d->cluster;

	if (c->hosts[host].reviewed == d->starts)
		return n;
	c->hosts[host].reviewed = d->starts;
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		if (queue_list_has(&d->list, i))
			instances[n++] = i;
	return n;
}

static int list_compare(const void *a, const void *b, void *context)
{
	const struct dispatch *d = context;
	struct queue_key x = queue_list_key(&d->list, *(const uint32_t *)a), y = queue_list_key(&d->list, *(const uint32_t *)b);

	return queue_key_compare(&x, &y);
}

void ranking_order(const struct dispatch *d, uint32_t *instances, size_t n)
{
	qsort_r(instances, n, sizeof(*instances), list_compare, (void *)(uintptr_t)d);
}

size_t ranking_list(struct dispatch *d, uint32_t *instances)
{
	size_t n = 0;

	for (uint32_t i = queue_list_first(&d->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE; i = queue_list_next(&d->list, i, QUEUE_LIST_NONE))
		instances[n++] = i;
	return n;
}

void ranking_take_order(struct dispatch *d, const uint32_t *instances, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		queue_list_remove(&d->list, instances[i]);
		queue_list_insert(&d->list, instances[i], (struct queue_key){ -INFINITY, 0, (int64_t)i });
	}
	d->in_soft_order = d->is_stale = true;
}
