/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell as a whole, private to the files of this directory. local.h has an overview. */
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

struct turn {				/* Turn of the process's loop, until local_settle(). */
	bool changed;			/* changes are to be committed */
	bool edited;			/* user priorities are part of the changes */
	struct error failure;		/* reason why the turn cannot be committed; "": it can */
	bool ran;			/* a run was published */
	/* clients have changed something, or a job has entered the error state */
	bool asked;
};

struct due_times {				/* CLOCK_MONOTONIC, NEVER_NS */
	uint64_t load_ns;		/* next report of the load */
	uint64_t look_ns;		/* next search for tasks that are SOUGHT */
	uint64_t spawn_ns;		/* next start of tasks that are UNSPAWNED */
	uint64_t levers_ns;		/* next write of values that the kernel has postponed */
};

struct local {
	struct qmaster qmaster;
	struct sched *sched;
	struct intake *intake;
	struct store *store;
	struct host *host;
	bool meter_logged;		/* the meter of CPU time was logged */
	struct local_options options;	/* options of the caller, without its texts */
	char *state, *shepherd;		/* directory, program */
	char *cell;			/* absolute path of its directory */
	struct machine machine;
	struct local_instances instances;
	struct people people;
	struct rlimit descriptors;	/* limit at the start, which is also that of jobs */
	struct local_tasks tasks;
	struct clients clients;
	struct errands errands;
	struct local_advances advances;
	struct accounting accounting;
	struct footprints footprints;
	char boot[40];
	uint32_t attempt;		/* number of the last attempt */
	struct {
		enum watched watched;
		int fd;			/* epoll of the shepherds' pidfds, itself in epoll_fd */
	} ends;
	int epoll_fd, state_fd, active_fd;	/* STATE, STATE/active_jobs */
	char active_path[4096];
	/*
	 * number of the last event reported to the scheduler, and of the last one before an open
	 * snapshot
	 */
	uint64_t reported, reported_before;
	/* values of a job's request while it is reported to the scheduler */
	struct values values;
	struct turn turn;
	struct diary diary;
	struct trouble trouble;
	struct due_times due;
	int64_t ran_at;			/* time of the last run, epoch seconds; 0: none yet */
	bool after_ok;			/* a job has depended on the success of others */
	bool unsaved;			/* a failure to store usage was logged */
	bool mail_missed;		/* a failure to send mail was logged */
	bool mail_crowded;		/* too much pending mail was logged */
};

/* Functions of qmaster.h, called through qmaster.c. */
void local_close(struct local *local);	/* running jobs continue; NULL is allowed */
int local_begin(struct local *local, struct error *error);
uint64_t local_due_ns(const struct local *local);
void local_handle(struct local *local);
void local_settle(struct local *local);
void local_ran(struct local *local, int64_t now);
void local_reloaded(struct local *local);
extern const struct qmaster_methods local_methods;

/* Record a failure that causes the whole turn to be undone. */
void local_fail(struct local *local, const struct error *error);
void local_changed(struct local *local);

#endif
