/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Main loop of the scheduler process. It waits for the qmaster, hosts, signals and time, and makes
 * runs at the times of due.h.
 */
#ifndef SCHED_DAEMON_LOOP_H
#define SCHED_DAEMON_LOOP_H

#include "sched/daemon/hosts.h"
#include "sched/daemon/keeper.h"
#include "sched/daemon/schedule_file.h"
#include "sched/process/clock.h"
#include "sched/process/watchdog.h"
#include "sched/qmaster/due.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/qmaster.h"
#include "sched/sched.h"

struct loop {
	struct sched *sched;		/* borrowed */
	struct intake intake;		/* sends events to the scheduler and to `due` */
	struct qmaster *qmaster;	/* source of events, receiver of orders */
	/* NULL: none. May be set after loop_open(), and is closed with the loop. */
	struct hosts *hosts;
	struct run_journal *journal;	/* Like `hosts`, which is closed first. */
	struct due_run due;			/* time of the next run */
	struct clock clock;		/* date of a run */
	/* Bookings of runs. The path may be set after loop_open(). */
	struct schedule_file schedule;
	struct keeper keeper;		/* stores usage after a run; see loop_keep() */
	uint64_t withheld;		/* job starts withheld, at the last log line */
	uint64_t tick_ns;		/* next tick of the qmaster, monotonic */
	struct watchdog watchdog;
	int signal_fd, timer_fd;
	/* time of the run of loop_once(), epoch seconds; 0: the clock */
	int64_t now;
	bool ready;			/* readiness was reported */
	bool stop;
};

/*
 * Open the qmaster that `where` names (qmasters.h), with options of its own. Returns its errors.
 * Call loop_close() in any case.
 */
int loop_open(struct loop *loop, struct sched *sched, const char *where, const void *options, struct error *error);
void loop_close(struct loop *loop);

/*
 * Keep usage in a store, and acknowledge events only when their effects are stored. Call after
 * loop_open(). -errno as keeper_open().
 */
int loop_keep(struct loop *loop, const char *path, const struct store_usage_options *options, struct error *error);

/* Publish an empty run, then serve until SIGTERM or SIGINT. Returns 0 or -errno. */
int loop_serve(struct loop *loop, struct error *error);

/* Read all events to the end, run once at `now`, publish, send all orders. Returns 0 or -errno. */
int loop_once(struct loop *loop, int64_t now, struct error *error);

/* Return the number of refused events. */
uint64_t loop_refused(const struct loop *loop);

#endif
