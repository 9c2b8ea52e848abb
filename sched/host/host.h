/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control of one host: which processes belong to which task, their usage, and their share of the
 * CPUs.
 *
 *     host_open(&host, &options, &error)         inspect the machine and choose a mechanism
 *     host_task_add(host, job, task, &where)     add a task; `where` identifies its processes
 *     host_tickets(host, job, task, tickets)     set tickets, applied in the next round
 *     host_round(host, now_ns)                   scan /proc, sum usage, apply shares; about once
 *                                                a second
 *     host_task_usage(host, job, task, &usage)   usage as of the last round
 *     host_task_signal(host, job, task, SIGKILL) signal all processes of the task
 *     host_task_remove(host, job, task, &usage)  remove a task and return its final usage
 *     host_close(host)
 *
 * All calls of a handle are made by one thread, and none of them waits. A task of a job that is not
 * an array has task number 0.
 *
 * A lever is a CPU control mechanism. The mechanisms, best first; host_open() finds out which ones
 * the machine permits:
 *
 *     LEVER_CGROUP     cpu.weight of the task's own cgroup (v2), proportional to its tickets: 100 for
 *                      the mean of all tasks, 1 to 10000
 *     LEVER_AUTOGROUP  nice level of the kernel's autogroup of each session of the task, proportional
 *                      to its tickets: factor 1.25 per level. Active sessions share the task's
 *                      weight. Users may change the levels of their sessions, so the levels are
 *                      checked and restored
 *     LEVER_NICE       nice level of each process of the task. If autogroups are enabled, it has an
 *                      effect only within a session
 *     LEVER_NONE       no control; processes are found and their usage is measured
 *
 * Nice levels of processes are Grid Engine's translation of tickets; see sched/host/ptf.h. A task
 * without a cgroup of its own uses the next permitted mechanism, regardless of the host's.
 * Unchanged values are not written again.
 */
#ifndef SCHED_HOST_HOST_H
#define SCHED_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

enum lever { LEVER_AUTO, LEVER_CGROUP, LEVER_AUTOGROUP, LEVER_NICE, LEVER_NONE };
#define LEVERS (LEVER_NONE + 1)

#define HOST_PRIORITY_UNSET (-999)

struct host_options {
	enum lever force;		/* LEVER_AUTO: choose */
	/* weakest nice level; HOST_PRIORITY_UNSET: 20, which the kernel treats as 19 */
	int ptf_min_priority;
	int ptf_max_priority;		/* best nice level; HOST_PRIORITY_UNSET: 0 */
	/* directory of cgroup v2 that may be divided; NULL: the one that contains this process */
	const char *cgroup_root;
	const char *proc;		/* directory of processes; NULL: /proc */
	/* try METER_TASKSTATS: there will be tasks without a cgroup made here */
	bool others;
};

/* Defaults. Members may be zero, except for the priorities. */
#define HOST_OPTIONS { .ptf_min_priority = HOST_PRIORITY_UNSET, .ptf_max_priority = HOST_PRIORITY_UNSET }

/*
 * Identification of the processes of a task. A process belongs to the task if one of these matches,
 * or if its parent belonged to the task when the process was first seen.
 */
struct host_where {
	const char *cgroup;		/* directory; NULL: none. Not kept */
	pid_t session;			/* pid of the session leader; 0: none */
	/*
	 * Start time of the leader, clock ticks since boot as in /proc/PID/stat; 0: not known. It
	 * prevents a later session with the same number from being mistaken for the task's.
	 */
	uint64_t session_start;
	/* additional group id that is unique to the task; 0: none */
	gid_t group;
};

struct host_usage {
	/* CPU time of all processes that were seen, including ended ones */
	double cpu_s;
	/* memory times CPU time, integrated as by Grid Engine; a GB is 2^30 bytes */
	double mem_gbs;
	double io_gb;			/* read and written */
	/* resident size now, and its maximum at the end of a round */
	uint64_t vmem_bytes;
	uint64_t maxvmem_bytes;
	uint32_t processes;		/* current number without zombies */
};

/* Settings that were applied to a task. */
struct host_setting {
	enum lever lever;		/* mechanism of this task */
	double tickets;
	/* nice level of its processes, with LEVER_AUTOGROUP and LEVER_NICE */
	int nice;
	/*
	 * nice level of its sessions, with LEVER_AUTOGROUP; several active sessions share its
	 * weight
	 */
	int group_nice;
	uint32_t sessions;		/* active sessions */
	/* number of times that a session's level was better than set and was restored */
	uint64_t changed;
	unsigned weight;		/* with LEVER_CGROUP, 1..10000 */
	/* -errno of the last refused write; 0: not refused */
	int error;
};

struct host;

/*
 * Inspect the available mechanisms. This may make directories below the cgroup to be divided and
 * move this process into one of them, because cgroup v2 allows processes only in leaves.
 *   -ENOTSUP	options->force is a mechanism that is not available; *error has the reason
 *   -EINVAL	a path in `options` is not a directory of the expected kind
 *   -ENOMEM
 */
int host_open(struct host **host, const struct host_options *options, struct error *error);
/*
 * Close the handle. Tasks continue. Changes of host_open() to cgroups are undone, except for
 * directories of remaining tasks. If this process had moved, they are no longer weighted, because
 * otherwise no process could be started in its cgroup. NULL is allowed.
 */
void host_close(struct host *host);

/*
 * Return the chosen mechanism. *reason, if reason is not NULL, is a clause that is valid as long as
 * the handle.
 */
enum lever host_lever(const struct host *host, const char **reason);
/* Return why this mechanism was or was not chosen. */
const char *host_lever_reason(const struct host *host, enum lever lever);
/*
 * Methods of finding the CPU time of tasks, best first. host_open() finds out which ones the
 * machine permits.
 *
 *     METER_CGROUP     the task's own cgroup (v2) counts microseconds, including processes that were
 *                      never seen or waited for
 *     METER_TASKSTATS  the kernel reports the usage of each process when it ends, regardless of which
 *                      process waits for it; /proc has the usage of live processes. An ended process
 *                      is counted for its task if that was known, otherwise for its parent's. Needs
 *                      CAP_NET_ADMIN while the handle is opened, and Linux 5.19. Only with
 *                      options->others
 *     METER_PROC       /proc has the usage of processes that are seen in a round, and of children for
 *                      which they have waited. Usage since the last read of a process is lost if its
 *                      parent ignores SIGCHLD or has ended
 *
 * A task without a cgroup of its own uses one of the other methods.
 */
enum meter { METER_CGROUP, METER_TASKSTATS, METER_PROC };
#define METERS (METER_PROC + 1)

/*
 * Return the chosen meter. *reason, if reason is not NULL, is a clause that is valid as long as the
 * handle.
 */
enum meter host_meter(const struct host *host, const char **reason);
/* Return the meter of tasks without a cgroup. */
enum meter host_second_meter(const struct host *host);
const char *host_meter_reason(const struct host *host, enum meter meter);
/* Return "cgroup", "taskstats" or "proc". */
const char *meter_name(enum meter meter);

/* Return a sentence about how far jobs must be trusted with this mechanism. */
const char *lever_trust(enum lever lever);
/* Return "cgroup", "autogroup", "nice", "none" or "auto". */
const char *lever_name(enum lever lever);
/* Parse such a name. Returns 0 or -EINVAL. */
int lever_parse(enum lever *lever, const char *name);

/*
 * Make a cgroup for a task that is about to start. The starting process writes its pid into the
 * directory's cgroup.procs.
 *   -ENOTSUP	there is no cgroup v2 that may be divided, with or without weights
 *   -EEXIST	a cgroup of that name exists and contains processes
 *   -ENAMETOOLONG, or an error of mkdir(2)
 */
int host_cgroup_make(struct host *host, uint32_t job, uint32_t task, char *path, size_t size);

/*
 * Add a task, whose processes are searched from now on. It has one ticket until host_tickets() sets
 * another value.
 *   -EEXIST	the task was already added
 *   -EINVAL	`where` is empty, or its session is not valid (1 or less)
 *   -ENOENT	the cgroup does not exist
 *   -ENOMEM
 */
int host_task_add(struct host *host, uint32_t job, uint32_t task, const struct host_where *where);
/*
 * Set the tickets that the scheduler has ordered. Values below 0 and NaN are 0. For Grid Engine's
 * translation, all tickets set between two rounds arrived in one message. Returns -ENOENT if the
 * task is unknown.
 */
int host_tickets(struct host *host, uint32_t job, uint32_t task, double tickets);

/*
 * Find processes, sum up usage, and apply shares. `now_ns` is monotonic. Nice levels are computed
 * at most every two seconds.
 *
 * If there are very many processes, a round reads only some of them, active ones more often. A
 * process that has not run is not read again, so its reported memory may be 128 rounds old. Returns
 * -errno if /proc cannot be read; then nothing was done. host_task_setting() returns errors of a
 * single task.
 */
int host_round(struct host *host, uint64_t now_ns);
/*
 * Read the records of METER_TASKSTATS before the kernel's buffer is full. Call between rounds if
 * they are seconds apart.
 */
void host_listen(struct host *host);

struct host_lost {
	/*
	 * Records of ended processes for which the kernel had no space. /proc counts these
	 * processes, as with METER_PROC.
	 */
	uint64_t records;
	/* time of ended processes whose parent was never found */
	double cpu_s;
};

/* Return the total losses of METER_TASKSTATS. */
void host_lost(const struct host *host, struct host_lost *lost);

/*
 * Return the number of values that the kernel has postponed in this round. Without CAP_SYS_ADMIN
 * the kernel accepts a write to an autogroup only every 100 ms. The next rounds continue. For
 * earlier writes call host_retry() after 100 ms, which is cheap.
 */
unsigned host_waiting(const struct host *host);
void host_retry(struct host *host);
/*
 * Return the milliseconds until host_retry() should be called; 0: not needed. This includes values
 * that a task changes back. The kernel counts the 100 ms for the whole machine. If this process
 * writes more often, no process without CAP_SYS_ADMIN can write at all.
 */
unsigned host_retry_ms(const struct host *host);

struct host_offence {
	uint32_t job, task;
	uint64_t times;			/* number since the last report about this task */
};

/*
 * Get a task that has improved its own levels, to be reported at most once a minute. Returns false
 * if there is none.
 */
bool host_offence(struct host *host, struct host_offence *offence);

/*
 * Return -ENOENT if the task is unknown. Usage never decreases, except for vmem_bytes and
 * processes.
 */
int host_task_usage(const struct host *host, uint32_t job, uint32_t task, struct host_usage *usage);
int host_task_setting(const struct host *host, uint32_t job, uint32_t task, struct host_setting *setting);

/*
 * Send a signal to all current processes of the task. A process that has reused the number of
 * another one never gets it. SIGKILL and SIGSTOP are also sent to processes that are forked in the
 * meantime.
 *   0		all processes got the signal
 *   -ENOENT	the task is unknown
 *   -ESRCH	the task has no processes
 *   -EPERM	some processes may not be signalled by us; the others were
 *   -EAGAIN	SIGKILL, SIGSTOP: processes fork too fast; call again
 *   -ENOTSUP	options->proc is not the kernel's
 */
int host_task_signal(struct host *host, uint32_t job, uint32_t task, int sig);

/*
 * Read the usage of a task a last time and remove the task. `usage` may be NULL. Remaining
 * processes are not changed. An empty cgroup of host_cgroup_make() is removed. Returns -ENOENT if
 * the task is unknown.
 */
int host_task_remove(struct host *host, uint32_t job, uint32_t task, struct host_usage *usage);

/*
 * Drop all capabilities that are not needed to control a host. Kept are CAP_SYS_NICE to set nice
 * levels, CAP_KILL to signal, and CAP_SYS_PTRACE to read other users' I/O counters. LEVER_AUTOGROUP
 * also keeps CAP_DAC_OVERRIDE, because the file of an autogroup belongs to the user who runs in it.
 * Missing capabilities are not added. The program cannot regain dropped ones, and programs that it
 * executes do not inherit any. Returns -errno with the refused step in *error.
 */
int host_keep_capabilities(enum lever lever, struct error *error);

#endif
