/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Started tasks of the local cell in memory, sorted by job and id. A task is in one state of its
 * life. Only local_task_becomes() changes the state, and only to one of the listed states:
 *
 *     STARTING    ordered in this turn, or begun again: nothing of it runs yet
 *       WATCHED     after the commit: its shepherd was started
 *       UNSPAWNED   after the commit: the shepherd could not be started or not be watched
 *     UNSPAWNED   the start is tried again each second
 *       WATCHED     the start has succeeded
 *       SOUGHT      the task was deleted in the meantime: it cannot begin any more
 *     WATCHED     its shepherd runs, and its end wakes the process
 *       ENDED       the shepherd has ended
 *       STARTING    the shepherd has ended before the task began; the task begins again
 *       SOUGHT      the task could not be killed and is given up
 *     SOUGHT      running according to the store; its processes are being searched
 *       WATCHED     its shepherd was found
 *       ENDED       only its end was found, or not even that
 *       STARTING    it was never begun, and begins again
 *     ENDED       no run of the scheduler has booked its usage yet
 *       BOOKED      a run has booked it
 *       SOUGHT      the turn in which it ended was undone
 *     BOOKED      removed from memory after its removal from the store is committed
 *
 * A task begins as STARTING with an order, or as SOUGHT or ENDED from a row of the store. The store
 * knows only RUNNING and ENDED: the row of a task that is STARTING, UNSPAWNED, WATCHED or SOUGHT is
 * RUNNING.
 *
 * When a turn is undone, tasks return to their state at the last commit. local_tasks_undo() drops
 * tasks that are STARTING and the work that was due with the commit. Then local_task_read(), called
 * for each row of the store, creates tasks again that were to begin again. Facts that do not depend
 * on the store are kept: the shepherd, deadlines, the processes that the host knows, and usage that
 * was seen.
 */
#ifndef SCHED_QMASTER_LOCAL_TASK_H
#define SCHED_QMASTER_LOCAL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"
#include "sched/host/host.h"
#include "sched/mirror/event.h"
#include "sched/process/clock.h"
#include "sched/qmaster/local/granted.h"
#include "sched/shepherd/record.h"
#include "sched/store/store.h"

struct local;

#define DIRECTORY_BYTES 64		/* bytes of the name of an attempt's directory */
#define LAUNCHES_MAX 3
#define NEVER_NS UINT64_MAX

enum task_life { TASK_STARTING, TASK_UNSPAWNED, TASK_WATCHED, TASK_SOUGHT, TASK_ENDED, TASK_BOOKED };

/* Requested removal: none; end, after a grace time if its queue has one; end at once. */
enum task_removal { REMOVAL_NONE, REMOVAL_DELETE, REMOVAL_FORCE };

struct task_ending {		/* Zero before the task has ended. */
	int failed, exit_status, signal;
	double wallclock_s;	/* from its start to its end */
	/* for mail, not in the store */
	double start_time, end_time, utime_s, stime_s, maxvmem_bytes;
	bool requeue;		/* the task is pending again and is to start once more */
	bool vacated;		/* the task has given way; `how` describes it */
	enum vacated_how how;
	/* for mail: reason of a failure, or the limit that has ended the task; "" */
	char text[ATTEMPT_TEXT_BYTES];
	/* job owner for the log; the scheduler may not know the job any more */
	char owner[64];
};

struct task_shepherd {
	int fd;			/* pidfd; -1: none */
	/* pid of a shepherd that was started but has no pidfd yet; 0: none */
	pid_t unwatched;
	unsigned launches;	/* unsuccessful starts so far */
};

struct task_reserved {		/* resources that the task occupies */
	uint32_t slots;
	double vmem_bytes;	/* 0: unlimited */
};

/* Progress of ending a task by force. Kept to log each step once. */
enum task_kill { KILL_NOT_YET, KILL_NOTIFIED, KILL_TRIED, KILL_GIVEN_UP };

struct task_deadlines {		/* CLOCK_MONOTONIC, NEVER_NS */
	int signal;		/* signal to be sent at signal_ns */
	uint64_t signal_ns;
	/* signal to be sent at then_ns after `signal`, which announced it */
	int then;
	uint64_t then_ns;
	uint64_t soft_ns;	/* end of s_rt */
	uint64_t kill_ns;	/* end of h_rt or of the grace time of a deletion */
	/* time at which the task counts as ended, even if processes remain */
	uint64_t forget_ns;
	/* time at which the shepherd has failed to vacate the task: vacate.h */
	uint64_t give_up_ns;
	enum task_kill soft, kill;	/* soft: KILL_NOTIFIED at most */
};

struct task_time_limits {	/* s; source of the deadlines, for messages */
	int64_t soft_s, hard_s;
	bool soft_of_queue, hard_of_queue;
};

struct task_leave {		/* Zero: the task does not have to give way. */
	bool is_due;
	struct attempt_vacation how;
};

struct task_kill_signal {	/* signal with which the job wants to be ended */
	int number;		/* 0: use terminate_method of its queue */
	uint32_t grace_s;	/* time until SIGKILL; UINT32_MAX: `notify` of its queue */
};

struct task_commit {		/* Work after the commit of this turn. Zero: none. */
	/* work is due: the task began, ended, was deleted, or one of the members is set */
	bool due;
	bool ended;		/* ended in this turn */
	int signal;		/* SIGSTOP or SIGCONT; 0: none */
	uint32_t void_attempt;	/* unsuccessful attempt whose directory is removed; 0: none */
};

struct local_task {
	uint32_t job_number, id;
	bool is_array;		/* the job is an array */
	enum task_life life;
	uint32_t attempt;	/* never used twice in a cell */
	int64_t start_time;
	char boot[40];		/* boot of the machine in which the task was started */
	struct task_granted granted;
	char letters[8];	/* own reasons of suspension: suspension.h */
	char reported[8];		/* state that was reported to the scheduler */
	bool stopped;		/* SIGSTOP was sent last, and no SIGCONT */
	enum task_removal removal;	/* including this turn */
	enum task_removal committed_removal;
	/* maximum so far of cpu_s, mem_gbs and io_gb: measured, or reserved (reserved.h) */
	struct host_usage usage;
	struct task_reserved reserved;
	bool usage_unsaved;		/* the store has less */
	struct task_ending ending;
	struct task_shepherd shepherd;
	struct task_deadlines deadlines;
	struct task_time_limits time_limits;
	struct task_leave leave;
	struct task_kill_signal kill_signal;
	/* -notify: time between the notification and the stop or kill; 0: no notification */
	uint64_t notify_ns;
	char mail[5];		/* events for which the owner wants mail: mail.h */
	struct task_commit commit;
	bool steered;		/* the host (sched/host/) knows its processes */
};

struct local_tasks {
	struct local_task **items;	/* sorted by job and id */
	size_t n, capacity;
	size_t ndue;		/* tasks with work to be done after the commit */
};

void local_task_becomes(struct local_task *task, enum task_life life);

/* Return whether there is, will be, or may still be a shepherd. */
static inline bool local_task_runs(const struct local_task *task)
{
	return task->life == TASK_UNSPAWNED || task->life == TASK_WATCHED || task->life == TASK_SOUGHT;
}

static inline bool local_task_has_ended(const struct local_task *task)
{
	return task->life == TASK_ENDED || task->life == TASK_BOOKED;
}

/*
 * Return whether the task was requested to end or to give way. Such a task is not stopped any more,
 * so that it can finish its work.
 */
static inline bool local_task_is_leaving(const struct local_task *task)
{
	return task->removal != REMOVAL_NONE ||
	       (task->leave.is_due && task->leave.how.retired_ns <= clock_monotonic_ns());
}

/*
 * Return whether the start was reported to the scheduler. Other starts are reported with the
 * commit.
 */
static inline bool local_task_is_reported(const struct local_task *task)
{
	return task->life != TASK_STARTING || task->shepherd.launches > 0;
}

/* Return a started task, or NULL. */
struct local_task *local_task_find(const struct local *local, uint32_t job_number, uint32_t id);
/* Return the index of the first task of a job, or of the next job. */
size_t local_task_first(const struct local *local, uint32_t job_number);
/* Create a task that is STARTING, SOUGHT or ENDED. Returns NULL if memory is exhausted. */
struct local_task *local_task_new(struct local *local, uint32_t job_number, uint32_t id, enum task_life life);
void local_task_forget(struct local *local, struct local_task *task);
void local_tasks_free(struct local_tasks *tasks);
/* Mark a task that has work to be done after the commit of this turn. */
void local_task_due(struct local *local, struct local_task *task);
/*
 * Set the usage to the maximum of the known and the passed values. Returns whether it has
 * increased.
 */
bool local_task_used(struct local_task *task, double cpu_s, double mem_gbs, double io_gb);
int local_task_save(struct local *local, const struct local_task *task, struct error *error);
/* Read a row of the store into memory. */
int local_task_read(struct local *local, const struct stored_task *stored, struct error *error);
/* Undo the turn, before the rows of the store are read again. */
void local_tasks_undo(struct local *local);
void local_task_directory(const struct local_task *task, char name[DIRECTORY_BYTES]);
uint32_t local_task_slots(const struct local_task *task);
const char *local_task_queue(const struct local_task *task);	/* instance of the master task */

#endif
