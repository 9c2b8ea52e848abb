/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue list: queue instances in the order in which a search looks at them, sched_conf(5)
 * queue_sort_method. A balanced tree, so that an instance whose host got more load moves in O(log
 * n), and a search need not walk over those that it has turned down before.
 *
 * A key is (major, minor, label): host load and sequence number, or the other way round; the label
 * keeps the order of equals. A mark says that an instance is still worth looking at for those
 * searches that have the mark; each node knows the marks below it.
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
	/* by instance: `words` of its own marks, then as many of its whole subtree */
	uint64_t *bits;
	size_t n, words, capacity;
	uint32_t root, marks, listed;
	uint64_t random;
};

/*
 * Empty, for instances 0..n-1, with no mark given out. -ENOMEM. Zero-initialise before the first
 * call.
 */
int queue_list_begin(struct queue_list *queues, size_t n);
void queue_list_free(struct queue_list *queues);

/* < 0, 0, > 0; no two instances have the same key. */
int queue_key_compare(const struct queue_key *a, const struct queue_key *b);

/* An instance that is not in it; it keeps the marks it had when it was removed. */
void queue_list_insert(struct queue_list *queues, uint32_t instance, struct queue_key key);
void queue_list_remove(struct queue_list *queues, uint32_t instance);
bool queue_list_has(const struct queue_list *queues, uint32_t instance);
struct queue_key queue_list_key(const struct queue_list *queues, uint32_t instance);
static inline size_t queue_list_count(const struct queue_list *queues)
{
	return queues->listed;
}

/*
 * A new mark, on all instances. QUEUE_LIST_NONE: there is none left, or no memory; a search without
 * mark looks at all.
 */
uint32_t queue_list_mark(struct queue_list *queues);
void queue_list_unmark(struct queue_list *queues, uint32_t instance, uint32_t mark);

/*
 * The first one with this mark, the next one behind an instance of the list. QUEUE_LIST_NONE: none.
 */
uint32_t queue_list_first(const struct queue_list *queues, uint32_t mark);
uint32_t queue_list_next(const struct queue_list *queues, uint32_t instance, uint32_t mark);

#endif
