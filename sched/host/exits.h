/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time by what the kernel reports when threads end (METER_TASKSTATS): a task has used what its
 * living processes have, and what those had that have ended, whoever has waited for them. What they
 * have of children that they have waited for (cutime) is left out: these have ended, too.
 *
 * In: records of ends, in their order, and the looks at processes that are made anyway. Out: the
 * members exits_ns of tasks.
 *
 * When a process ends that was found to be a task's, what it had stays with the task. What others
 * had, most of whom nobody has seen, goes to their parents, dead ends included: from one whom
 * nobody has seen to the one above, as its own record comes. What belongs to one that was not met
 * yet waits under its number; it is met in the next round, or its record comes, or it is given up:
 * after EXITS_ROUNDS, or since EXITS_UNSEEN_MOST numbers wait already. What was given up is
 * counted. A process whose parent has ended before it is the child of init, or of whoever collects
 * orphans: its time is a task's only if it was found itself.
 *
 * What a process's record says and what it was seen to have at its last look are the same time: the
 * greater one counts. Records say no start times, but at which time a thread can have begun at the
 * latest: one that was begun later only has the number of the one that is meant.
 */
#ifndef SCHED_HOST_EXITS_H
#define SCHED_HOST_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sched/host/ids.h"
#include "sched/host/taskstats.h"

#define EXITS_UNSEEN_MOST 16384
#define EXITS_ROUNDS 64

struct host;
struct process;

struct exits_sum {
	uint64_t threads_ns;		/* of threads of this process that have ended */
	/* of those below it that have ended and were no task's themselves */
	uint64_t left_ns;
	/* whose sum it is has begun by then, ticks since boot; 0: nothing has come */
	uint64_t began;
};

struct exits_unseen {
	pid_t pid;
	uint32_t round;			/* in which the first of it came */
	struct exits_sum sum;
};

struct exits {			/* zero-initialise, but for the socket; private to exits.c */
	struct taskstats_socket socket;
	struct exits_unseen *unseen;	/* in no order */
	size_t nunseen, unseen_room;
	struct ids unseen_rows;
	uint64_t given_up_ns, lost;	/* in all */
	bool has_lost;			/* since sums were made */
};

/* Is this the meter of tasks without a cgroup? */
bool exits_are_told(const struct host *host);
/* All records since the last call. No-op if the meter is another one. */
void exits_read(struct host *host);
/*
 * After the very first look at all processes: from now on. What ended before is in the cutime of
 * who has waited for it, or gone.
 */
void exits_begin(struct host *host);
/* Once a round: what has waited for too long is given up. */
void exits_sweep(struct host *host);

/* One record; exits_read() does it with each. */
void exits_take(struct host *host, const struct taskstats_record *record);
/*
 * A process that is ending when it is looked at for the first time: its record may have come
 * already, and its time is its parent's then. So whenever it comes it passes this one by.
 */
void exits_pass_by(struct host *host, struct process *process);
/* What has come of this process before it was met. It is forgotten here. */
struct exits_sum exits_claim(struct host *host, pid_t pid);
/*
 * It is known by now when a process was started: what had come before that under its number goes on
 * waiting, for the record of the process that had the number before.
 */
void exits_begun(struct host *host, struct process *process);
/* All that a process leaves to its task, as of now. */
uint64_t exits_of(const struct host *host, const struct process *process);

/*
 * Sums by task, of the living and the dead. If records were lost, what /proc says (the tasks'
 * ticks) is the least.
 */
void exits_sum_up(struct host *host);

void exits_close(struct exits *exits);

#endif
