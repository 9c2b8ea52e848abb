/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two threads hand each other: a wait-free queue for any number of writers and one reader,
 * with a descriptor that is readable while something is there. The reader takes all of it in one
 * splice, and then looks at what is its own.
 *
 *                  put     take                       X  caller excludes
 *     put           -       -                         -  nothing needed
 *     take          -       X   (one reader)
 */
#ifndef SCHED_QMASTER_GRIDENGINE_POST_QUEUE_H
#define SCHED_QMASTER_GRIDENGINE_POST_QUEUE_H

#include <urcu/wfcqueue.h>

struct post_queue {
	struct cds_wfcq_tail tail;	/* written by all */
	struct __cds_wfcq_head head __attribute__((aligned(64)));	/* the reader's, as what follows */
	struct cds_wfcq_tail own_tail;
	struct __cds_wfcq_head own_head;
	int fd;				/* an eventfd */
};

/* -EMFILE, -ENFILE, -ENOMEM. Whatever is left in it at the end has to be taken first. */
int post_queue_open(struct post_queue *queue);
void post_queue_close(struct post_queue *queue);

void post_queue_put(struct post_queue *queue, struct cds_wfcq_node *node);
void post_queue_wake(struct post_queue *queue);	/* readable, with nothing new in it */
/* The oldest one; NULL: there is none, and the descriptor is not readable until there is. */
struct cds_wfcq_node *post_queue_take(struct post_queue *queue);

#endif
