/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subordinate queues on one host: queue_conf(5), subordinate_list. What is suspended follows from
 * what is used and what was suspended before. Pure: no process, no store.
 */
#ifndef SCHED_QMASTER_LOCAL_SUBORDINATION_H
#define SCHED_QMASTER_LOCAL_SUBORDINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subordination_entry {		/* one queue in the list of another */
	uint32_t above, below;		/* queues */
	uint32_t slots;			/* queue-wise; 0: all of `above` */
	uint32_t seq_no;		/* slot-wise */
	bool longest;			/* slot-wise: suspend the one that has run longest */
	bool slotwise;
};

struct subordination_queue {
	uint32_t slots;			/* that it has, that tasks have */
	uint64_t used;
	uint32_t tasks;			/* of its slot-wise list; 0: it has none */
	bool suspended;			/* out: by a queue-wise list */
};

struct subordination_task {
	const uint32_t *queues;		/* in which it has slots */
	size_t nqueues;
	int64_t start_time;
	bool held;			/* suspended for another reason: it does not count */
	bool spared;			/* it counts, and goes on whatever happens: it is to end */
	bool preempted;			/* in and out: by a slot-wise list */
};

/* Queue-wise: `suspended` of each queue. It goes by slots, and who has them may be suspended. */
void subordination_queuewise(struct subordination_queue *queues, size_t nqueues,
			     const struct subordination_entry *entries, size_t n);

/*
 * Slot-wise: `preempted` of each task. While more tasks run in a queue and all below it than its
 * list allows, one is suspended: of the queues furthest below, of these the highest seq_no, of its
 * tasks as the action says. Those who may go on do so the other way round, as long as every list
 * above them allows it. Between equals the last one of the array is taken. -ENOMEM.
 */
int subordination_slotwise(const struct subordination_queue *queues, size_t nqueues,
			   const struct subordination_entry *entries, size_t n, struct subordination_task *tasks,
			   size_t ntasks);

#endif
