/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler as a process: waits for events, signals and time, and runs when due.h says so.
 *
 * Events come from a source, or from the local cell, which is a qmaster in this process.
 */
#ifndef SCHED_DAEMON_LOOP_H
#define SCHED_DAEMON_LOOP_H

#include "sched/process/clock.h"
#include "sched/qmaster/json/events.h"
#include "sched/qmaster/json/feed.h"
#include "sched/daemon/due.h"
#include "sched/daemon/hosts.h"
#include "sched/daemon/keeper.h"
#include "sched/daemon/schedule_file.h"
#include "sched/qmaster/json/source.h"
#include "sched/qmaster/local/local.h"
#include "sched/sched.h"

struct loop {
	struct sched *sched;	/* borrowed */
	struct source source;
	struct local *local;	/* NULL: none */
	struct intake intake;
	struct events events;
	struct feed feed;
	struct clock clock;
	struct schedule_file schedule;	/* its path may be set after loop_open() */
	struct keeper keeper;		/* see loop_keep() */
	/* NULL: none; may be set after loop_open(), and is closed with it */
	struct hosts *hosts;
	int signal_fd, timer_fd;
	struct due due;
	uint64_t tick_ns;	/* when something may be sent once more */
	uint64_t withheld;	/* starts, as far as told */
	bool ready;
	bool stop;
};

/* Opens the source. -errno as source_open(); loop_close() must follow in each case. */
int loop_open(struct loop *l, struct sched *sched, const char *where, struct error *error);

/*
 * After loop_open() with NULL: the local cell is what tells events and takes orders. -errno as
 * local_open().
 */
int loop_open_local(struct loop *l, const struct local_options *options, struct error *error);
void loop_close(struct loop *l);

/*
 * After loop_open(): keep usage in a store, and acknowledge events only when what they led to is
 * there. -errno as keeper_open().
 */
int loop_keep(struct loop *l, const char *path, const struct store_usage_options *options, struct error *error);

/* Publish an empty run, then serve until SIGTERM or SIGINT. 0 or -errno. */
int loop_serve(struct loop *l, struct error *error);

/*
 * Read the source to its end, run once at `now`, publish, send all orders. 0 or -errno;
 * loop.events.refused tells whether all was taken.
 */
int loop_once(struct loop *l, int64_t now, struct error *error);

#endif
