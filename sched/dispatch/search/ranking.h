/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which searches try queue instances, and how job starts change it: ranking.c. In a
 * run an instance is in the list, or aside, or neither.
 *
 *     ranking_begin(&ranking, ...)        begin a run with the open instances
 *     ranking_merge(&ranking)             a job that may get a reservation: full instances as well
 *     ranking_job(&ranking)               each job that is considered
 *     ranking_number(&ranking, exactly)   each search
 *     ranking_search(&ranking, ...)       each search, unless the cluster as a whole is not enough
 *     ranking_host_changed(&ranking, h)   each host that a job start uses
 */
#ifndef SCHED_DISPATCH_SEARCH_RANKING_H
#define SCHED_DISPATCH_SEARCH_RANKING_H

#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/search/host_order.h"
#include "sched/dispatch/search/queue_list.h"

struct ranked_instance {
	uint32_t number;		/* number of its host when the instance was set aside */
	/* 1 + host_order.renumberings when it returned to the list, or 0 */
	uint32_t came_back;
	bool was_aside;			/* it was aside before ranking_merge() */
};

struct queue_ranking {			/* zero-initialise */
	/* Borrowed for a run. ranking_set_aside() changes the states of its instances. */
	struct cluster *cluster;
	bool by_seqno;			/* queue_sort_method is seqno */
	struct queue_list list;
	struct host_order hosts;
	struct ranked_instance *instances;	/* per instance */
	/* The queue list may not be in the order of the current host numbers. */
	bool is_stale;
	/*
	 * The last job that was placed was a parallel job with soft requests, or no job was placed
	 * yet. Any sequential search clears it.
	 */
	bool placed_soft;
	bool in_soft_order;		/* the list is in the order that such a search has left */
	/* Instances that are full, overloaded since the run began, or closed by a calendar. */
	uint32_t *aside;
	size_t naside;
	bool merged;			/* the instances in `aside` are in the list */
	/* host_order.renumberings when instances last returned to the list */
	uint32_t came_back_at;
	/*
	 * Instances that were aside have been appended to the list, and some of them are still in
	 * it. They are at the end, or at the places of their old numbers.
	 */
	bool appended;
	int64_t front, back;		/* labels that have been assigned */
	uint32_t marked;		/* number of categories with their own mark in the list */
	struct ranking_entry *entries;	/* scratch for sorting */
};

/*
 * Build the queue list of a run from the open instances. `keeps_numbers`: reservations are
 * possible, so that instances may return to the list. Return 0 or -ENOMEM.
 */
int ranking_begin(struct queue_ranking *ranking, struct cluster *cluster, bool by_seqno, bool keeps_numbers);
void ranking_free(struct queue_ranking *ranking);
/* Return the key by which an instance is sorted at present. */
struct queue_key ranking_key(const struct queue_ranking *ranking, uint32_t instance, int64_t label);

/* Begin with a job: sort the hosts if a job start has changed a value. */
void ranking_job(struct queue_ranking *ranking);
/*
 * Begin a search for the job, or for its reservation: number the hosts if they were sorted for it.
 * `exactly`: a changed number matters for more than the next sort.
 */
void ranking_number(struct queue_ranking *ranking, bool exactly);
/* Begin a search: sort the list if a sort is due. */
void ranking_search(struct queue_ranking *ranking, bool sequential);
/* Note that the load of a host has changed. */
void ranking_host_changed(struct queue_ranking *ranking, uint32_t host);
/* Note that a job was placed. `soft`: it is a parallel job with soft requests. */
void ranking_placed(struct queue_ranking *ranking, bool soft);

/* Take a full instance out of the list. Only reservations use it. */
void ranking_set_aside(struct queue_ranking *ranking, uint32_t instance);
/* Take an overloaded instance out of the list until a job comes that may get a reservation. */
void ranking_drop(struct queue_ranking *ranking, uint32_t instance);
/*
 * Add the full instances to the list for a reservation. They are at the end of the list until a
 * search sorts it. As in Grid Engine they stay in it until the next job starts or gets a
 * reservation; no job finds a slot there. ranking_split() takes them out. Each part then keeps its
 * order.
 */
void ranking_merge(struct queue_ranking *ranking);
void ranking_split(struct queue_ranking *ranking);

/*
 * Return a mark of the list for a category in a PE, or QUEUE_LIST_NONE. Marks slow down changes of
 * the list, so only a limited number of categories gets one.
 */
uint32_t ranking_mark(struct queue_ranking *ranking);

/* Sort instances of the list into its order. */
void ranking_order(const struct queue_ranking *ranking, uint32_t *instances, size_t n);
/* Copy the list to an array and return its length. */
size_t ranking_list(const struct queue_ranking *ranking, uint32_t *instances);
/* Set the order that a parallel search with soft requests has found. */
void ranking_take_order(struct queue_ranking *ranking, const uint32_t *instances, size_t n);

#endif
