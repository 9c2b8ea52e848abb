/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time from the kernel's records of ended threads (METER_TASKSTATS).
 *
 * The usage of a task is the CPU time of its live processes plus that of its ended processes,
 * regardless of which process waited for them. The CPU time of waited-for children (cutime) is not
 * used, because these children have records of their own.
 *
 * Input: the records of ended threads, in their order, and the reads of processes that are made
 * anyway. Output: the members exits_ns of tasks.
 *
 * When a process ends that is known to belong to a task, its time stays with the task. The time of
 * other processes, most of which were never read, goes to their parents. A parent may itself be an
 * ended process without a task; its time is passed on to its own parent when its record arrives.
 * Time for a process that is not known yet waits under the process's number. It is assigned when
 * the process is found in the next round or when its record arrives. It is dropped after
 * EXITS_ROUNDS rounds, or at once if EXITS_UNSEEN_MOST numbers are waiting. Dropped time is
 * counted. A process whose parent has ended earlier is the child of init or of a subreaper. Its
 * time is counted for a task only if the process itself was found.
 *
 * The record of a process and its last read describe the same time, so the greater value counts.
 * Records have no start times, but the latest time at which the thread can have started. A process
 * that started later only has the same number.
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
	uint64_t threads_ns;		/* time of ended threads of this process */
	/* time of ended descendants that were not in a task */
	uint64_t left_ns;
	/* latest start time of the process, ticks since boot; 0: no record yet */
	uint64_t began;
};

struct exits_unseen {
	pid_t pid;
	uint32_t round;			/* round in which the first record arrived */
	struct exits_sum sum;
};

struct exits {			/* Zero-initialized, except for the socket. Private to exits.c. */
	struct taskstats_socket socket;
	struct exits_unseen *unseen;	/* unordered */
	size_t nunseen, unseen_room;
	struct ids unseen_rows;
	uint64_t given_up_ns, lost;	/* totals */
	bool has_lost;			/* since the last sums */
};

/* Return whether tasks without a cgroup use this meter. */
bool exits_are_used(const struct host *host);
/* Read all records since the last call. Does nothing if another meter is used. */
void exits_read(struct host *host);
/*
 * Begin to count after the very first scan of all processes. Earlier time is in the cutime of a
 * parent that has waited, or lost.
 */
void exits_begin(struct host *host);
/* Drop time that has waited too long. Call once per round. */
void exits_sweep(struct host *host);

/* Count one record; exits_read() calls this for each one. */
void exits_take(struct host *host, const struct taskstats_record *record);
/*
 * Handle a process that is already ending at its first read. Its record may have arrived already,
 * in which case its time was counted for its parent. Therefore its record is always counted for the
 * parent.
 */
void exits_pass_by(struct host *host, struct process *process);
/* Return and remove the sums that arrived before the process was known. */
struct exits_sum exits_claim(struct host *host, pid_t pid);
/*
 * Handle a start time that has become known. Sums from before the start belong to an earlier
 * process with this number and wait for its record.
 */
void exits_begun(struct host *host, struct process *process);
/* Return all time that a process contributes to its task now. */
uint64_t exits_of(const struct host *host, const struct process *process);

/*
 * Sum up live and ended processes by task. If records were lost, the usage is at least what /proc
 * reports (the ticks of the task).
 */
void exits_sum_up(struct host *host);

void exits_close(struct exits *exits);

#endif
