/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution hosts with a fairlead-hostd(8): what is ordered for the tasks on a host is told to it,
 * too, and if it is wanted, what it reports of usage and load counts as if the qmaster had told it.
 *
 * A host is believed only what is about tasks that it was told of, as they were started when it was
 * told, and no more than can be: bounds.h. Usage of a task never goes back, even where a restarted
 * fairlead-hostd has lost what ended before; that of a task on several hosts is their sum.
 */
#ifndef SCHED_DAEMON_HOSTS_H
#define SCHED_DAEMON_HOSTS_H

#include <stdbool.h>

#include "conf/base/error.h"
#include "sched/qmaster/intake.h"
#include "sched/sched.h"
#include "sched/wire/hub.h"

struct hosts;

struct hosts_options {
	struct hub_options hub;		/* endpoint NULL: no hosts */
	bool usage, load;		/* take these from hosts */
};

/* The command line, for arguments.h: `options` is a struct hosts_options. */
const char *hosts_endpoint_take(void *options, const char *value);
const char *hosts_from_hosts_take(void *options, const char *value);
const char *hosts_munge_take(void *options, const char *value);
/* NULL, or why these don't belong together. */
const char *hosts_options_check(const struct hosts_options *options);

/*
 * Errors of hub_open(). *hosts is NULL then, and without an endpoint. Scheduler and intake are
 * borrowed; what hosts report goes to the intake, and the scheduler's orders are watched.
 */
int hosts_open(struct hosts **hosts, const struct hosts_options *options, struct sched *sched, struct intake *intake,
	       struct error *error);

/* All of these accept NULL. */
size_t hosts_up(const struct hosts *hosts);	/* how many are connected */
void hosts_close(struct hosts *hosts);
int hosts_fd(const struct hosts *hosts);	/* to be polled for input; -1: none */
void hosts_handle(struct hosts *hosts);
/* the keys; faults go to the log, and the old ones stay in force */
void hosts_reload(struct hosts *hosts);

#endif
