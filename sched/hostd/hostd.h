/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process on an execution host. It waits for the scheduler, for signals and for time.
 *
 * Every --interval it reads the spool, inspects the processes and adjusts the CPU control
 * mechanism. Every --report it reports the usage of tasks.
 */
#ifndef HOSTD_HOSTD_H
#define HOSTD_HOSTD_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/host/host.h"
#include "sched/hostd/tasks.h"
#include "sched/process/watchdog.h"
#include "sched/wire/spoke.h"

struct hostd_options {
	struct spoke_options wire;
	struct host_options host;
	/* execd_spool_dir/HOST; NULL: only tasks that the scheduler sends */
	const char *spool;
	unsigned interval_s;
};

struct hostd {
	const struct hostd_options *options;	/* borrowed */
	struct host *host;
	struct tasks_here *tasks;
	struct spoke *spoke;
	int signal_fd;
	struct watchdog watchdog;
	/* times at which work is due, monotonic */
	uint64_t round_ns, report_ns, retry_ns, listen_ns;
	int spool_rc;			/* result of the last spool scan that was logged */
	size_t spool_odd;
	bool refusal_logged, lost_logged;
	enum meter meter_logged;
	bool lever_reported;		/* reported in this session */
	bool stop;
};

/*
 * Open the process. Drops all privileges that the CPU control mechanism does not need. Call
 * hostd_close() even if this fails.
 */
int hostd_open(struct hostd *hostd, const struct hostd_options *options, struct error *error);
void hostd_close(struct hostd *hostd);

/* Serve until SIGTERM or SIGINT. Returns 0 or -errno. */
int hostd_serve(struct hostd *hostd, struct error *error);

#endif
