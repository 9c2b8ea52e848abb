/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspensions and their reasons. A task is stopped while it has at least one reason, and is
 * continued when it has none:
 *
 *     T   an order of the scheduler: a suspend threshold of its queue    letters of the task,
 *     s   a request                                                      in the store
 *     P   a slot-wise subordinate_list; shown as S
 *
 *     S   a queue in which it has slots is suspended: by a queue-wise    letters of the instance,
 *         subordinate_list (S), by its calendar (C)                      computed each time
 *     s   a queue in which it has slots is suspended by a request:       in the store
 *         queues.h
 *
 * The code that has a reason sets or clears its letter. Once for each turn with a change,
 * suspension_update() computes subordinate queues, reports to the scheduler, and sends SIGSTOP or
 * SIGCONT with the commit.
 */
#ifndef SCHED_QMASTER_LOCAL_SUSPENSION_H
#define SCHED_QMASTER_LOCAL_SUSPENSION_H

#include <string.h>

#include "conf/base/error.h"
#include "conf/subordinates.h"
#include "sched/qmaster/local/task.h"

#define LETTERS_BYTES 8

struct local_instance {			/* Queue on this machine. */
	char *name;			/* QUEUE@HOST */
	uint32_t slots;
	struct subordinates list;	/* subordinate_list on this host */
	const struct calendar *calendar;	/* calendar of the active cell; NULL: none */
	/*
	 * S: suspended by a queue above it. C: suspended by its calendar. s: suspended by a
	 * request. d: disabled by a request.
	 */
	char letters[LETTERS_BYTES];
	char reported[LETTERS_BYTES];	/* letters reported to the scheduler */
};

struct local_instances {
	struct local_instance *items;
	size_t n;
	bool due;			/* something has changed since the last update */
	/* calendars, epoch seconds: last inspection, next change (INT64_MAX) */
	int64_t calendars_seen, next_change;
};

/* Set or clear a letter. */
void letters_set(char letters[LETTERS_BYTES], char letter, bool on);

/*
 * Get the letters to be reported to the scheduler. It computes the letters of calendars itself, for
 * the `now` of a run.
 */
void instance_state(const struct local_instance *instance, char state[LETTERS_BYTES]);

/* Set up the queue instances of the active cell, without letters. Returns 0 or -ENOMEM. */
int suspension_look(struct local *local, struct error *error);
void suspension_free(struct local_instances *instances);
/* Compute which instances queue-wise lists suspend. Returns 0 or -ENOMEM. */
int suspension_instances(struct local *local, struct error *error);
/* Return whether a task has a reason to be suspended. */
bool suspension_holds(const struct local *local, const struct local_task *task);
/* Write the state as qstat(1) shows it: r, or letters of S s T. */
void suspension_shown(const struct local *local, const struct local_task *task, char shown[LETTERS_BYTES]);
/* Update suspensions, if an update is due. */
void suspension_update(struct local *local);

#endif
