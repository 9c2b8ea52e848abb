/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a handle. Private to sched/host/.
 *
 *     host.c          calls, and the steps of a round
 *     tasks.c         tasks by number, by session, by group
 *     find.c          scan for processes, and the tasks to which they belong
 *     processes.c     read of one process; usage of ended processes
 *     usage.c         sums by task
 *     move.c          values written to the kernel
 *     groups.c        mechanism autogroup: levels of a task's sessions
 *     lever.c         choice of the mechanism      cgroup.c      directories of cgroup v2
 *     meter.c         choice of the meter
 *     exits.c         CPU time of ended processes  taskstats.c   the kernel's records of them
 *     signal.c        signals to tasks             capabilities.c
 *     ptf.c weights.c tickets as nice levels, and as weights
 *     proc.c ids.c    files below /proc, a hash table
 */
#ifndef SCHED_HOST_STATE_H
#define SCHED_HOST_STATE_H

#include <limits.h>

#include "sched/host/cgroup.h"
#include "sched/host/exits.h"
#include "sched/host/host.h"
#include "sched/host/ids.h"
#include "sched/host/proc.h"
#include "sched/host/ptf.h"

#define NO_TASK UINT32_MAX
#define NICE_UNKNOWN INT_MIN

struct process {
	pid_t pid, parent, group, session;
	uint32_t task;			/* row; NO_TASK: no task */
	uint64_t start;			/* 0: not read yet */
	uint64_t ticks, children_ticks, faults, children_faults;
	/* children_faults of its parent when the process was first seen */
	uint64_t parent_faults;
	uint64_t io_bytes, resident_bytes;
	/* children_ticks when records of ended threads began to count */
	uint64_t before_ticks;
	struct exits_sum exits;
	uint32_t threads;
	uint32_t due;			/* round in which the process is read again */
	uint32_t pause;			/* rounds between two reads */
	uint32_t looked;		/* round of the last read */
	/* CPU time before the last read; 0: read next time even if it has not run */
	uint64_t ran_ns;
	uint32_t listed;		/* last scan of /proc that found it */
	uint32_t heard;			/* host's `settling` when it was last read as an heir */
	uint32_t signalled;		/* host's `signals` of the last signal sent to it */
	int nice;			/* nice level at the last read, or as set since */
	/* intended nice level after it was set or refused; NICE_UNKNOWN */
	int nice_set;
	bool zombie;
	bool works;			/* active: had used CPU time at its last read */
	bool has_reaped;		/* has waited for a child since the round began */
	bool dead, settled;		/* ended; its usage has been accounted for */
	bool ended;			/* the record of its end has arrived */
	/* the record is ignored: its time is counted for its parent */
	bool passed_by;
};

struct host_session {		/* Session, with LEVER_AUTOGROUP. */
	pid_t session;
	uint32_t task;
	/* process through whose file the level is written; 0: the session is empty */
	pid_t member;
	int nice_wanted, nice_set;
	bool works;			/* a process of the session is active */
	/* the leader does not belong to the task: the session is not changed */
	bool shared;
	bool waits;			/* counted in `waiting` */
	bool contested;			/* the task has improved its level */
};

struct host_task {
	bool used;
	uint32_t job, number;
	pid_t session;
	uint64_t session_start;
	gid_t group;
	char *cgroup;			/* NULL: none */
	bool cgroup_made;		/* made by this process */
	struct host_setting setting;
	bool nice_known;		/* setting.nice is to be applied */
	unsigned weight_wanted;
	uint32_t sessions, placed;	/* used while the levels of sessions are computed */
	uint64_t changed_reported;		/* value of setting.changed that was reported */
	uint64_t next_report_ns;
	/* sums over live processes during a round */
	uint64_t ticks, io_bytes, resident_bytes;
	uint32_t processes;
	/* from processes whose parents did not wait for their end */
	uint64_t kept_ticks, kept_io_bytes;
	/* from records of ended threads: total, and of processes that are no longer known */
	uint64_t exits_ns, kept_exits_ns;
	struct host_usage usage;
};

struct host {
	enum lever lever, second;	/* for tasks with a cgroup, and for tasks without one */
	enum meter meter, second_meter;	/* for tasks with a cgroup, and for tasks without one */
	char reasons[LEVERS][200], meter_reasons[METERS][200];
	struct proc proc;
	struct cgroup cgroup;
	struct exits exits;

	struct host_task *tasks;
	size_t ntasks, tasks_room;	/* rows, including free ones */
	size_t first_free;		/* no row before it is free */
	/* number of tasks that are found by group or by cgroup */
	uint32_t with_group, with_cgroup;
	struct ids task_rows, session_rows, group_rows;
	struct ptf ptf;
	bool noted;			/* tickets have arrived since the last round */
	bool untranslated;			/* tickets have not been translated yet */

	struct process *processes;
	size_t nprocesses, processes_room;
	struct ids process_rows;
	uint32_t round, walk;
	pid_t walked;			/* last pid of this scan; 0: the scan begins */
	pid_t newest;			/* newest pid that the kernel has assigned; 0: not known */
	size_t cursor;			/* process with which reading continues */
	uint32_t unlooked;		/* processes not read yet */
	bool any_dead, any_reaped;
	uint32_t signals;		/* calls of host_task_signal() */
	/*
	 * Number of deaths until now. A process that was read under the same number has counted all
	 * of them.
	 */
	uint32_t settling;

	struct host_session *sessions;
	size_t nsessions, sessions_room;
	struct ids autogroup_rows;
	size_t session_cursor;		/* session with which the check of levels continues */
	unsigned waiting;
	/* remaining rounds in which contested levels are written repeatedly */
	unsigned guard_rounds;
	/* the kernel accepts any number of levels from this process */
	bool is_admin;
	uint64_t now_ns;		/* time of this round */
	long ticks_per_s;
};

/* tasks.c */

struct host_task *task_find(const struct host *host, uint32_t job, uint32_t number);
static inline uint32_t task_row(const struct host *host, const struct host_task *task)
{
	return (uint32_t)(task - host->tasks);
}
/* Return the task of a session or a group, or NO_TASK. */
uint32_t task_of_session(const struct host *host, pid_t session);
uint32_t task_of_group(const struct host *host, gid_t group);
int task_add(struct host *host, uint32_t job, uint32_t number, const struct host_where *where, struct host_task **task);
void task_remove(struct host *host, struct host_task *task);
/* Handle the end of a task's session, whose number is now used by the session of `leader`. */
void task_session_over(struct host *host, struct host_task *task, const struct process *leader);
void tasks_free(struct host *host);

/* processes.c */

/*
 * Return a process, which is added if it is new; NULL if memory is exhausted. Valid until the next
 * call.
 */
struct process *process_meet(struct host *host, pid_t pid);
struct process *process_find(const struct host *host, pid_t pid);
/* Read a process and find its task. The process may be dead afterwards. */
void process_look(struct host *host, struct process *process);
/*
 * Read a process unless it has not run since the last read, because then nothing can have changed.
 * Returns whether it was read.
 */
bool process_check(struct host *host, struct process *process);
/* Let the process be read in this round, whether or not it has run. */
void process_call(const struct host *host, struct process *process);
/* Assign a process without a task to the task of its parent. */
bool process_adopt(struct host *host, struct process *process);
void process_die(struct host *host, struct process *process);
/* Return whether the pid still belongs to this process. */
bool process_is_same(const struct host *host, const struct process *process);
/* Assign the usage of dead processes to their tasks, and remove them. */
void processes_settle(struct host *host);
void processes_remove_dead(struct host *host);
/* Remove a process from its task. */
void process_disown(const struct host *host, struct process *process);

/* find.c */

/* Return -errno if /proc cannot be read. */
int find_processes(struct host *host);
/* Find all processes of one task now. */
int find_task(struct host *host, struct host_task *task);

/* usage.c */

void usage_sum(struct host *host);

/* move.c */

/* Compute the value for each task. */
void levers_plan(struct host *host, uint64_t now_ns);
void levers_move(struct host *host);
/* Record the -errno of a write. A process that has ended is not an error. */
void lever_refused(struct host_task *task, int error);

/* groups.c */

void groups_move(struct host *host);
/* Write postponed and contested levels. */
void groups_retry(struct host *host);

/* lever.c */

/* Inspect the machine. Returns -EINVAL or -ENOTSUP like host_open(). */
int lever_choose(struct host *host, const struct host_options *options, struct error *error);

/* meter.c */

/* Choose the meter after the lever, whose cgroup it uses. */
void meter_choose(struct host *host, const struct host_options *options);
/* Replace the meter of tasks without a cgroup with /proc, after it has failed with -errno. */
void meter_fail(struct host *host, int error);

#endif
