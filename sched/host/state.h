/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a handle is made of. Private to sched/host/.
 *
 *     host.c          the calls, and a round from top to bottom
 *     tasks.c         tasks by number, by session, by group
 *     find.c          which processes there are, and whose
 *     processes.c     looking at one of them; what one that has ended leaves behind
 *     usage.c         sums by task
 *     move.c          levers: values to the kernel
 *     groups.c        the lever autogroup: levels of a task's sessions
 *     lever.c         which levers there are       cgroup.c   directories of cgroup v2
 *     meter.c         how CPU time is found
 *     exits.c         CPU time of those that have ended, by records of the kernel      taskstats.c   where these come from
 *     signal.c        signals to all of a task     capabilities.c
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
	uint32_t task;			/* row, NO_TASK: nobody's */
	uint64_t start;			/* 0: not looked at yet */
	uint64_t ticks, children_ticks, faults, children_faults;
	uint64_t parent_faults;		/* children_faults of its parent when it was first seen */
	uint64_t io_bytes, resident_bytes;
	uint64_t before_ticks;		/* children_ticks when records of ends began to count */
	struct exits_sum exits;
	uint32_t threads;
	uint32_t due;			/* the round in which it is looked at again */
	uint32_t pause;			/* rounds between two looks */
	uint32_t looked;		/* the round of its last look */
	/* CPU time before that look; 0: the next one is due whether it has run or not */
	uint64_t ran_ns;
	uint32_t listed;		/* the walk through /proc that met it last */
	uint32_t heard;			/* host's `settling` of its last look as an heir */
	uint32_t signalled;		/* host's `signals` of the last one it got */
	int nice;			/* as it was at the last look, or as we have set it since */
	/* what it is meant to have, once that was done or refused; NICE_UNKNOWN */
	int nice_set;
	bool zombie;
	bool works;			/* it had used CPU time at its last look */
	bool has_reaped;		/* it has waited for a child since the round began */
	bool dead, settled;		/* gone; its usage is accounted for */
	bool ended;			/* the record of its end has come */
	bool passed_by;			/* by that: its time is counted for its parent */
};

struct host_session {		/* with LEVER_AUTOGROUP */
	pid_t session;
	uint32_t task;
	/* a process in it, through whose file its level is written; 0: nobody is in it */
	pid_t member;
	int nice_wanted, nice_set;
	bool works;			/* somebody in it does */
	bool shared;			/* its leader is not the task's: it is left alone */
	bool waits;			/* counted in `waiting` */
	bool contested;			/* the task has made its level better */
};

struct host_task {
	bool used;
	uint32_t job, number;
	pid_t session;
	uint64_t session_start;
	gid_t group;
	char *cgroup;			/* NULL: none */
	bool cgroup_made;		/* by us */
	struct host_setting setting;
	bool nice_known;		/* setting.nice is to be in force */
	unsigned weight_wanted;
	uint32_t sessions, placed;	/* while levels of sessions are worked out */
	uint64_t changed_told;		/* of setting.changed */
	uint64_t next_told_ns;
	/* of what is alive, while a round sums up */
	uint64_t ticks, io_bytes, resident_bytes;
	uint32_t processes;
	/* of processes whose end their parents did not learn of */
	uint64_t kept_ticks, kept_io_bytes;
	/* by records of ends: in all; of processes that are not known any more */
	uint64_t exits_ns, kept_exits_ns;
	struct host_usage usage;
};

struct host {
	enum lever lever, second;	/* of tasks with a cgroup, and of those without */
	enum meter meter, second_meter;	/* of tasks with a cgroup, and of those without */
	char reasons[LEVERS][200], meter_reasons[METERS][200];
	struct proc proc;
	struct cgroup cgroup;
	struct exits exits;

	struct host_task *tasks;
	size_t ntasks, tasks_room;	/* rows, free ones included */
	size_t first_free;		/* no row before it is free */
	uint32_t with_group, with_cgroup;	/* tasks that are found so */
	struct ids task_rows, session_rows, group_rows;
	struct ptf ptf;
	bool noted;			/* tickets have come since the last round */
	bool told;			/* the translation has yet to be made of them */

	struct process *processes;
	size_t nprocesses, processes_room;
	struct ids process_rows;
	uint32_t round, walk;
	pid_t walked;			/* the last pid of this walk; 0: it begins */
	pid_t newest;			/* that the kernel has given out; 0: it does not say */
	size_t cursor;			/* the process with which looking goes on */
	uint32_t unlooked;		/* processes not looked at yet */
	bool any_dead, any_reaped;
	uint32_t signals;		/* calls of host_task_signal() */
	/* deaths up to now: who was looked at under the same number has spoken after all of them */
	uint32_t settling;

	struct host_session *sessions;
	size_t nsessions, sessions_room;
	struct ids autogroup_rows;
	size_t session_cursor;		/* the session with which looking at levels goes on */
	unsigned waiting;
	/* for so many rounds yet contested levels are written time and again */
	unsigned guard_rounds;
	bool is_admin;			/* the kernel takes as many levels from us as we like */
	uint64_t now_ns;		/* of this round */
	long ticks_per_s;
};

/* Tasks.c */

struct host_task *task_find(const struct host *host, uint32_t job, uint32_t number);
static inline uint32_t task_row(const struct host *host, const struct host_task *task)
{
	return (uint32_t)(task - host->tasks);
}
/* Whose a session or a group is; NO_TASK. */
uint32_t task_of_session(const struct host *host, pid_t session);
uint32_t task_of_group(const struct host *host, gid_t group);
int task_add(struct host *host, uint32_t job, uint32_t number, const struct host_where *where, struct host_task **task);
void task_remove(struct host *host, struct host_task *task);
/* Its session is over, this is the leader of another one with its number. */
void task_session_over(struct host *host, struct host_task *task, const struct process *leader);
void tasks_free(struct host *host);

/* Processes.c */

/* A process, new or known; NULL: no memory. Good until the next one. */
struct process *process_meet(struct host *host, pid_t pid);
struct process *process_find(const struct host *host, pid_t pid);
/* Reads what there is to know of it, and finds out whose it is. It may be dead afterwards. */
void process_look(struct host *host, struct process *process);
/*
 * No look if it has not run since the last one: nothing new could be seen. Whether there was one.
 */
bool process_check(struct host *host, struct process *process);
/* It is due now, for a look in any case. */
void process_call(const struct host *host, struct process *process);
/* Nobody's process, whose parent has turned out to be a task's, is that task's, too. */
bool process_adopt(struct host *host, struct process *process);
void process_die(struct host *host, struct process *process);
/* Does its number stand for it still? */
bool process_is_same(const struct host *host, const struct process *process);
/* What the dead leave behind goes to their tasks, the dead go. */
void processes_settle(struct host *host);
void processes_remove_dead(struct host *host);
/* It is nobody's any more. */
void process_disown(const struct host *host, struct process *process);

/* Find.c */

/* -errno: /proc can't be read. */
int find_processes(struct host *host);
/* Only those of one task, but all of them, now. */
int find_task(struct host *host, struct host_task *task);

/* Usage.c */

void usage_sum(struct host *host);

/* Move.c */

/* Which value each task is to have. */
void levers_plan(struct host *host, uint64_t now_ns);
void levers_move(struct host *host);
/* -errno of a write; that the process has gone is none. */
void lever_refused(struct host_task *task, int error);

/* Groups.c */

void groups_move(struct host *host);
/* What the kernel has put off, and what is contested. */
void groups_retry(struct host *host);

/* Lever.c */

/* Looks at the machine. -EINVAL, -ENOTSUP as host_open() */
int lever_choose(struct host *host, const struct host_options *options, struct error *error);

/* Meter.c */

/* After the lever, whose cgroup it uses. */
void meter_choose(struct host *host, const struct host_options *options);
/* The one for tasks without a cgroup has ceased to work, -errno: /proc takes over. */
void meter_fail(struct host *host, int error);

/* For arrays that grow */

/* Room for one more of n. -ENOMEM */
int array_grow(void **rows, size_t *room, size_t n, size_t row_bytes);

#endif
