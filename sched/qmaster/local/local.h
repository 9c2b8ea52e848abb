/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local cell: a qmaster for one machine, inside the scheduler's process.
 *
 * The cell takes the requests of users, starts their jobs as processes and notices how they end. It
 * reports all this to the scheduler with the events of sched/mirror/event.h, like any qmaster. It
 * carries out the orders of the scheduler (sched/qmaster/order.h) itself.
 *
 * The state is kept in a store, STATE/fairlead.db. One turn of the process's loop collects
 * requests, starts and ends, and settle() makes them one transaction. Only after the commit is a
 * request answered, a job started, or the directory of an ended job removed. If the commit fails,
 * the whole turn is undone, and the scheduler gets a new snapshot. If a probe shows that the store
 * accepts other data, each request of the turn is tried alone. Only requests that fail again are
 * refused. Otherwise, for example on a full disk, all requests are refused until a probe succeeds.
 *
 * A job runs under a shepherd of its own, a process that survives this one. Both communicate
 * through STATE/active_jobs/JOB.TASK.ATTEMPT/: see sched/shepherd/record.h. recover.c describes how
 * a new scheduler uses it.
 *
 *     qmaster.c       functions for the scheduler's process: sched/qmaster/qmaster.h
 *     open.c          opening and closing of the cell
 *     local.c         the turn: collect, commit, answer, start; trouble.c failed commits
 *     ├─ clients.c    the socket: one line in, one line out
 *     │  ├─ turns.c   order of requests
 *     │  ├─ requests.c   dispatch of requests to functions
 *     │  │  ├─ submit.c, alter.c, delete.c, hold.c, hand.c, reschedule.c, follow.c; queues.c;
 *     │  │  │  describe.c;
 *     │  │  │  reserve.c, unreserve.c; userprio.c
 *     │  │  ├─ select.c  jobs named in a request; name_search.c names; ids.c sets of task ids
 *     │  │  ├─ check.c   names and values; resources.c lists of -l; hold_jid.c other jobs
 *     │  │  └─ access.c  permissions and quantities; footprint.c bytes by user; people.c names
 *     │  └─ answers.c replies at the end of a turn; results.c their text; diary.c the log
 *     ├─ advances.c   begin and end of advance reservations
 *     ├─ orders.c     orders of the scheduler; vacate.c tasks that give way
 *     │  └─ launch.c  an attempt's directory, configuration and shepherd; limits.c its limits
 *     │     ├─ command.c      script and shell
 *     │     ├─ environment.c  environment
 *     │     └─ paths.c        files
 *     ├─ ending.c     ended tasks; accounting.c accounting lines
 *     ├─ suspension.c  suspended tasks and the reasons; subordination.c, calendars.c
 *     ├─ steer.c      tickets and usage: sched/host/; reserved.c usage as reserved
 *     ├─ signals.c    signals, a few in a turn
 *     ├─ errands.c    other processes than tasks; mail.c mail about jobs
 *     ├─ recover.c    tasks of an earlier scheduler
 *     │  └─ restored.c   tasks that a store from a backup does not know
 *     ├─ report.c       events; snapshot.c all of them at once
 *     ├─ jobs.c       job.h: a job; job_rows.c its row in the store. Its members are defined in
 *     │               sched/qmaster/members/: job_request.h, execution.h
 *     ├─ tasks.c      task.h: started tasks in memory, and the states of their lives
 *     │  └─ granted.c resources of a task
 *     ├─ machine.c    names, queue instances and load of this machine
 *     └─ path.c       path of the socket, also for clients
 */
#ifndef SCHED_QMASTER_LOCAL_LOCAL_H
#define SCHED_QMASTER_LOCAL_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/host/host.h"
#include "sched/qmaster/qmaster.h"
#include "sched/sched.h"

struct local;

struct local_options {
	/* directory, created if it does not exist; NULL: spool in the cell's directory */
	const char *state;
	/* program; NULL: fairlead-shepherd beside this program, or in ../libexec/fairlead */
	const char *shepherd;
	enum lever lever;		/* LEVER_AUTO: the best one that this machine permits */
	/* most bytes of the store for a user's jobs; 0: no limit. Operators have no limit */
	uint64_t user_bytes;
	/* retention of daily usage in the store; 0: the store's default */
	unsigned retention_days;
};

/*
 * Open the local cell as a qmaster: open the store, take over tasks of an earlier scheduler, and
 * listen. `options` is a struct local_options; `where` is not used.
 */
qmaster_open local_open;

#endif
