/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the next run is due: schedule_interval after the last one; flush_submit_sec - 1 s after a
 * submission and flush_finish_sec - 1 s after a finish, where these are not 0; at once after a
 * snapshot and after a reload; when a calendar opens or closes a queue instance. What is told of an
 * advance reservation counts as a submission, its end as a finish; so does what is told of slots,
 * of claims, and that a task has given back its slots. An eager policy has both followed by a run
 * at once. A run for submissions and finishes leaves at least as much time to taking events in as
 * the last run took.
 *
 * Who has changed something looks for it at once, though the next run may be far away. So readers
 * are shown it by a run in between, which orders nothing: starts keep to the times above. It comes
 * at once as long as such runs have taken no more than a tenth of the time, and 100 ms; else it
 * comes when they have, however much is changed. One that would come just before a run is that run.
 *
 *     due_event()     of each event, as it is taken
 *     due_look()      at the end of a turn, in which some may have come
 *     due_ran()       after a run; change_ns: of a calendar, as the run has seen it; UINT64_MAX
 *     due_show()      what was changed in this turn is to be shown; returns whether that comes at
 *                     its end, and so soon that one may wait for it
 *     due_shown()     behind due_ran(), or in its place after a run in between; cost_ns: all that
 *                     it has kept from being done
 *
 * Nothing here looks at a clock: times are the caller's, monotonic.
 */
#ifndef SCHED_QMASTER_DUE_H
#define SCHED_QMASTER_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "sched/mirror/event.h"

struct due_run {			/* zero: a run is due at once */
	uint64_t ns;		/* of the next run */
	uint64_t show_ns;	/* of one in between; UINT64_MAX: there is nothing to show */
	/* time that those in between may take still, as it was then; below 0 they have taken more */
	int64_t credit_ns;
	uint64_t credit_at_ns;
	uint64_t took_ns;	/* the last one, */
	uint64_t ran_ns;	/* which ended then */
	/*
	 * Runs come after deliveries, and leave as much time as they take; alone, one comes a second
	 * after a delivery is missed.
	 */
	bool paced;
	bool eager;		/* the policy in force is */
	/* in this turn */
	bool submitted, finished, at_once, changed;
};

void due_event(struct due_run *due, enum event_type type);
void due_hurry(struct due_run *due);	/* at once; a delivery has come */
bool due_show(struct due_run *due, uint64_t now_ns);
void due_shown(struct due_run *due, uint64_t now_ns, uint64_t cost_ns);
void due_look(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns);
void due_ran(struct due_run *due, const struct sched_conf *conf, uint64_t now_ns, uint64_t change_ns);

/* An interval after `now_ns`; at least a second. */
uint64_t due_interval(const struct sched_conf *conf, uint64_t now_ns);

#endif
