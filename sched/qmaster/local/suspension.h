/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is suspended, and why. A task stands still as long as anything holds it, and goes on when
 * nothing does:
 *
 *     T   an order of the scheduler: a suspend threshold of its queue    letters of the task,
 *     s   somebody has asked for it                                      in the store
 *     P   a slot-wise subordinate_list; shown as S
 *     S   a queue in which it has slots is suspended: by a queue-wise    letters of the instance,
 *         subordinate_list (S), by its calendar (C)                      worked out anew
 *     s   the same, since somebody has asked for it: queues.h            the store has it
 *
 * Who has a reason sets or clears its letter. suspension_update() does the rest, once for each turn
 * in which something has changed: subordinate queues, what the scheduler is told, and with the
 * commit SIGSTOP or SIGCONT.
 */
#ifndef SCHED_QMASTER_LOCAL_SUSPENSION_H
#define SCHED_QMASTER_LOCAL_SUSPENSION_H

#include <string.h>

#include "conf/error.h"
#include "conf/subordinates.h"
#include "sched/qmaster/local/task.h"

#define LETTERS_BYTES 8

struct local_instance {			/* a queue on this machine */
	char *name;			/* QUEUE@HOST */
	uint32_t slots;
	struct subordinates list;	/* its subordinate_list here */
	const struct calendar *calendar;	/* of the cell in force; NULL */
	/*
	 * S: suspended by a queue above it, C: by its calendar; s: by somebody, who may also have
	 * disabled it, d
	 */
	char letters[LETTERS_BYTES];
	char told[LETTERS_BYTES];	/* what the scheduler knows */
};

struct local_instances {
	struct local_instance *items;
	size_t n;
	bool due;			/* something has changed since the last update */
	/* calendars, epoch seconds: when they were looked at, when one changes (INT64_MAX) */
	int64_t calendars_seen, next_change;
};

/* A letter is there from now on, or is not. */
void letters_set(char letters[LETTERS_BYTES], char letter, bool on);

/* What the scheduler is told of these: what calendars say it works out for the `now` of a run. */
void instance_state(const struct local_instance *instance, char state[LETTERS_BYTES]);

/* The queue instances of the cell in force, without letters. -ENOMEM */
int suspension_look(struct local *local, struct error *error);
void suspension_free(struct local_instances *instances);
/* NULL: there is none of this name. */
struct local_instance *suspension_instance(const struct local *local, const char *name);
/* Which queue-wise lists suspend whom. -ENOMEM */
int suspension_instances(struct local *local, struct error *error);
/* Anything holds it. */
bool suspension_holds(const struct local *local, const struct local_task *task);
/* Its state as qstat(1) shows it: r, or letters of S s T. */
void suspension_shown(const struct local *local, const struct local_task *task, char shown[LETTERS_BYTES]);
/* If it is due. */
void suspension_update(struct local *local);

#endif
