/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What running tasks have taken, kept from run to run: most of them go on as they were, and what is
 * booked in time stays booked. A run takes back what the run before has booked itself, and what
 * tasks had that have ended or are others now, and books what is new. Timelines are exact, so it
 * does not matter in which order that comes; what is used now are sums of doubles, and made anew.
 *
 * Not where more is booked than consumables and slots of PEs: with quotas, advance reservations,
 * calendars or exclusive resources, or when the file `schedule` is written, all is booked anew.
 */
#ifndef SCHED_DISPATCH_BOOKINGS_H
#define SCHED_DISPATCH_BOOKINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct category;
struct dispatch;
struct grant;
struct run;
struct state;
struct task;

/* Before all that happens now: what began in the past is booked from here on. */
#define BOOKINGS_PAST (INT64_MIN / 2)

struct booked_part {			/* of what an object gives */
	uint32_t consumable;		/* of the cluster; BOOKED_PE: slots of a PE */
	/* of the object, as relevant_object() has it; or of cell->pes */
	uint32_t number;
	double amount;
};
#define BOOKED_PE UINT32_MAX

struct booked_task {			/* by the task's number; nparts 0: nothing is booked */
	/* what all of it depends on: see struct task and struct request_facts */
	uint64_t begun, made;
	uint32_t wallclock_limit;
	int64_t duration, begin, end;
	uint64_t seen;			/* the last run in which it ran */
	struct booked_part *parts;
	size_t nparts, capacity;
};

struct booked_own {			/* what the run at hand has booked itself */
	struct booked_part part;
	int64_t begin, end;
};

struct bookings {			/* zero-initialise */
	bool keeps;			/* this run's are kept */
	bool holds;			/* what is on the timelines is what the records say */
	/* something was too much to be booked, and can't be taken back */
	bool inexact;
	const struct state *state;	/* whose tasks they are */
	struct booked_task *tasks;
	size_t capacity;
	size_t nbooked, nseen;		/* of them; in this run */
	struct booked_own *own;
	size_t nown, own_capacity;
	uint64_t runs;			/* so far */
	/* objects with bookings, by consumable: those whose lines are told to `changes` */
	struct booked_part *lines;
	size_t nlines, lines_capacity;
};

void bookings_free(struct bookings *bookings);

/* A run begins: is what is on the timelines still good? Otherwise they are to be cleared. */
bool bookings_begin(struct dispatch *dispatch, const struct run *run, bool ahead);
/* What the run before has booked itself is taken back; the timelines were not cleared. -ENOMEM. */
int bookings_undo(struct dispatch *dispatch);
/* What a task that runs has, in full; what has ended, when all have been told. -ENOMEM. */
int bookings_task(struct dispatch *dispatch, const struct run *run, uint32_t task, struct category *category);
int bookings_end(struct dispatch *dispatch);
/* book.c: the run itself has booked this. -ENOMEM. */
int bookings_note(struct dispatch *dispatch, const struct booked_part *part, int64_t begin, int64_t end);
/* One more of the task at hand. -ENOMEM. */
int booked_task_add(struct booked_task *task, const struct booked_part *part);

#endif
