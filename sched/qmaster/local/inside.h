/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell as a whole, for the files of this room alone. local.h is its map. */
#ifndef SCHED_QMASTER_LOCAL_INSIDE_H
#define SCHED_QMASTER_LOCAL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sched/host/host.h"
#include "sched/qmaster/local/accounting.h"
#include "sched/qmaster/local/advances.h"
#include "sched/qmaster/local/client.h"
#include "sched/qmaster/local/diary.h"
#include "sched/qmaster/local/errands.h"
#include "sched/qmaster/local/footprint.h"
#include "sched/qmaster/local/local.h"
#include "sched/qmaster/local/machine.h"
#include "sched/qmaster/local/people.h"
#include "sched/qmaster/local/suspension.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/local/trouble.h"
#include "sched/qmaster/members/values.h"
#include "sched/store/store.h"

#define SECOND_NS 1000000000ull

struct turn {				/* of the process's loop, until local_settle() */
	bool changed;			/* something is to be committed */
	bool edited;			/* user priorities are part of it */
	struct error failure;		/* why that can't be; "": it can */
	bool ran;			/* a run was published */
	bool asked;			/* clients have changed something, or a job has come into error */
};

struct due_times {				/* CLOCK_MONOTONIC, NEVER_NS */
	uint64_t load_ns;		/* load is told again */
	uint64_t look_ns;		/* tasks that are SOUGHT are looked at */
	uint64_t spawn_ns;		/* those that are UNSPAWNED are tried again */
	uint64_t levers_ns;		/* levers that the kernel has put off are moved again */
};

struct local {
	struct qmaster qmaster;
	struct sched *sched;
	struct intake *intake;
	struct store *store;
	struct host *host;
	bool meter_told;		/* said how CPU time is found */
	struct local_options options;	/* as given; its texts are not kept */
	char *state, *shepherd;		/* directory, program */
	char *cell;			/* its directory, absolute */
	struct machine machine;
	struct local_instances instances;
	struct people people;
	struct rlimit descriptors;	/* as we found it, and jobs do */
	struct local_tasks tasks;
	struct clients clients;
	struct errands errands;
	struct local_advances advances;
	struct accounting accounting;
	struct footprints footprints;
	char boot[40];
	uint32_t attempt;		/* given last */
	struct {
		enum watched watched;
		int fd;			/* epoll of the shepherds' pidfds, itself in epoll_fd */
	} ends;
	int epoll_fd, state_fd, active_fd;	/* STATE, STATE/active_jobs */
	char active_path[4096];
	/* the number of the event told last, and of that before a snapshot that is open */
	uint64_t told, told_before;
	struct values values;		/* of what a job asks for, while the scheduler is told */
	struct turn turn;
	struct diary diary;
	struct trouble trouble;
	struct due_times due;
	int64_t ran_at;			/* the last run, epoch seconds; 0: none yet */
	bool after_ok;			/* some job has waited for the success of others */
	bool unsaved;			/* said that usage could not be stored */
	bool mail_missed;		/* said that mail can't be sent */
	bool mail_crowded;		/* said that too much of it waits */
};

/* The calls of qmaster.h, which qmaster.c hands on. */
void local_close(struct local *local);	/* running jobs go on; NULL is a no-op */
int local_begin(struct local *local, struct error *error);
uint64_t local_due_ns(const struct local *local);
void local_handle(struct local *local);
void local_settle(struct local *local);
void local_ran(struct local *local, int64_t now);
void local_reloaded(struct local *local);
extern const struct qmaster_methods local_methods;

/* Something of this turn can't be done: all of it will be undone. */
void local_fail(struct local *local, const struct error *error);
void local_changed(struct local *local);

#endif
