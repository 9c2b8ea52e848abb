/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait-free queue between two threads, for any number of writers and one reader. Its descriptor
 * is readable while the queue is not empty. The reader takes all nodes in one splice to a list of
 * its own.
 *
 *                  put     take                       X  caller excludes
 *     put           -       -                         -  no exclusion needed
 *     take          -       X   (one reader)
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_QUEUE_H
#define SCHED_QMASTER_GRIDENGINE_POST_QUEUE_H

#include <urcu/wfcqueue.h>

struct post_queue {
	struct cds_wfcq_tail tail;	/* written by all threads */
	/* Used only by the reader, like the members below. */
	struct __cds_wfcq_head head __attribute__((aligned(64)));
	struct cds_wfcq_tail own_tail;
	struct __cds_wfcq_head own_head;
	int fd;				/* an eventfd */
};

/* -EMFILE, -ENFILE, -ENOMEM. All nodes must be taken before post_queue_close(). */
int post_queue_open(struct post_queue *queue);
void post_queue_close(struct post_queue *queue);

void post_queue_put(struct post_queue *queue, struct cds_wfcq_node *node);
void post_queue_wake(struct post_queue *queue);	/* makes it readable without a new node */
/* Return the oldest node. NULL: none, and the descriptor is not readable until there is one. */
struct cds_wfcq_node *post_queue_take(struct post_queue *queue);

#endif
