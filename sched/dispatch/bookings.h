/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bookings of running tasks, kept from run to run. Most tasks do not change between runs, and their
 * bookings in time stay. A run removes the bookings that the previous run has made itself, and the
 * bookings of tasks that have ended or changed. Then it adds new bookings. Timelines are exact, so
 * the order of these changes does not matter. The amounts that are used now are sums of doubles and
 * are computed again in each run.
 *
 * Bookings are only kept if nothing other than consumables and slots of PEs is booked. With quotas,
 * advance reservations, calendars or exclusive resources, or when the file `schedule` is written,
 * everything is booked again in each run.
 */
#ifndef SCHED_DISPATCH_BOOKINGS_H
#define SCHED_DISPATCH_BOOKINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct changes;
struct run;
struct state;
struct supply;
struct task;

/* Before all times of a run: a task that began in the past is booked from this time on. */
#define BOOKINGS_PAST (INT64_MIN / 2)

struct booked_part {			/* amount taken from an object */
	/* index into cluster->consumables; BOOKED_PE: slots of a PE */
	uint32_t consumable;
	/* number of the object from relevant_object(), or index into cell->pes */
	uint32_t number;
	double amount;
};
#define BOOKED_PE UINT32_MAX

struct booked_task {			/* indexed by task number; nparts 0: nothing is booked */
	/* The booking depends on these: see struct task and struct request_facts. */
	uint64_t begun, made;
	uint32_t wallclock_limit;
	int64_t duration, begin, end;
	uint64_t seen;			/* last run in which it was running */
	bool is_counted;		/* counted in bookings.nbooked */
	struct booked_part *parts;
	size_t nparts, capacity;
};

struct booked_own {			/* bookings made by the current run itself */
	struct booked_part part;
	int64_t begin, end;
};

struct bookings {			/* zero-initialise */
	struct supply *supply;		/* borrowed: booked from */
	struct changes *changes;	/* borrowed: notes the times at which bookings change */
	bool keeps;			/* bookings of this run are kept */
	bool holds;			/* the timelines agree with the records */
	/* Some amount was too large to be booked and cannot be removed. */
	bool inexact;
	const struct state *state;	/* state that the tasks belong to */
	struct booked_task *tasks;
	size_t capacity;
	size_t nbooked, nseen;		/* tasks with bookings; those seen in this run */
	struct booked_own *own;
	size_t nown, own_capacity;
	uint64_t runs;			/* number of runs */
	/* Objects with bookings, per consumable: their lines are reported to `changes`. */
	struct booked_part *lines;
	size_t nlines, lines_capacity;
};

void bookings_free(struct bookings *bookings);

/*
 * Begin a run. `may_keep`: the caller permits keeping the bookings of this run for the next one.
 * Return whether the contents of the timelines are still valid. If not, the caller must clear them.
 */
bool bookings_begin(struct bookings *bookings, const struct run *run, bool may_keep);
/*
 * Remove the bookings that the previous run has made itself. Call it only if the timelines were not
 * cleared. Return 0 or -ENOMEM.
 */
int bookings_undo(struct bookings *bookings);
/*
 * Book a running task. Call both functions for every running task. bookings_find() returns the
 * record of the task. If the task has changed since it was booked, the record has no parts. The
 * caller then adds the parts and sets the duration. bookings_renew() books the parts over the
 * task's time, unless they are booked already, and counts what the task uses now. Both functions
 * return 0 or -ENOMEM.
 */
int bookings_find(struct bookings *bookings, const struct run *run, uint32_t number, struct booked_task **found,
		  bool *has_changed);
int bookings_renew(struct bookings *bookings, struct booked_task *task, int64_t begin, int64_t end);
/*
 * Remove the bookings of tasks that have ended. Call it after all running tasks were booked. Return
 * 0 or -ENOMEM.
 */
int bookings_end(struct bookings *bookings);
/* book.c: Record a booking of the run itself. Return 0 or -ENOMEM. */
int bookings_note(struct bookings *bookings, const struct booked_part *part, int64_t begin, int64_t end);
/* Add a part to the record of a task. Return 0 or -ENOMEM. */
int booked_task_add(struct booked_task *task, const struct booked_part *part);

#endif
