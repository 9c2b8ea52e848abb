/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler and the shepherd of an attempt know of each other: files in the attempt's
 * directory.
 *
 *     config    what to start                    by the scheduler, before it starts fairlead-shepherd(8)
 *     script    of a job that is one             by the scheduler, before that
 *     lock      a write lock while it lives      by the shepherd, as its first deed; the kernel drops it however the shepherd ends
 *     begun     this attempt is decided          by the shepherd, just before the command's first instruction, or by a scheduler that
 *                                                declares the attempt void. Who makes it wins: it is made once, complete, and never changed
 *     vacate    that the task is to give way     by the scheduler, and in its place one that comes
 *                                                sooner; then SIGUSR1 to the shepherd
 *     limit     the limit that it has reached    by the scheduler, before it sends the signal for that; the last one counts
 *     tmpdir    what lies elsewhere              by the shepherd; gone once that is
 *     exit      how it ended                     by the shepherd, as its last deed
 *
 * What a scheduler that comes back finds, and what it means:
 *
 *     exited                          it has ended, and `exit` says how; lock_held does not matter
 *     BY_SHEPHERD, lock_held          it runs
 *     BY_SHEPHERD, not lock_held      the shepherd was killed, or the machine has gone down: nobody
 *                                     will write `exit`. The command's processes may live on
 *                                     (leader.pid, if its start time is still the same)
 *     NOT_BEGUN                       attempt_void(): 0, it will never begin; -EEXIST, a shepherd
 *                                     was first, so look again
 *     VOID                            it has never begun and never will
 *
 * That table is for one boot of the machine. After another one there is no shepherd any more, and a
 * disk may have kept of the files what it liked; of them `exit` alone is waited for, its content
 * before it has its name and its name before the shepherd ends. So what has ended stays ended, and
 * all else counts as begun and lost, whatever is found of `begun`. What is acknowledged to users,
 * and which tasks are to start and have ended, stands in the scheduler's store, and is on disk
 * there before anybody acts on it.
 *
 * The files are trusted only if they belong to us or root and nobody else may write them. All calls
 * are of the scheduler's user.
 */
#ifndef SHEPHERD_RECORD_H
#define SHEPHERD_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

#define ATTEMPT_TEXT_BYTES 512
#define ATTEMPT_LIMIT_BYTES 320
#define ATTEMPT_SCRIPT "script"
/* of `config`; a request has at most 1 MiB, and JSON may need escapes */
#define ATTEMPT_CONFIG_BYTES (4u << 20)

enum attempt_begun { ATTEMPT_NOT_BEGUN, ATTEMPT_BY_SHEPHERD, ATTEMPT_VOID };

/* Why a command did not come to run: numbers of Grid Engine's accounting(5). */
enum attempt_failed {
	/* it ran. A command that a signal has ended did run: see `signal` */
	FAILED_NOT = 0,
	FAILED_CONFIG = 5,		/* the attempt's `config` can't be used */
	/* no such user, no right to be that user, limits, cgroup, no process */
	FAILED_BEFORE_JOB = 11,
	FAILED_OPEN_OUTPUT = 26,	/* opening standard input, output or error output */
	/* the command was not found or can't be executed; exit_status is 127 or 126 */
	FAILED_NO_COMMAND = 27,
	FAILED_NO_CWD = 28,		/* changing to the working directory */
	FAILED_LIMIT = 37,		/* it ran, and was killed since it had reached h_rt or h_cpu */
	FAILED_GROUPS = 38,		/* setting the groups */
	/* no shepherd writes these */
	FAILED_LOST = 19,		/* the shepherd, or the machine, is gone without a word */
	FAILED_RESCHEDULED = 25,	/* the same, and it may run again */
	FAILED_AFTER_JOB = 100,		/* it ran, and a signal has ended it */
};

struct attempt_process {
	pid_t pid;			/* 0: not known, or there was none */
	/*
	 * clock ticks after boot, field 22 of /proc/PID/stat: no later process with this pid has it
	 */
	uint64_t start;
};

/*
 * Of all processes of the task that were waited for; with a cgroup, `cpu_s` is that of the cgroup.
 * `mem` is 0: the shepherd does not sample. `maxvmem_bytes` is the largest resident size of a
 * single process, or the cgroup's peak: both are lower bounds of what a sampler sees.
 */
struct attempt_usage {
	double ru_wallclock, ru_utime, ru_stime;	/* s */
	/* KiB; all but the first are 0 on Linux */
	double ru_maxrss, ru_ixrss, ru_ismrss, ru_idrss, ru_isrss;
	double ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw,
		ru_nivcsw;
	double cpu_s, mem_gbs, io_gb;	/* io: characters read and written, 2^30 */
	double maxvmem_bytes;
};

/* Whether the task was made to give way, and how far that had to go. */
enum attempt_vacated {
	ATTEMPT_NOT_VACATED,		/* its end was its own */
	ATTEMPT_VACATED_SOFT,		/* it had its signal, and left */
	ATTEMPT_VACATED_HARD,		/* it was killed */
};

struct attempt_exit {
	int wait_status;		/* of the command's first process, as waitpid(2) has it */
	int exit_status;		/* 0..255; 128 + signal if one has ended it */
	int signal;			/* 0: none */
	bool core;
	enum attempt_failed failed;
	/* one line for people: why it failed, which limit has ended it, what was left over; "" */
	char text[ATTEMPT_TEXT_BYTES];
	double start_time, end_time;	/* s since 1970; end_time >= start_time */
	enum attempt_vacated vacated;
	double signalled;		/* when, as the others; 0: ATTEMPT_NOT_VACATED */
	struct attempt_usage usage;
};

struct attempt {
	enum attempt_begun begun;
	bool lock_held;
	bool exited;
	/* BY_SHEPHERD; leader.pid is 0 if it failed before there was one */
	struct attempt_process shepherd, leader;
	struct attempt_exit exit;	/* exited */
};

/*
 * Looks at the attempt in the directory `dirfd`. The files are read in such an order that the table
 * above holds while the shepherd goes on.
 *   0
 *   -EUCLEAN     `begun` or `exit` is damaged or somebody else's. `a` holds all the same: a `begun`
 *                that can't be read counts as BY_SHEPHERD with pids 0, since the command may have
 *                run; an `exit` that can't be read as none
 *   -EACCES, -EIO, -EMFILE, -ENOMEM, ...   one of them could not be read now; `a` is of no use
 */
int attempt_look(int dirfd, struct attempt *attempt, struct error *error);

/*
 * Decides that the attempt never begins. 0; -EEXIST: that was decided already, by a shepherd or as
 * void; -ENOSPC, -EROFS, -ENOENT, ...
 */
int attempt_void(int dirfd, struct error *error);

/*
 * Writes `config` (borrowed; an object as fairlead-shepherd(8) describes it) for the shepherd that
 * will be started next, mode 0600: environments hold secrets. Complete or not there; not forced to
 * disk, since it is of no use after a reboot.
 *   -EFBIG       longer than a shepherd would read
 *   -ENOSPC, -EDQUOT, -EROFS, -ENOMEM, ...
 */
int attempt_config_write(int dirfd, json_t *config, struct error *error);

/*
 * Write the script of the job. User `uid` may read and run it; other users may not, except those of
 * his group `gid` on a file system without access control lists. Nobody may change it: a larger one
 * could fill the disk of the store. It is not forced to disk.
 *   -ENOSPC, -EDQUOT, -EROFS, -EPERM, ...
 */
int attempt_script_write(int dirfd, const char *text, uid_t uid, gid_t gid, struct error *error);

/*
 * How a task gives way. Times are of CLOCK_MONOTONIC, which has no meaning after another boot. The
 * shepherd acts on it: the signal and the end come in time even if no scheduler is there, and each
 * of them once, however often schedulers say so.
 */
#define VACATION_NEVER_NS UINT64_MAX
#define VACATION_MOST_NS (UINT64_C(1) << 62)

struct attempt_vacation {
	/* its retirement is over then, and it gets its signal; VACATION_NEVER_NS: it may go on */
	uint64_t retired_ns;
	uint64_t vacate_ns;		/* how long from its signal to SIGKILL */
	int signal;			/* to all of the task; SIGKILL: no time is left to it */
};

/* -ENOENT: it has not to; -EUCLEAN: damaged, or somebody else's; -EIO, -EMFILE, -ENOMEM, ... */
int attempt_vacation_read(int dirfd, struct attempt_vacation *vacation, struct error *error);
/* Complete, in the place of what was there. -ENOSPC, -EDQUOT, -EROFS, -ENOENT, -ENOMEM, ... */
int attempt_vacation_write(int dirfd, const struct attempt_vacation *vacation, struct error *error);

/* A limit that the scheduler watches, and that the task has reached. */
struct attempt_limit {
	char text[ATTEMPT_LIMIT_BYTES];	/* "h_rt=600" */
	bool kills;			/* its end is SIGKILL; false: SIGUSR1 is all that it gets */
};

/* -ENOENT: it has reached none; -EUCLEAN: damaged, or somebody else's; -EIO, -EMFILE, -ENOMEM, ... */
int attempt_limit_read(int dirfd, struct attempt_limit *limit, struct error *error);
/* Complete, in the place of what was there. -ENOSPC, -EDQUOT, -EROFS, -ENOENT, -ENOMEM, ... */
int attempt_limit_write(int dirfd, const struct attempt_limit *limit, struct error *error);

/* Removes all that the two write. The directory itself is left. */
void attempt_sweep(int dirfd);
/* Whether there is more to remove than that: a directory for temporary files. */
bool attempt_is_untidy(int dirfd);

/*
 * Clock ticks after boot at which a process was started, 0: there is none. For struct
 * attempt_process.
 */
uint64_t attempt_process_start(pid_t pid);

#endif
