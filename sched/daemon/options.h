/* SPDX-License-Identifier: Apache-2.0 */
/* Command line of fairlead-schedd, see fairlead-schedd(8). */
#ifndef SCHED_DAEMON_OPTIONS_H
#define SCHED_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/daemon/hosts.h"
#include "sched/qmaster/gridengine/gridengine.h"
#include "sched/qmaster/journal/journal.h"
#include "sched/qmaster/json/json.h"
#include "sched/qmaster/local/local.h"
#include "sched/store/usage.h"
#include "shm/segment.h"

#define DEFAULT_WORKERS 16
#define NOW_BY_CLOCK (-1)

enum { EXIT_OK, EXIT_REFUSED, EXIT_USAGE, EXIT_NO_CELL, EXIT_NOT_PERMITTED, EXIT_FAILED };

struct schedd_options {
	const char *cell, *events, *schedule, *store;
	bool once, details, no_dispatch, local, log_json;
	int64_t now;			/* seconds since 1970; NOW_BY_CLOCK */
	/* 0: one for each CPU available to this process, up to DEFAULT_WORKERS. */
	unsigned workers;
	struct segment_options segment;
	struct store_usage_options usage;
	struct hosts_options hosts;
	struct journal_options journal;
	struct json_options lines;	/* for --events */
	struct local_options with;	/* for --local */
	const char *qmaster;		/* `where` of a real Grid Engine; NULL: none */
	struct gridengine_options gridengine;
};

/*
 * Fill `options`, which has its defaults already. Returns 0, or EXIT_USAGE after a message. --help
 * and --version end the process here.
 */
int options_parse(struct schedd_options *options, int argc, char **argv);

#endif
