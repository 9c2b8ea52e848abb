/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution hosts with a fairlead-hostd(8). Orders for tasks on a host are also sent to that host.
 * If requested, its reports of usage and load are used like those of the qmaster.
 *
 * Reports of a host are accepted only for tasks that were sent to it and that have not been started
 * again since. Their values are limited: bounds.h. Usage of a task never goes back, even if a
 * restarted fairlead-hostd has lost the usage of ended processes. Usage of a task on several hosts
 * is their sum.
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
	bool usage, load;		/* take these values from hosts */
};

/* Read options of the command line for arguments.h. `options` is a struct hosts_options. */
const char *hosts_endpoint_take(void *options, const char *value);
const char *hosts_from_hosts_take(void *options, const char *value);
const char *hosts_munge_take(void *options, const char *value);
/* Check the combination of options. Returns NULL, or the reason why it is invalid. */
const char *hosts_options_check(const struct hosts_options *options);

/*
 * Open the endpoint for hosts. Errors are those of hub_open(). *hosts is NULL after an error, and
 * without an endpoint. `sched` and `intake` are borrowed. Reports of hosts go to the intake, and
 * the scheduler's orders are sent to hosts, too.
 */
int hosts_open(struct hosts **hosts, const struct hosts_options *options, struct sched *sched, struct intake *intake,
	       struct error *error);

/* The following functions accept NULL. */
size_t hosts_up(const struct hosts *hosts);	/* number of connected hosts */
void hosts_close(struct hosts *hosts);
int hosts_fd(const struct hosts *hosts);	/* poll for input; -1: none */
void hosts_handle(struct hosts *hosts);
/* Read the keys again. Errors are logged, and the old keys stay in use. */
void hosts_reload(struct hosts *hosts);

#endif
