/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that were started again because their host no longer reported (reschedule_unknown of
 * sge_conf(5)). They may still run on that host, so they start on other hosts until the qmaster
 * knows more.
 */
#ifndef SCHED_DISPATCH_SEARCH_AVOID_H
#define SCHED_DISPATCH_SEARCH_AVOID_H

#include "sched/dispatch/cluster/cluster.h"

struct run;

struct avoided {			/* a task that does not start on a host */
	uint32_t job_number, task, host;
};

struct avoided_hosts {			/* zero-initialise */
	struct avoided *items;		/* sorted by job number and task */
	size_t n;
};

/* Read from the mirror which tasks must not start on some hosts. Return 0 or -ENOMEM. */
int avoided_find(struct avoided_hosts *avoided, const struct cluster *cluster, const struct run *run);
/* Return 1 + the index of the first entry of a task, or 0 if it has none. */
uint32_t avoided_by(const struct avoided_hosts *avoided, uint32_t job_number, uint32_t task);
/* Return whether a task avoids a host. `entries` is the result of avoided_by(). */
bool avoided_has(const struct avoided_hosts *avoided, uint32_t entries, uint32_t host);

#endif
