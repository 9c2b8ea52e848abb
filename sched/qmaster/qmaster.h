/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster, as the scheduler's process sees it: the source of events and the sink of orders. Where
 * they come from and go to, and in which form, is the qmaster's own business; what they mean is in
 * fairlead-events(5) and fairlead-orders(5).
 *
 *     json/     another process, and lines of JSON: any batch system
 *     local/    this machine, on which this process starts jobs itself
 *
 * To write another one: a folder beside these, with a function of the type qmaster_open that makes
 * a struct which begins with a struct qmaster, and a line in the table of sched/daemon/qmasters.c.
 *
 * Events. Each one goes to intake_event() as it comes; its strings and arrays stay the qmaster's.
 * An event that is refused has changed nothing. What the peer is answered then, and whether it is
 * asked for a snapshot, the qmaster decides. It numbers events itself: settled() returns the number
 * of the last one that the state in force contains, which readers are shown.
 *
 * Orders. They wait in intake->orders, in the order of their numbers: orders_after() finds the next
 * one. Each is kept until an event orders_taken or order_refused says what became of it. The end of
 * a snapshot makes all of them void; while one is open (mirror_in_snapshot()), none may be sent.
 *
 * The process calls
 *
 *     open, begin, [prepare, run, ran]
 *     watch, poll(2), [tick], handle, settle, [prepare, run, ran, settle]      again and again
 *     finish, close
 *
 * where a run comes when due.h says so, and tick after each schedule_interval. With --once:
 *
 *     open, begin
 *     watch, poll(2), handle, settle                                  until ended
 *     prepare, run, ran, finish, close
 *
 * All calls return at once, only finish may wait.
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

struct place_record;
struct source_record;
struct qmaster_files;
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
typedef int qmaster_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error);

struct qmaster_methods {
	/*
	 * It delivers events in each schedule_interval, with the waits of flush_submit_sec and
	 * flush_finish_sec behind them, and asks for a run after each delivery: intake's hurry()
	 */
	bool paces;
	/* how much it takes in one order; NULL: any amount */
	const struct orders_limits *limits;

	void (*close)(struct qmaster *qmaster);

	/*
	 * Serving begins: a qmaster that knows the whole state tells it now, as a snapshot. With
	 * `once` no answer or order may get lost, even if that means to wait for the reader.
	 * -errno: the process ends. NULL: there is nothing to do
	 */
	int (*begin)(struct qmaster *qmaster, bool once, struct error *error);

	/*
	 * Before poll(2): send what the peer takes now, and fill in what to wait for; all of `fds`
	 * have fd -1 before. NULL: there is nothing to wait for
	 */
	void (*watch)(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS]);
	/* When to call handle() at the latest (CLOCK_MONOTONIC). NULL: QMASTER_NEVER_NS */
	uint64_t (*due_ns)(const struct qmaster *qmaster);

	/* schedule_interval has passed. NULL: there is nothing to do */
	void (*tick)(struct qmaster *qmaster);
	/* After poll(2): take events in. NULL: there is nothing to do */
	void (*handle)(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS]);
	/* The end of a turn, and once more if there was a run in it: answer, carry out orders. */
	void (*settle)(struct qmaster *qmaster);

	/*
	 * Before a run: what was told of the configuration is in force. -errno: there is no run.
	 * NULL: there is nothing to do
	 */
	int (*prepare)(struct qmaster *qmaster, struct error *error);
	/*
	 * Whether there is a state to run on. As long as there is none, readers keep what a
	 * predecessor has published. NULL: there always is
	 */
	bool (*ready)(const struct qmaster *qmaster);
	/*
	 * A run at `now` was published. `stored`: all usage that was booked is on the disk, too.
	 * NULL: there is nothing to do
	 */
	void (*ran)(struct qmaster *qmaster, int64_t now, bool stored);
	/* The cell's files were read again. NULL: there is nothing to do */
	void (*reloaded)(struct qmaster *qmaster);
	/* On SIGHUP they had faults, of which this is one. NULL: nobody needs to know */
	void (*complain)(struct qmaster *qmaster, const char *text);

	/*
	 * The place of the scheduler is to be taken, or to be given back: SIGUSR1 and SIGUSR2. NULL:
	 * there is none that could change hands
	 */
	void (*attach)(struct qmaster *qmaster);
	void (*hand_back)(struct qmaster *qmaster);
	/* Who has it, for readers. NULL: as above */
	void (*place)(const struct qmaster *qmaster, struct place_record *place);

	/* What it keeps, for readers; the paths live as long as it does. NULL: nobody knows */
	void (*files)(const struct qmaster *qmaster, struct qmaster_files *files);

	/* Where events come from, and what became of them, for readers. NULL: from itself */
	void (*source)(const struct qmaster *qmaster, struct source_record *source);

	/* Nothing can come any more. NULL: something always can, and --once is refused */
	bool (*ended)(const struct qmaster *qmaster);
	/* The number of the last event that the state in force contains, 0 before the first. */
	uint64_t (*settled)(const struct qmaster *qmaster);
	/* How many events were refused. NULL: none ever is */
	uint64_t (*refused)(const struct qmaster *qmaster);

	/*
	 * The process ends: send what is on its way, for a second at most; or, with `all`, every
	 * order, however long that takes. 0 or -errno. NULL: nothing is ever on its way
	 */
	int (*finish)(struct qmaster *qmaster, bool all, struct error *error);
};

#endif
