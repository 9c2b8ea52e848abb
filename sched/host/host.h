/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steering one host: which processes are of which task, what they have used, and how much of the
 * machine they get.
 *
 *     host_open(&h, &options, &error)		looks at the machine once and chooses the lever
 *     host_task_add(h, job, task, &where)	a task is here; `where` says how its processes are found
 *     host_tickets(h, job, task, tickets)	noted; takes effect in the next round
 *     host_round(h, now_ns)			one look at /proc, usage, levers; once a second or so
 *     host_task_usage(h, job, task, &usage)	as of the last round
 *     host_task_signal(h, job, task, SIGKILL)	all its processes
 *     host_task_remove(h, job, task, &usage)	what it has used in the end
 *     host_close(h)
 *
 * All calls of a handle come from one thread; none of them waits. A task that is no array's has the
 * task number 0.
 *
 * The levers, best first; what the machine permits is found out by host_open():
 *
 *     LEVER_CGROUP	cpu.weight of the task's own cgroup (v2), in proportion to its tickets: 100 for the mean of all, 1 to 10000
 *     LEVER_AUTOGROUP	the nice level of the kernel's group for each session of the task, in proportion to its tickets: 1.25 to a level.
 * 			Sessions that work share the task's weight. Users may write the levels of their own: they are looked at and put back
 *     LEVER_NICE	the nice level of each of its processes. Where autogroups are on, that counts within a session only
 *     LEVER_NONE	nothing; processes are found and their usage is measured all the same
 *
 * Nice levels of processes are Grid Engine's translation of tickets, see sched/host/ptf.h. A task
 * without a cgroup of its own is steered by the next lever that is permitted, whatever that of the
 * host is. Values that have not changed are not written again.
 */
#ifndef SCHED_HOST_HOST_H
#define SCHED_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

enum lever { LEVER_AUTO, LEVER_CGROUP, LEVER_AUTOGROUP, LEVER_NICE, LEVER_NONE };
#define LEVERS (LEVER_NONE + 1)

#define HOST_PRIORITY_UNSET (-999)

struct host_options {
	enum lever force;		/* LEVER_AUTO: choose */
	/* the weakest nice level; HOST_PRIORITY_UNSET: 20, of which the kernel makes 19 */
	int ptf_min_priority;
	int ptf_max_priority;		/* the best one; HOST_PRIORITY_UNSET: 0 */
	/* directory of cgroup v2 that is ours to divide; NULL: the one that this process is in */
	const char *cgroup_root;
	const char *proc;		/* where processes are found; NULL: /proc */
	/* there will be tasks without a cgroup of ours: METER_TASKSTATS is tried for them */
	bool others;
};

/* Zero for nearly all is right, but not for priorities. */
#define HOST_OPTIONS { .ptf_min_priority = HOST_PRIORITY_UNSET, .ptf_max_priority = HOST_PRIORITY_UNSET }

/*
 * What is known of a task. A process is the task's if any of these finds it, or if its parent was
 * the task's when it was seen first.
 */
struct host_where {
	const char *cgroup;		/* directory; NULL: none. Not kept */
	pid_t session;			/* the pid of its leader; 0: none */
	/*
	 * when the leader was started, clock ticks since boot as in /proc/PID/stat; 0: not known.
	 * It keeps a session of the same number, that has come since, from being taken for the
	 * task's
	 */
	uint64_t session_start;
	/* additional group id that no other task here has; 0: none */
	gid_t group;
};

struct host_usage {
	/* of all processes there ever were, as far as they were seen */
	double cpu_s;
	/* memory times CPU time, as Grid Engine integrates it; GB are 2^30 bytes */
	double mem_gbs;
	double io_gb;			/* read and written */
	/* resident now, and the most there was at the end of a round */
	uint64_t vmem_bytes;
	uint64_t maxvmem_bytes;
	uint32_t processes;		/* now; zombies don't count */
};

/* What the lever was moved to for a task. */
struct host_setting {
	enum lever lever;		/* of this task */
	double tickets;
	int nice;			/* of its processes, with LEVER_AUTOGROUP and LEVER_NICE */
	/* of its sessions, with LEVER_AUTOGROUP: if more than one works they share its weight */
	int group_nice;
	uint32_t sessions;		/* of it that work */
	/* how often a session's level was better than we had set it, and was put back */
	uint64_t changed;
	unsigned weight;		/* with LEVER_CGROUP, 1..10000 */
	/* why the kernel has refused the last write, -errno; 0: it has not */
	int error;
};

struct host;

/*
 * Looks which levers there are. It may make directories below the cgroup that is ours, and move
 * this process into one of them, since cgroup v2 allows processes in leaves only.
 *   -ENOTSUP	options->force requests a lever that can't be moved here; *error says why
 *   -EINVAL	a directory in `options` is none, or no /proc
 *   -ENOMEM
 */
int host_open(struct host **host, const struct host_options *options, struct error *error);
/*
 * Tasks go on. Undoes what host_open() has done to cgroups; where some of a task is left it stays,
 * but unweighed if this process had to make way, since nobody could be started in its cgroup
 * otherwise. NULL: nothing.
 */
void host_close(struct host *host);

/*
 * The lever that was chosen. *reason, if reason is not NULL: a clause in words, as long as the
 * handle lives.
 */
enum lever host_lever(const struct host *host, const char **reason);
/* Why this one was or was not chosen. */
const char *host_lever_reason(const struct host *host, enum lever lever);
/*
 * How the CPU time of tasks is found, best first; chosen by looking, like the levers:
 *
 *     METER_CGROUP	the task's own cgroup (v2) says it, to the microsecond: also of those whom nobody has seen or waited for
 *     METER_TASKSTATS	the kernel reports what each process has used when it ends, whoever waits for it, and /proc says it of those that live. An end is
 * 			counted for the task that the process was found to be of, else for its parent's. It needs CAP_NET_ADMIN while the handle is opened,
 * 			and Linux 5.19. Only with options->others
 *     METER_PROC	/proc says it of processes that are seen in a round, and their parents of those that they have waited for. What a
 * 			process has used since its last look is lost if its parent ignores SIGCHLD, or has ended
 *
 * A task without a cgroup of its own is counted by one of the others.
 */
enum meter { METER_CGROUP, METER_TASKSTATS, METER_PROC };
#define METERS (METER_PROC + 1)

/*
 * The meter that was chosen. *reason, if reason is not NULL: a clause in words, as long as the
 * handle lives.
 */
enum meter host_meter(const struct host *host, const char **reason);
/* That of tasks without a cgroup. */
enum meter host_second_meter(const struct host *host);
const char *host_meter_reason(const struct host *host, enum meter meter);
/* "cgroup", "taskstats", "proc". */
const char *meter_name(enum meter meter);

/* What a job can do about it: whom the lever trusts. A sentence. */
const char *lever_trust(enum lever lever);
/* "cgroup", "autogroup", "nice", "none", "auto". */
const char *lever_name(enum lever lever);
/* From such a name; -EINVAL. */
int lever_parse(enum lever *lever, const char *name);

/*
 * A cgroup of its own for a task about to start. Whoever starts it writes its pid into the
 * directory's cgroup.procs.
 *   -ENOTSUP	there is no cgroup v2 that we may divide, whether tasks are weighed in it or counted only
 *   -EEXIST	there is one of that name, and processes in it
 *   -ENAMETOOLONG, or what mkdir(2) failed with
 */
int host_cgroup_make(struct host *host, uint32_t job, uint32_t task, char *path, size_t size);

/*
 * From now on the task is looked for. It has one ticket until host_tickets() says otherwise.
 *   -EEXIST	it is here already
 *   -EINVAL	nothing is known of it, or its session is not a task's (1 or less)
 *   -ENOENT	there is no such cgroup
 *   -ENOMEM
 */
int host_task_add(struct host *host, uint32_t job, uint32_t task, const struct host_where *where);
/*
 * Tickets as the scheduler has ordered them; below 0 and not a number are 0. What was noted since
 * the last round is to Grid Engine's translation what came in one message. -ENOENT: no such task.
 */
int host_tickets(struct host *host, uint32_t job, uint32_t task, double tickets);

/*
 * Finds processes, adds up usage, moves levers. `now_ns` is monotonic. Nice levels are worked out
 * at most every two seconds. Of very many processes not each is looked at in each round; those that
 * work are looked at more often. What is known of one that has not run is not read again: the
 * memory reported of it may be 128 rounds old.
 *   -errno	/proc can't be read: nothing was done
 * What a lever refuses for a single task host_task_setting() says.
 */
int host_round(struct host *host, uint64_t now_ns);
/*
 * Between rounds, if they are seconds apart: takes the records of METER_TASKSTATS, before the
 * kernel has no room left for more.
 */
void host_listen(struct host *host);

struct host_lost {
	/*
	 * of processes that have ended, for which the kernel had no room: /proc counts these, as
	 * with METER_PROC
	 */
	uint64_t records;
	/* of processes that have ended, whose parent was never met */
	double cpu_s;
};

/* What METER_TASKSTATS has missed, in all. */
void host_lost(const struct host *host, struct host_lost *lost);

/*
 * Values that the kernel has put off in this round: without CAP_SYS_ADMIN it takes a write to an
 * autogroup every 100 ms only. The next rounds go on with them; whoever can't wait calls
 * host_retry() after 100 ms, which is cheap.
 */
unsigned host_waiting(const struct host *host);
void host_retry(struct host *host);
/*
 * When host_retry() is to be called, in ms; 0: there is no need. Besides values put off there are
 * those that a task changes back: the 100 ms are counted for the whole machine, so as long as we
 * write more often nobody without CAP_SYS_ADMIN can write at all.
 */
unsigned host_retry_ms(const struct host *host);

struct host_offence {
	uint32_t job, task;
	uint64_t times;			/* since the last one that was reported of this task */
};

/*
 * A task that has made levels of its own better, to be reported; of each at most once a minute.
 * false: no more.
 */
bool host_offence(struct host *host, struct host_offence *offence);

/* -ENOENT: no such task. Usage never decreases, vmem_bytes and processes apart. */
int host_task_usage(const struct host *host, uint32_t job, uint32_t task, struct host_usage *usage);
int host_task_setting(const struct host *host, uint32_t job, uint32_t task, struct host_setting *setting);

/*
 * To all its processes, as they are found now; none that has taken over the number of one of them
 * gets it. With SIGKILL and SIGSTOP also to those that are forked meanwhile.
 *   0		each one has got it
 *   -ENOENT	no such task
 *   -ESRCH	it has no processes
 *   -EPERM	some may not be signalled by us; the others were
 *   -EAGAIN	SIGKILL, SIGSTOP: they fork faster than we look; to be called again
 *   -ENOTSUP	options->proc is not the kernel's
 */
int host_task_signal(struct host *host, uint32_t job, uint32_t task, int sig);

/*
 * Looks a last time at what the task has used; `usage` may be NULL. Processes that are left are not
 * touched. A cgroup made by host_cgroup_make() is removed if it is empty. -ENOENT: no such task.
 */
int host_task_remove(struct host *host, uint32_t job, uint32_t task, struct host_usage *usage);

/*
 * Gives up all privileges but those that a host's steering needs: CAP_SYS_NICE to set nice levels,
 * CAP_KILL to signal, CAP_SYS_PTRACE to see what other users' processes read and write; with
 * LEVER_AUTOGROUP also CAP_DAC_OVERRIDE, since the file of an autogroup belongs to the user who
 * runs in it. What of these is not there is not added. The program can't get any back, nor can
 * those that it executes inherit them.
 *   -errno	*error says what was refused
 */
int host_keep_capabilities(enum lever lever, struct error *error);

#endif
