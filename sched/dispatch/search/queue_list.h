/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue list: queue instances in the order in which a search tries them, sched_conf(5)
 * queue_sort_method. It is a balanced tree, so an instance moves in O(log n) when the load of its
 * host changes, and a search skips instances that it has rejected before.
 *
 * A key is (major, minor, label): host load and sequence number, or the reverse. The label keeps
 * the order of equal keys. A mark says that an instance is still suitable for the searches with
 * that mark. Each node knows the marks below it.
 */
#ifndef SCHED_DISPATCH_SEARCH_QUEUE_LIST_H
#define SCHED_DISPATCH_SEARCH_QUEUE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_LIST_NONE UINT32_MAX

struct queue_key {
	double major, minor;
	int64_t label;
};

struct queue_node;

struct queue_list {			/* private */
	struct queue_node *nodes;	/* by instance */
	/* per instance: `words` words of its own marks, then `words` words for its subtree */
	uint64_t *bits;
	size_t n, words, capacity;
	uint32_t root, marks, listed;
	uint64_t random;
};

/*
 * Begin with an empty list for instances 0..n-1 and no marks. Return 0 or -ENOMEM. Zero-initialise
 * before the first call.
 */
int queue_list_begin(struct queue_list *queues, size_t n);
void queue_list_free(struct queue_list *queues);

/* Return < 0, 0 or > 0. Two instances never have equal keys. */
int queue_key_compare(const struct queue_key *a, const struct queue_key *b);

/* Add an instance that is not in the list. It keeps the marks that it had when it was removed. */
void queue_list_insert(struct queue_list *queues, uint32_t instance, struct queue_key key);
void queue_list_remove(struct queue_list *queues, uint32_t instance);
bool queue_list_has(const struct queue_list *queues, uint32_t instance);
struct queue_key queue_list_key(const struct queue_list *queues, uint32_t instance);
static inline size_t queue_list_count(const struct queue_list *queues)
{
	return queues->listed;
}

/*
 * Create a mark, set on all instances. QUEUE_LIST_NONE: no mark is left, or memory is exhausted. A
 * search without a mark tries all instances.
 */
uint32_t queue_list_mark(struct queue_list *queues);
void queue_list_unmark(struct queue_list *queues, uint32_t instance, uint32_t mark);

/*
 * Return the first instance with this mark, or the next one after an instance of the list.
 * QUEUE_LIST_NONE: there is none.
 */
uint32_t queue_list_first(const struct queue_list *queues, uint32_t mark);
uint32_t queue_list_next(const struct queue_list *queues, uint32_t instance, uint32_t mark);

#endif
