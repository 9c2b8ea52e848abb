/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process on an execution host: waits for the scheduler, signals and time. Each --interval it
 * looks at the spool and at processes and moves the levers; each --report it reports what tasks
 * have used.
 */
#ifndef HOSTD_HOSTD_H
#define HOSTD_HOSTD_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/host/host.h"
#include "sched/hostd/tasks.h"
#include "sched/wire/spoke.h"

struct hostd_options {
	struct spoke_options wire;
	struct host_options host;
	/* execd_spool_dir/HOST; NULL: only what the scheduler sends */
	const char *spool;
	unsigned interval_s;
};

struct hostd {
	const struct hostd_options *options;	/* borrowed */
	struct host *host;
	struct tasks_here *tasks;
	struct spoke *spoke;
	int signal_fd;
	uint64_t round_ns, report_ns, retry_ns, listen_ns;	/* when due, monotonic */
	int spool_rc;			/* of the last look that was logged */
	size_t spool_odd;
	bool refusal_told, lost_told;
	enum meter meter_told;
	bool lever_told;		/* in this session */
	bool stop;
};

/*
 * hostd_close() must follow in each case. Privileges are gone with it, but for those that steering
 * needs.
 */
int hostd_open(struct hostd *hostd, const struct hostd_options *options, struct error *error);
void hostd_close(struct hostd *hostd);

/* Until SIGTERM or SIGINT. 0 or -errno. */
int hostd_serve(struct hostd *hostd, struct error *error);

#endif
