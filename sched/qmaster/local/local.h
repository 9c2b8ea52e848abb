/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local cell: a qmaster for one machine, inside the scheduler's process. It takes the requests
 * of users, starts their jobs as real processes, learns how they end, and tells the scheduler of
 * all that with the events of sched/mirror/event.h, as any qmaster does. What the scheduler orders
 * (sched/qmaster/order.h) it carries out itself.
 *
 * What is true stands in its store, STATE/fairlead.db. In a turn of the process's loop requests,
 * starts and ends are collected; settle() makes them one transaction. Only then is a request
 * answered, a job started, the directory of an ended one removed. When the store can't take it, all
 * of the turn is undone and told anew. If a probe shows that the store takes other things, each
 * request of the turn is tried alone, and only those that fail again are refused; else, for want of
 * space, say, all requests are refused until a probe succeeds.
 *
 * A job runs below a shepherd of its own, a process that survives this one.
 * STATE/active_jobs/JOB.TASK.ATTEMPT/ is what both know of it: whether it has begun, how it ended.
 * See sched/shepherd/record.h; recover.c says what a new scheduler makes of it.
 *
 *     qmaster.c       what the scheduler's process calls: sched/qmaster/qmaster.h
 *     open.c          what there is before the first turn, and how it is closed
 *     local.c         the turn: collect, commit, answer, start; trouble.c what if it is not stored
 *     ├─ clients.c    the socket: who asks, one line in, one line out
 *     │  ├─ turns.c   whose request is next
 *     │  ├─ requests.c   which function it is for
 *     │  │  ├─ submit.c, alter.c, delete.c, hold.c, hand.c, reschedule.c, follow.c; queues.c;
 *     │  │  │  describe.c;
 *     │  │  │  reserve.c, unreserve.c; userprio.c
 *     │  │  ├─ select.c  the jobs that it names; ids.c sets of task ids
 *     │  │  ├─ check.c   what the cell has; resources.c lists of -l; execution.c what is run
 *     │  │  └─ access.c  who may, and how much; footprint.c bytes by user; people.c their names
 *     │  └─ answers.c the replies, at the end of a turn; diary.c what the log says of them
 *     ├─ advances.c   advance reservations begin and end
 *     ├─ orders.c     what the scheduler orders; vacate.c that a task gives way
 *     │  └─ launch.c  a directory, a description of the task, a shepherd; limits.c of the task
 *     │     ├─ command.c      its script, its shell
 *     │     ├─ environment.c  what it finds there
 *     │     └─ paths.c        its files
 *     ├─ ending.c     what has ended; accounting.c its line
 *     ├─ suspension.c  what is suspended, and why: by subordination.c, calendars.c
 *     ├─ steer.c      tickets and usage: sched/host/; signals.c to tasks, a few in a turn
 *     ├─ errands.c    what other processes do for us beside tasks; mail.c letters about jobs
 *     ├─ recover.c    what ran when the scheduler before this one died
 *     │  └─ restored.c   what a store from a backup does not know
 *     ├─ tell.c       events; snapshot.c all of them at once
 *     ├─ jobs.c       job.h: a job in the store
 *     ├─ tasks.c      task.h: started tasks in memory, and the states of their lives
 *     │  └─ granted.c what they were granted
 *     ├─ machine.c    names, queue instances and load of this machine
 *     └─ path.c       where the socket is, for clients, too
 */
#ifndef SCHED_QMASTER_LOCAL_LOCAL_H
#define SCHED_QMASTER_LOCAL_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/host/host.h"
#include "sched/qmaster/qmaster.h"
#include "sched/sched.h"

struct local;

struct local_options {
	/* directory, made if it is not there; NULL: spool in the cell's own */
	const char *state;
	/* the program; NULL: fairlead-shepherd beside this one, or in ../libexec/fairlead */
	const char *shepherd;
	enum lever lever;		/* LEVER_AUTO: the best one that this machine permits */
	/* of the store, that jobs of a user may take; 0: any number. Operators' are not bounded */
	uint64_t user_bytes;
	unsigned retention_days;	/* of usage per day, in the store; 0: the store's default */
};

/*
 * The local cell, as a qmaster: `options` is a struct local_options, `where` means nothing. Opens
 * the store, takes up what ran before, listens.
 */
qmaster_open local_open;

#endif
