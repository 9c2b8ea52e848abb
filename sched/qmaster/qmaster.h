/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A qmaster as the scheduler process sees it: the source of events and the sink of orders. Each
 * qmaster decides how events reach it, how it delivers orders, and in which form. The meaning of
 * events and orders is described in fairlead-events(5) and fairlead-orders(5).
 *
 *     json/         another process that exchanges lines of JSON: any batch system
 *     local/        this machine, on which this process starts jobs itself
 *     gridengine/   a Grid Engine 8.1.9, whose scheduler this process replaces
 *
 * To write another qmaster, create a folder beside these. It needs a function of the type
 * qmaster_open that creates a struct whose first member is a struct qmaster. Then add a line to the
 * table in sched/daemon/qmasters.c.
 *
 * Events. Each event goes to intake_event() as it comes. The qmaster keeps the ownership of its
 * strings and arrays. A refused event has changed nothing. The qmaster decides how the peer is
 * answered then, and whether it is asked for a snapshot. The qmaster numbers events itself.
 * settled() returns the number of the last event that the current state contains; readers see this
 * number.
 *
 * Orders. They wait in intake->orders in the order of their numbers; orders_after() finds the next
 * one. Each order is kept until an event orders_taken or order_refused reports its result. The end
 * of a snapshot makes all orders void. While a snapshot is open (mirror_in_snapshot()), no order
 * may be sent.
 *
 * The process calls
 *
 *     open, begin, [prepare, run, ran]
 *     watch, poll(2), [tick], handle, settle, [prepare, run, ran, settle]      repeatedly
 *     finish, close
 *
 * where due.h decides when to run, and tick is called after each schedule_interval. With --once:
 *
 *     open, begin
 *     watch, poll(2), handle, settle                                  until ended
 *     prepare, run, ran, finish, close
 *
 * No call may wait, except finish.
 */
#ifndef SCHED_QMASTER_QMASTER_H
#define SCHED_QMASTER_QMASTER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/intake.h"

#define QMASTER_FDS 4
#define QMASTER_NEVER_NS UINT64_MAX

struct place_record;
struct source_record;
struct qmaster_files;
struct sched;

struct qmaster {			/* first member of the struct of each qmaster */
	const struct qmaster_methods *methods;
};

struct qmaster_setup {			/* all borrowed */
	struct sched *sched;
	struct intake *intake;
	const char *where;		/* argument on the command line */
	const void *options;		/* options of this qmaster */
};

/* Returns 0, or -errno with the reason; then there is nothing to close. */
typedef int qmaster_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error);

struct qmaster_methods {
	/*
	 * The qmaster delivers events once in each schedule_interval, and waits flush_submit_sec
	 * and flush_finish_sec itself. It requests a run after each delivery with hurry() of the
	 * intake.
	 */
	bool paces;
	/* Limits of one order. NULL: none. */
	const struct orders_limits *limits;

	void (*close)(struct qmaster *qmaster);

	/*
	 * Begin serving. A qmaster that knows the whole state reports it now as a snapshot. With
	 * `once`, no answer or order may be lost, even if the qmaster must wait for the reader.
	 * -errno: the process ends. NULL: nothing to do.
	 */
	int (*begin)(struct qmaster *qmaster, bool once, struct error *error);

	/*
	 * Prepare poll(2): send what the peer takes now, and fill in the descriptors to wait for.
	 * All of `fds` have fd -1 before the call. NULL: nothing to wait for.
	 */
	void (*watch)(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS]);
	/*
	 * Return the latest time for the next handle() (CLOCK_MONOTONIC). NULL: QMASTER_NEVER_NS.
	 */
	uint64_t (*due_ns)(const struct qmaster *qmaster);

	/* Note that schedule_interval has passed. NULL: nothing to do. */
	void (*tick)(struct qmaster *qmaster);
	/* Take in events after poll(2). NULL: nothing to do. */
	void (*handle)(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS]);
	/*
	 * Answer and carry out orders, at the end of a turn and once more if there was a run in it.
	 */
	void (*settle)(struct qmaster *qmaster);

	/*
	 * Prepare a run: put reported changes of the configuration into effect. -errno: there is no
	 * run. NULL: nothing to do.
	 */
	int (*prepare)(struct qmaster *qmaster, struct error *error);
	/*
	 * Return whether there is a state to run on. Until then readers keep the state that a
	 * predecessor has published. NULL: there always is one.
	 */
	bool (*ready)(const struct qmaster *qmaster);
	/*
	 * Note that a run at `now` was published. `stored`: all usage that was booked is also on
	 * the disk. NULL: nothing to do.
	 */
	void (*ran)(struct qmaster *qmaster, int64_t now, bool stored);
	/* Note that the files of the cell were read again. NULL: nothing to do. */
	void (*reloaded)(struct qmaster *qmaster);
	/* Report a fault of the cell's files that was found on SIGHUP. NULL: not needed. */
	void (*complain)(struct qmaster *qmaster, const char *text);

	/*
	 * Take the scheduler role, or give it back: SIGUSR1 and SIGUSR2. NULL: this qmaster has no
	 * role to take.
	 */
	void (*attach)(struct qmaster *qmaster);
	void (*hand_back)(struct qmaster *qmaster);
	/* Describe for readers which scheduler is active. NULL: as above. */
	void (*place)(const struct qmaster *qmaster, struct place_record *place);

	/*
	 * Describe for readers the files that the qmaster keeps. The paths live as long as the
	 * qmaster. NULL: not known.
	 */
	void (*files)(const struct qmaster *qmaster, struct qmaster_files *files);

	/*
	 * Describe for readers where events come from and how many were taken. NULL: events come
	 * from the qmaster itself.
	 */
	void (*source)(const struct qmaster *qmaster, struct source_record *source);

	/*
	 * Return whether no further event can come. NULL: events never end, and --once is refused.
	 */
	bool (*ended)(const struct qmaster *qmaster);
	/*
	 * Return the number of the last event that the current state contains, 0 before the first.
	 */
	uint64_t (*settled)(const struct qmaster *qmaster);
	/* Return the number of refused events. NULL: events are never refused. */
	uint64_t (*refused)(const struct qmaster *qmaster);

	/*
	 * Finish before the process ends. Send pending data for at most one second or, with `all`,
	 * every order however long that takes. Returns 0 or -errno. NULL: there is never anything
	 * to send.
	 */
	int (*finish)(struct qmaster *qmaster, bool all, struct error *error);
};

#endif
