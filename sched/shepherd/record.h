/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in the directory of an attempt, by which the scheduler and the shepherd communicate. An
 * attempt is one execution of a task; a task that is run again gets another attempt.
 *
 *     config    command to start                 written by the scheduler before it starts
 *                                                fairlead-shepherd(8)
 *     script    script of the job, if any        written by the scheduler before `config`
 *     lock      write lock of a live shepherd    made by the shepherd first; the kernel releases it
 *                                                however the shepherd ends
 *     begun     decision about the attempt       made by the shepherd just before the command's first
 *                                                instruction, or by a scheduler that declares the
 *                                                attempt void. The first one wins: the file is made
 *                                                once, complete, and never changed
 *     vacate    request to give way              written by the scheduler, and replaced if the task
 *                                                must give way sooner; then SIGUSR1 to the shepherd
 *     limit     limit that was reached           written by the scheduler before it sends the signal;
 *                                                the last one counts
 *     tmpdir    temporary directory elsewhere    written by the shepherd; removed with the directory
 *     exit      end of the attempt               written by the shepherd last
 *
 * After a restart the scheduler finds one of these states:
 *
 *     exited                          the attempt has ended; `exit` has the result and lock_held
 *                                     does not matter
 *     BY_SHEPHERD, lock_held          the attempt is running
 *     BY_SHEPHERD, not lock_held      the shepherd was killed or the machine went down. `exit` will
 *                                     not be written. The command's processes may still exist
 *                                     (leader.pid, if its start time is unchanged)
 *     NOT_BEGUN                       call attempt_void(). 0: it will never begin. -EEXIST: a
 *                                     shepherd was first, so read the state again
 *     VOID                            it has not begun and never will
 *
 * The table is valid within one boot of the machine. After a reboot there is no shepherd, and the
 * disk may have kept any of the files. Only `exit` is synchronized: its content before it has its
 * name, and its name before the shepherd ends. An attempt that has ended therefore stays ended.
 * Every other attempt counts as begun and lost, regardless of `begun`. The scheduler's store has
 * what users were promised and which tasks are to start or have ended. It is on disk before any
 * process acts on it.
 *
 * The files are trusted only if they belong to root or our user and other users cannot write them.
 * All calls are made by the scheduler's user.
 */
#ifndef SHEPHERD_RECORD_H
#define SHEPHERD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define ATTEMPT_TEXT_BYTES 512
#define ATTEMPT_LIMIT_BYTES 320
#define ATTEMPT_SCRIPT "script"
/* Limit of `config`. A request has at most 1 MiB, and JSON may need escapes. */
#define ATTEMPT_CONFIG_BYTES (4u << 20)

enum attempt_begun { ATTEMPT_NOT_BEGUN, ATTEMPT_BY_SHEPHERD, ATTEMPT_VOID };

/* Reason why a command did not run. Numbers of Grid Engine's accounting(5). */
enum attempt_failed {
	/* the command ran; `signal` if a signal has ended it */
	FAILED_NOT = 0,
	FAILED_CONFIG = 5,		/* `config` is not valid */
	/* user unknown or not permitted, limits, cgroup, no process */
	FAILED_BEFORE_JOB = 11,
	FAILED_OPEN_OUTPUT = 26,	/* standard input, output or error could not be opened */
	/* command not found or not executable; exit_status is 127 or 126 */
	FAILED_NO_COMMAND = 27,
	FAILED_NO_CWD = 28,		/* the working directory could not be entered */
	FAILED_LIMIT = 37,		/* the command ran and was killed at h_rt or h_cpu */
	FAILED_GROUPS = 38,		/* the groups could not be set */
	/* Codes that no shepherd writes: */
	FAILED_LOST = 19,		/* the shepherd or the machine has ended without a report */
	FAILED_RESCHEDULED = 25,	/* like FAILED_LOST, and the task may run again */
	FAILED_AFTER_JOB = 100,		/* the command ran, and a signal has ended it */
};

struct attempt_process {
	pid_t pid;			/* 0: not known, or no process was started */
	/*
	 * clock ticks since boot, field 22 of /proc/PID/stat; identifies the process if the pid is
	 * used again
	 */
	uint64_t start;
};

/*
 * Usage of all processes of the task that were waited for. With a cgroup, `cpu_s` is the cgroup's.
 *
 * `mem` is 0, because the shepherd does not sample. `maxvmem_bytes` is the largest resident size of
 * a single process, or the peak of the cgroup. Both are lower bounds of sampled values.
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

/* Whether the task was made to give way, and by which means. */
enum attempt_vacated {
	ATTEMPT_NOT_VACATED,		/* the task ended by itself */
	ATTEMPT_VACATED_SOFT,		/* the task ended after its signal */
	ATTEMPT_VACATED_HARD,		/* the task was killed */
};

struct attempt_exit {
	/* status of the command's first process, as in waitpid(2) */
	int wait_status;
	int exit_status;		/* 0..255; 128 + signal if a signal has ended it */
	int signal;			/* 0: none */
	bool core;
	enum attempt_failed failed;
	/*
	 * Line for people: the reason of a failure, the limit that has ended the task, or the
	 * remaining processes; "".
	 */
	char text[ATTEMPT_TEXT_BYTES];
	double start_time, end_time;	/* s since 1970; end_time >= start_time */
	enum attempt_vacated vacated;
	/* time of the signal, s since 1970; 0: ATTEMPT_NOT_VACATED */
	double signalled;
	struct attempt_usage usage;
};

struct attempt {
	enum attempt_begun begun;
	bool lock_held;
	bool exited;
	/*
	 * set if BY_SHEPHERD; leader.pid is 0 if the attempt failed before the process was started
	 */
	struct attempt_process shepherd, leader;
	struct attempt_exit exit;	/* set if `exited` */
};

/*
 * Read the state of the attempt in the directory `dirfd`. The files are read in such an order that
 * the table above is valid while the shepherd continues. Returns
 *   0
 *   -EUCLEAN     `begun` or `exit` is damaged or has a wrong owner. `attempt` is valid all the
 *                same. A `begun` that cannot be read counts as BY_SHEPHERD with pids 0, since the
 *                command may have run. An `exit` that cannot be read counts as missing
 *   -EACCES, -EIO, -EMFILE, -ENOMEM, ...   a file could not be read now; `attempt` is not valid
 */
int attempt_look(int dirfd, struct attempt *attempt, struct error *error);

/*
 * Decide that the attempt never begins. Returns 0, -EEXIST if a shepherd or a scheduler has decided
 * already, or -ENOSPC, -EROFS, -ENOENT, ...
 */
int attempt_void(int dirfd, struct error *error);

/*
 * Write `config` for the shepherd that is started next. `config` is a JSON object as in
 * fairlead-shepherd(8); NULL: memory is exhausted. The mode is 0600, because environments contain
 * secrets. After an error there is no file. The file is not synchronized, because it has no use
 * after a reboot. Returns
 *
 *   -EFBIG       longer than the limit of a shepherd
 *   -ENOSPC, -EDQUOT, -EROFS, -ENOMEM, ...
 */
int attempt_config_write(int dirfd, const char *config, struct error *error);

/*
 * Write the script of the job. User `uid` can read and run it. Other users cannot, except for
 * members of group `gid` on a file system without access control lists. No user can change it: a
 * larger script could fill the disk of the store. The file is not synchronized. Returns
 *   -ENOSPC, -EDQUOT, -EROFS, -EPERM, ...
 */
int attempt_script_write(int dirfd, const char *text, uid_t uid, gid_t gid, struct error *error);

/*
 * Request to give way. Times are of CLOCK_MONOTONIC and have no meaning after another boot.
 *
 * The shepherd carries out the request. The signal and the kill are on time even if no scheduler
 * runs, and each is sent once, however often schedulers repeat the request.
 */
#define VACATION_NEVER_NS UINT64_MAX
#define VACATION_MOST_NS (UINT64_C(1) << 62)

struct attempt_vacation {
	/*
	 * end of the retirement, when the signal is sent; VACATION_NEVER_NS: the task may continue
	 */
	uint64_t retired_ns;
	uint64_t vacate_ns;		/* time from the signal to SIGKILL */
	/* sent to all processes of the task; SIGKILL: no time is left to it */
	int signal;
};

/*
 * Read the request. Returns -ENOENT if there is none, -EUCLEAN if it is damaged or has a wrong
 * owner, or -EIO, -EMFILE, -ENOMEM, ...
 */
int attempt_vacation_read(int dirfd, struct attempt_vacation *vacation, struct error *error);
/* Replace the request as a whole. Returns -ENOSPC, -EDQUOT, -EROFS, -ENOENT, -ENOMEM, ... */
int attempt_vacation_write(int dirfd, const struct attempt_vacation *vacation, struct error *error);

/* Limit that the scheduler watches and that the task has reached. */
struct attempt_limit {
	char text[ATTEMPT_LIMIT_BYTES];	/* "h_rt=600" */
	/* true: SIGKILL follows; false: the task gets SIGUSR1 only */
	bool kills;
};

/*
 * Read the reached limit. Returns -ENOENT if there is none, -EUCLEAN if it is damaged or has a
 * wrong owner, or -EIO, -EMFILE, -ENOMEM, ...
 */
int attempt_limit_read(int dirfd, struct attempt_limit *limit, struct error *error);
/* Replace the reached limit as a whole. Returns -ENOSPC, -EDQUOT, -EROFS, -ENOENT, -ENOMEM, ... */
int attempt_limit_write(int dirfd, const struct attempt_limit *limit, struct error *error);

/* Remove all files that the scheduler and the shepherd write. The directory itself remains. */
void attempt_sweep(int dirfd);
/* Return whether attempt_sweep() would leave a directory for temporary files. */
bool attempt_is_untidy(int dirfd);

/*
 * Return the clock ticks since boot at which a process was started, for struct attempt_process. 0
 * if there is no such process.
 */
uint64_t attempt_process_start(pid_t pid);

#endif
