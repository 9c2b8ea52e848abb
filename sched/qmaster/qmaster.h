/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster: what tells the scheduler's process events, and takes its orders. Where they come from
 * and go to, and in which form, is the qmaster's own affair; fairlead-events(5) and
 * fairlead-orders(5) say what they mean.
 *
 *     json/     another process, and lines of JSON: any batch system
 *     local/    this machine, on which this process starts jobs itself
 *
 * To write another one: a folder beside these, with a function of the type qmaster_open that makes
 * a struct which begins with a struct qmaster, and a line in the table of sched/daemon/qmasters.c.
 *
 * Each event that it learns of goes to intake_event() at once, with strings and arrays that are the
 * qmaster's. An event that is refused has changed nothing; what its peer is told of that, and
 * whether a snapshot is asked for, is for the qmaster to decide. It numbers events itself, and says
 * with settled() which one the state in force contains: readers see that number.
 *
 * Orders stand in intake->orders, ascending: orders_after() finds the next one. They are kept until
 * the events orders_taken and order_refused say what has become of them. A snapshot's end makes all
 * of them void, and none is to be sent while one is open (mirror_in_snapshot()).
 *
 * The process calls
 *
 *     open, begin, a first run
 *     { watch, poll(2), each interval: tick, handle, settle, if it is due: a run, ran, settle }
 *     finish, close
 *
 * or, with --once: open, begin, { watch, poll(2), handle, settle } until ended, a run, ran, finish,
 * close. No call waits, but finish.
 */
#ifndef SCHED_QMASTER_QMASTER_H
#define SCHED_QMASTER_QMASTER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/intake.h"

#define QMASTER_FDS 4
#define QMASTER_NEVER_NS UINT64_MAX

struct sched;

struct qmaster {			/* what a qmaster's own struct begins with */
	const struct qmaster_methods *methods;
};

struct qmaster_setup {			/* all borrowed */
	struct sched *sched;
	struct intake *intake;
	const char *where;		/* as on the command line */
	const void *options;		/* of this qmaster */
};

/* 0, or -errno with the reason; nothing is left to close then. */
typedef int qmaster_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error);

struct qmaster_methods {
	/* how much it takes in one order; NULL: any amount */
	const struct orders_limits *limits;

	void (*close)(struct qmaster *q);

	/*
	 * It is wanted from now on. Who has all that is true at hand tells a snapshot; NULL: it
	 * comes by itself. `once`: there will be one run, when ended() says so; answers and orders
	 * must not get lost then. -errno: the process ends.
	 */
	int (*begin)(struct qmaster *q, bool once, struct error *error);

	/*
	 * Send what can be sent, and say what to wait for: all of `fds`, fd -1 where there is
	 * nothing; and until when (CLOCK_MONOTONIC; NULL or QMASTER_NEVER_NS: for ever).
	 */
	void (*watch)(struct qmaster *q, struct pollfd fds[QMASTER_FDS]);
	uint64_t (*due_ns)(const struct qmaster *q);

	/* schedule_interval has passed. NULL: that means nothing */
	void (*tick)(struct qmaster *q);
	/* Take in what has come. */
	void (*handle)(struct qmaster *q, const struct pollfd fds[QMASTER_FDS]);
	/* The end of a turn, or of a run: answer, carry out orders. */
	void (*settle)(struct qmaster *q);

	/* A run at `now` was published. `stored`: and what it has booked so far is on the disk. */
	void (*ran)(struct qmaster *q, int64_t now, bool stored);
	/* The cell's files were read again. NULL: that means nothing */
	void (*reloaded)(struct qmaster *q);
	/* They could not be, and no event asked for that. NULL: it is not interested */
	void (*complain)(struct qmaster *q, const char *text);

	/* Nothing can come any more. NULL: something always can, and --once is refused */
	bool (*ended)(const struct qmaster *q);
	/* the last event that the state in force contains, 0 before the first */
	uint64_t (*settled)(const struct qmaster *q);
	/* how many events could not be used; NULL: there are none */
	uint64_t (*refused)(const struct qmaster *q);

	/*
	 * The process ends: what is on its way gets a moment; with `all`, everything that was
	 * ordered goes out, however long that takes. -errno. NULL: nothing is on its way
	 */
	int (*finish)(struct qmaster *q, bool all, struct error *error);
};

#endif
