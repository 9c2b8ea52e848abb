/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's data about processes.
 *
 * Files below /proc are read by one open, read and close relative to an open directory. Processes
 * may end at any time, so -ESRCH is not a failure.
 */
#ifndef SCHED_HOST_PROC_H
#define SCHED_HOST_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_ENTRIES_BYTES 32768

struct proc {			/* Private to proc.c, except for `fd` and `real`. */
	int fd;
	/* directory of the kernel, whose pids may be passed to system calls */
	bool real;
	/* position of pid 0 in the directory; negative: positions are unrelated to pids */
	int64_t position;
	size_t at, end;			/* in `entries` */
	char *text;			/* last file that was read as a whole */
	size_t room;
	gid_t *groups;
	size_t groups_room;
	char entries[PROC_ENTRIES_BYTES];
};

struct proc_stat {
	pid_t pid, parent, group, session;
	char state;			/* letter of ps: 'Z' is a zombie */
	uint64_t start;			/* clock ticks since boot */
	/* CPU time of its own, and of all descendants that were waited for */
	uint64_t ticks, children_ticks;
	uint64_t faults, children_faults;	/* minor faults, likewise */
	uint64_t resident_bytes;
	int nice;			/* nice level of the first thread */
	uint32_t threads;
	/*
	 * last thread is ending: the process runs no program any more, whether or not it is a
	 * zombie
	 */
	bool ending;
};

/* Return 0, -ENOENT, -ENOTDIR, -EACCES or -ENOMEM. */
int proc_open(struct proc *proc, const char *path);
void proc_close(struct proc *proc);

/*
 * Let the next proc_next() return the first pid >= `from`; from the beginning if positions are
 * unrelated to pids.
 */
void proc_seek(struct proc *proc, pid_t from);
/* Return whether proc_seek() can go to any pid. */
bool proc_seeks(const struct proc *proc);
/* Return the next pid, 0 at the end, or -errno. */
pid_t proc_next(struct proc *proc);

/* Return the newest pid that the kernel has assigned; 0: not known. */
pid_t proc_newest(const struct proc *proc);

/*
 * Return the CPU time of all threads of a process. If the value is unchanged, the process has not
 * run. This takes a tenth of the time of reading `stat` and `io`. Returns 0 if the time is not
 * known, for example because the pids are not the kernel's.
 */
uint64_t proc_ran_ns(const struct proc *proc, pid_t pid);
/* Return 0, -ESRCH, or another -errno. */
int proc_stat(const struct proc *proc, pid_t pid, struct proc_stat *stat);
/*
 * Read the bytes that the process, and the children that it has waited for, have read and written.
 * Counts files, pipes and sockets. Returns -EACCES for a process of another user.
 */
int proc_io(const struct proc *proc, pid_t pid, uint64_t *bytes);
bool proc_exists(const struct proc *proc, pid_t pid);
/*
 * Read the supplementary groups, which are valid until the next call. Returns their number or
 * -errno.
 */
ssize_t proc_groups(struct proc *proc, pid_t pid, const gid_t **groups);
/*
 * Call `each` with every thread of a process until it returns a value other than 0. Returns that
 * value.
 */
int proc_threads(const struct proc *proc, pid_t pid, int (*each)(pid_t thread, void *context), void *context);

/*
 * Read a file below /proc, or any other by its full path, as a string. Returns the length, which
 * may be 0, or -errno.
 */
ssize_t proc_read(int fd, const char *path, char *text, size_t size);
/* Read a file of up to 4 MiB. The text is valid until the next call for this `proc`. */
ssize_t proc_read_long(struct proc *proc, int fd, const char *path, char **text);
/* Write a line to a file of the kernel. */
int proc_write(int fd, const char *path, const char *line);

#endif
