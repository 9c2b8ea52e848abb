/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler as a process: waits for the qmaster, hosts, signals and time, and runs when due.h
 * says so.
 */
#ifndef SCHED_DAEMON_LOOP_H
#define SCHED_DAEMON_LOOP_H

#include "sched/daemon/hosts.h"
#include "sched/daemon/keeper.h"
#include "sched/daemon/schedule_file.h"
#include "sched/process/clock.h"
#include "sched/qmaster/due.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/qmaster.h"
#include "sched/sched.h"

struct loop {
	struct sched *sched;		/* borrowed */
	struct intake intake;		/* events, to the scheduler and to `due` */
	struct qmaster *qmaster;	/* who tells them, and takes orders */
	/* NULL: none; may be set after loop_open(), and is closed with it */
	struct hosts *hosts;
	struct run_journal *journal;	/* as `hosts`, which come first */
	struct due_run due;			/* when to run */
	struct clock clock;		/* the date of a run */
	/* what it has booked; its path may be set after loop_open() */
	struct schedule_file schedule;
	struct keeper keeper;		/* usage on the disk after it; see loop_keep() */
	uint64_t withheld;		/* starts, as far as told */
	uint64_t tick_ns;		/* the qmaster's next tick, monotonic */
	int signal_fd, timer_fd;
	int64_t now;			/* of loop_once(), epoch seconds; 0: the clock says */
	bool ready;			/* said that it serves */
	bool stop;
};

/*
 * Opens the qmaster that `where` names (qmasters.h), with options of its own. Its errors;
 * loop_close() must follow in each case.
 */
int loop_open(struct loop *loop, struct sched *sched, const char *where, const void *options, struct error *error);
void loop_close(struct loop *loop);

/*
 * After loop_open(): keep usage in a store, and acknowledge events only when what they led to is
 * there. -errno as keeper_open().
 */
int loop_keep(struct loop *loop, const char *path, const struct store_usage_options *options, struct error *error);

/* Publish an empty run, then serve until SIGTERM or SIGINT. 0 or -errno. */
int loop_serve(struct loop *loop, struct error *error);

/* Take in all events to the end, run once at `now`, publish, send all orders. 0 or -errno. */
int loop_once(struct loop *loop, int64_t now, struct error *error);

/* How many events could not be used. */
uint64_t loop_refused(const struct loop *loop);

#endif
