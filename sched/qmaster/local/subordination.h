/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subordinate queues on one host: subordinate_list of queue_conf(5). Suspensions follow from the
 * used slots and from earlier suspensions. This module has no processes and no store.
 */
#ifndef SCHED_QMASTER_LOCAL_SUBORDINATION_H
#define SCHED_QMASTER_LOCAL_SUBORDINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subordination_entry {		/* Queue in the list of another queue. */
	uint32_t above, below;		/* queues */
	uint32_t slots;			/* queue-wise; 0: all slots of `above` */
	uint32_t seq_no;		/* slot-wise */
	bool longest;			/* slot-wise: suspend the task that has run longest */
	bool slotwise;
};

struct subordination_queue {
	uint32_t slots;			/* slots of the queue; slots used by tasks */
	uint64_t used;
	uint32_t tasks;			/* limit of its slot-wise list; 0: none */
	bool suspended;			/* output: suspended by a queue-wise list */
};

struct subordination_task {
	const uint32_t *queues;		/* queues in which it has slots */
	size_t nqueues;
	int64_t start_time;
	bool held;			/* suspended for another reason: the task does not count */
	bool spared;			/* the task is to end: it counts, and is never suspended */
	bool preempted;			/* input and output: suspended by a slot-wise list */
};

/*
 * Set `suspended` of each queue for queue-wise lists. Used slots count, even if their tasks are
 * suspended.
 */
void subordination_queuewise(struct subordination_queue *queues, size_t nqueues,
			     const struct subordination_entry *entries, size_t n);

/*
 * Set `preempted` of each task for slot-wise lists.
 *
 * A list limits the running tasks of its queue and of all queues below it. While there are more,
 * one task is suspended: in the lowest queues, of these in the queue with the highest seq_no, of
 * its tasks as the action requires. Tasks are resumed in the opposite order, if all lists above
 * them permit it. Among equal tasks the last one of the array is taken. Returns 0 or -ENOMEM.
 */
int subordination_slotwise(const struct subordination_queue *queues, size_t nqueues,
			   const struct subordination_entry *entries, size_t n, struct subordination_task *tasks,
			   size_t ntasks);

#endif
