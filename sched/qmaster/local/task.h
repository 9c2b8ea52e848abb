/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Started tasks of the local cell, in memory, sorted by job and id. A task is in one state of its
 * life; local_task_becomes() is the only way from one to the next, and knows which ones there are:
 *
 *     STARTING    an order of this turn, or one that begins again: nothing of it runs yet
 *       WATCHED     once it is committed: its shepherd is started
 *       UNSPAWNED   once it is committed, but the shepherd could not be started or not be watched
 *     UNSPAWNED   that is tried again each second
 *       WATCHED     and has succeeded
 *       SOUGHT      it was deleted meanwhile: it can't begin any more
 *     WATCHED     its shepherd is there, and its end wakes us
 *       ENDED       the shepherd is gone
 *       STARTING    the shepherd is gone without having begun the task, which begins again
 *       SOUGHT      it was to be ended by force, and can't: it is given up
 *     SOUGHT      it runs, as the store knows; what is left of it is not known, and looked for
 *       WATCHED     its shepherd was found
 *       ENDED       nothing was found but how it ended, or not even that
 *       STARTING    it was never begun, and begins again
 *     ENDED       no run of the scheduler has booked its usage yet
 *       BOOKED      a run has
 *       SOUGHT      the turn in which it ended was undone
 *     BOOKED      it leaves memory once the store has committed that it is gone from there
 *
 * It begins as STARTING with an order; as SOUGHT or ENDED from a row of the store, which knows only
 * RUNNING and ENDED: the row of one that is STARTING, UNSPAWNED, WATCHED or SOUGHT is RUNNING.
 *
 * When a turn is undone, tasks become what they were at the last commit: local_tasks_undo(), which
 * drops those that were STARTING and what was to be done with the commit, then local_task_read()
 * for each row of the store, which makes anew those that were to begin again. What is true whatever
 * the store has stays: the shepherd, deadlines, the processes that the host knows, usage that was
 * seen.
 */
#ifndef SCHED_QMASTER_LOCAL_TASK_H
#define SCHED_QMASTER_LOCAL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"
#include "sched/host/host.h"
#include "sched/mirror/event.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/granted.h"
#include "sched/shepherd/record.h"
#include "sched/store/store.h"

struct local;

#define DIRECTORY_BYTES 64		/* of an attempt's directory */
#define LAUNCHES_MAX 3
#define NEVER_NS UINT64_MAX

enum task_life { TASK_STARTING, TASK_UNSPAWNED, TASK_WATCHED, TASK_SOUGHT, TASK_ENDED, TASK_BOOKED };

/* What somebody has asked for: nothing; its end, with a grace if its queue has one; at once. */
enum task_removal { REMOVAL_NONE, REMOVAL_DELETE, REMOVAL_FORCE };

struct task_ending {		/* zero before it has ended */
	int failed, exit_status, signal;
	double wallclock_s;	/* from its start to its end */
	/* for mail, and not in the store */
	double start_time, end_time, utime_s, stime_s, maxvmem_bytes;
	bool requeue;		/* it waits again, and is to start once more */
	bool vacated;		/* since it had to give way; so it was */
	enum vacated_how how;
	char text[ATTEMPT_TEXT_BYTES];	/* for mail: why it has failed, or which limit has ended it; "" */
	char owner[64];		/* whose job it is, for the log: the scheduler may know nothing of it any more */
};

struct task_shepherd {
	int fd;			/* pidfd; -1: none */
	/* it was started, but there is no pidfd of it yet; 0: there is none */
	pid_t unwatched;
	unsigned launches;	/* in vain so far */
};

/* How far ending it by force has come; kept to say each step once. */
enum task_kill { KILL_NOT_YET, KILL_NOTIFIED, KILL_TRIED, KILL_GIVEN_UP };

struct task_deadlines {		/* CLOCK_MONOTONIC, NEVER_NS */
	int signal;		/* to be sent at signal_ns */
	uint64_t signal_ns;
	int then;		/* to be sent at then_ns, once `signal` was: that was the notice of it */
	uint64_t then_ns;
	uint64_t soft_ns;	/* s_rt is over */
	uint64_t kill_ns;	/* h_rt is over, or the grace of a deletion */
	uint64_t forget_ns;	/* it counts as ended then, whatever is left of it */
	uint64_t give_up_ns;	/* its shepherd has not made it give way: vacate.h */
	enum task_kill soft, kill;	/* soft: not further than KILL_NOTIFIED */
};

struct task_time_limits {	/* s; what the deadlines are made of, for messages */
	int64_t soft_s, hard_s;
	bool soft_of_queue, hard_of_queue;
};

struct task_leave {		/* zero: it has not to give way to anybody */
	bool is_due;
	struct attempt_vacation how;
};

struct task_kill_signal {	/* with which the job wants to be deleted */
	int number;		/* 0: terminate_method of its queue says so */
	uint32_t grace_s;	/* from there to SIGKILL; UINT32_MAX: notify of its queue */
};

struct task_commit {		/* what is done once this turn is committed; zero: nothing */
	bool due;		/* something: it began, ended, was deleted, or one of these */
	bool ended;		/* in this turn */
	int signal;		/* SIGSTOP or SIGCONT that was ordered; 0: none */
	uint32_t void_attempt;	/* in vain: its directory goes; 0: none */
};

struct local_task {
	uint32_t job_number, id;
	bool is_array;		/* the job is */
	enum task_life life;
	uint32_t attempt;	/* never used twice in a cell */
	int64_t start_time;
	char boot[40];		/* of the machine, in which it was started */
	struct task_granted granted;
	char letters[8];	/* why it is suspended itself: suspension.h */
	char told[8];		/* its state, as the scheduler knows it */
	bool stopped;		/* it was sent SIGSTOP last, and no SIGCONT */
	enum task_removal removal;	/* with this turn's */
	enum task_removal committed_removal;
	struct host_usage usage;	/* the most seen so far of cpu_s, mem_gbs and io_gb */
	bool usage_unsaved;		/* the store has less */
	struct task_ending ending;
	struct task_shepherd shepherd;
	struct task_deadlines deadlines;
	struct task_time_limits time_limits;
	struct task_leave leave;
	struct task_kill_signal kill_signal;
	/* -notify: so long before it is stopped or killed it is told; 0: it is not */
	uint64_t notify_ns;
	char mail[5];		/* of what its owner wants to be told: mail.h */
	struct task_commit commit;
	bool steered;		/* the host (sched/host/) knows its processes */
};

struct local_tasks {
	struct local_task **items;	/* sorted by job and id */
	size_t n, capacity;
	size_t ndue;		/* those with something to be done after the commit */
};

void local_task_becomes(struct local_task *task, enum task_life life);

/* There is, or will be at once, or may still be, a shepherd. */
static inline bool local_task_runs(const struct local_task *task)
{
	return task->life == TASK_UNSPAWNED || task->life == TASK_WATCHED || task->life == TASK_SOUGHT;
}

static inline bool local_task_has_ended(const struct local_task *task)
{
	return task->life == TASK_ENDED || task->life == TASK_BOOKED;
}

/*
 * It was told to end, or to give way: nobody stops it any more, so that it can do what it has still
 * to do.
 */
static inline bool local_task_is_leaving(const struct local_task *task)
{
	return task->removal != REMOVAL_NONE ||
	       (task->leave.is_due && task->leave.how.retired_ns <= clock_monotonic_ns());
}

/* The scheduler knows that it is started; of others it learns that with the commit. */
static inline bool local_task_is_told(const struct local_task *task)
{
	return task->life != TASK_STARTING || task->shepherd.launches > 0;
}

/* NULL: it is not started */
struct local_task *local_task_find(const struct local *local, uint32_t job_number, uint32_t id);
/* Place of the first one of a job, or of what stands behind. */
size_t local_task_first(const struct local *local, uint32_t job_number);
/* It begins its life as STARTING, SOUGHT or ENDED. NULL: no memory */
struct local_task *local_task_new(struct local *local, uint32_t job_number, uint32_t id, enum task_life life);
void local_task_forget(struct local *local, struct local_task *task);
void local_tasks_free(struct local_tasks *tasks);
/* Something is to be done for it once this turn is committed. */
void local_task_due(struct local *local, struct local_task *task);
/* It has used so much, or less than is known already. Returns whether that was news. */
bool local_task_used(struct local_task *task, double cpu_s, double mem_gbs, double io_gb);
int local_task_save(struct local *local, const struct local_task *task, struct error *error);
/* A row of the store, into memory. */
int local_task_read(struct local *local, const struct stored_task *stored, struct error *error);
/* The turn is undone: before the rows are read again. */
void local_tasks_undo(struct local *local);
void local_task_directory(const struct local_task *task, char name[DIRECTORY_BYTES]);
uint32_t local_task_slots(const struct local_task *task);
const char *local_task_queue(const struct local_task *task);	/* the master's instance */

#endif
