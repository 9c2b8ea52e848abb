/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of the next run.
 *
 * A run is due
 *     schedule_interval after the last one;
 *     flush_submit_sec - 1 s after a submission, unless flush_submit_sec is 0;
 *     flush_finish_sec - 1 s after a task finishes, unless flush_finish_sec is 0;
 *     at once after a snapshot, after a reload, and when a calendar opens or closes an instance.
 *
 * An event about an advance reservation counts as a submission, the end of one as a finish. Events
 * about slots, about claims and about a task that has given back its slots also count as finishes.
 * If the policy is eager, a run follows submissions and finishes at once. A run for submissions and
 * finishes leaves at least as much time for taking in events as the last run took.
 *
 * Users expect to see a change at once, although the next run may be far away. A show run between
 * two runs therefore publishes the new state for readers. It issues no orders, so job starts keep
 * to the times above. It is made at once while show runs have taken no more than a tenth of the
 * time plus 100 ms. Otherwise it waits until that holds again, however many changes there are. A
 * show run that would come just before a run is replaced by that run.
 *
 *     due_event()     call for each event when it is taken in
 *     due_look()      call at the end of a turn in which events may have been taken in
 *     due_ran()       call after a run; change_ns: the next change of a calendar as the run has
 *                     seen it, UINT64_MAX if none
 *     due_show()      request that the changes of this turn are shown; returns whether they are
 *                     shown at the end of the turn, and soon enough to wait for
 *     due_shown()     call after due_ran(), or instead of it after a show run; cost_ns: all the
 *                     time during which the show run has kept the process from other work
 *
 * No function here reads a clock. The caller passes monotonic times.
 */
#ifndef SCHED_QMASTER_DUE_H
#define SCHED_QMASTER_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "sched/mirror/event.h"

struct due_run {			/* zero: a run is due at once */
	uint64_t ns;		/* time of the next run */
	uint64_t show_ns;	/* time of the next show run; UINT64_MAX: nothing to show */
	/*
	 * Time that show runs may still take, as computed at credit_at_ns. Below 0 they have taken
	 * more.
	 */
	int64_t credit_ns;
	uint64_t credit_at_ns;
	uint64_t took_ns;	/* duration of the last run */
	uint64_t ran_ns;	/* end of the last run */
	/*
	 * Runs follow deliveries and leave as much time as they take. Without a delivery, a run
	 * comes one second after the delivery was due.
	 */
	bool paced;
	bool eager;		/* the active policy is eager */
	/* Events of this turn. */
	bool submitted, finished, at_once, changed;
};

void due_event(struct due_run *due, enum event_type type);
void due_hurry(struct due_run *due);	/* a run is due at once: a delivery has come */
bool due_show(struct due_run *due, uint64_t now_ns);
void due_shown(struct due_run *due, uint64_t now_ns, uint64_t cost_ns);
void due_look(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns);
void due_ran(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns, uint64_t change_ns);

/* Return the time one schedule_interval after `now_ns`, at least one second after it. */
uint64_t due_interval(const struct sched_conf *conf, uint64_t now_ns);

#endif
