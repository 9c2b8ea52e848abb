/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell as a whole, for the files of this room alone. local.h is its map. */
#ifndef SCHED_QMASTER_LOCAL_INSIDE_H
#define SCHED_QMASTER_LOCAL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sched/host/host.h"
#include "sched/qmaster/local/accounting.h"
#include "sched/qmaster/local/client.h"
#include "sched/qmaster/local/footprint.h"
#include "sched/qmaster/local/local.h"
#include "sched/qmaster/local/machine.h"
#include "sched/qmaster/local/people.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/local/trouble.h"
#include "sched/store/store.h"

#define SECOND_NS 1000000000ull

struct local {
	struct sched *sched;
	struct events *events;
	struct store *store;
	struct host *host;
	bool meter_told;		/* how CPU time is found */
	struct local_options options;	/* as given; its texts are not kept */
	char *state, *shepherd;		/* directory, program */
	struct machine machine;
	struct people people;
	struct rlimit descriptors;	/* as we found it, and jobs do */
	struct local_tasks tasks;
	struct clients clients;
	struct accounting accounting;
	struct footprints footprints;
	char boot[40];
	uint32_t attempt;		/* given last */
	size_t fresh;			/* tasks with something to be done after the commit */
	struct {
		enum watched watched;
		int fd;			/* epoll of the shepherds' pidfds, itself in epoll_fd */
	} ends;
	int epoll_fd, state_fd, active_fd;	/* STATE, STATE/active_jobs */
	char active_path[4096];
	struct error refusal;		/* of the event told last */
	bool ran;			/* a run was published in this turn */
	bool changed;			/* something of this turn is to be committed */
	struct error failure;		/* why this turn can't be; "": it can */
	/* why nothing is taken now: a probe has failed; "": requests are */
	struct error refusing;
	uint64_t probe_ns;		/* the next one not before */
	/*
	 * the store could not take something; what nobody asks for is not tried before. 0: nothing
	 * waits
	 */
	uint64_t retry_ns;
	uint64_t pause_ns;		/* how long that was */
	bool stale;			/* and what is true could not be told anew */
	bool failing;			/* said so */
	bool unsaved;			/* said that usage could not be stored */
	int64_t ran_at;			/* the last run, epoch seconds */
	/* when levers that the kernel has put off are moved again; UINT64_MAX: none are */
	uint64_t put_off_ns;
	uint64_t look_ns;		/* when the doubtful ones are looked at */
	uint64_t load_ns;		/* when load is told again */
	/* when shepherds that could not be started are tried again; UINT64_MAX: none */
	uint64_t spawn_ns;
};

/* Something of this turn can't be done: all of it will be undone. */
void local_fail(struct local *l, const struct error *error);
void local_changed(struct local *l);

#endif
