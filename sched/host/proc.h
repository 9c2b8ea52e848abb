/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel shows of processes: files below /proc, each by one open, read and close relative
 * to a directory that is held open. Processes come and go meanwhile: -ESRCH is no failure.
 */
#ifndef SCHED_HOST_PROC_H
#define SCHED_HOST_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_ENTRIES_BYTES 32768

struct proc {			/* private to proc.c, but for `fd` and `real` */
	int fd;
	/* the kernel's own, so that the pids in it may be given to system calls */
	bool real;
	/* of pid 0 in the directory; negative: positions say nothing of pids */
	int64_t position;
	size_t at, end;			/* in `entries` */
	char *text;			/* of the last file that was read as a whole */
	size_t room;
	gid_t *groups;
	size_t groups_room;
	char entries[PROC_ENTRIES_BYTES];
};

struct proc_stat {
	pid_t pid, parent, group, session;
	char state;			/* as ps shows it: 'Z' a zombie */
	uint64_t start;			/* clock ticks since boot */
	/* CPU time of its own, and of the children that it has waited for with all below them */
	uint64_t ticks, children_ticks;
	uint64_t faults, children_faults;	/* minor ones, likewise */
	uint64_t resident_bytes;
	int nice;			/* of the first thread */
	uint32_t threads;
	/* its last thread is: it runs no program any more, zombie or not yet */
	bool ending;
};

/* -ENOENT, -ENOTDIR, -EACCES, -ENOMEM */
int proc_open(struct proc *proc, const char *path);
void proc_close(struct proc *proc);

/*
 * The next proc_next() is the first one from this pid on; from 0 on if positions say nothing of
 * pids.
 */
void proc_seek(struct proc *proc, pid_t from);
/* Can proc_seek() go anywhere? */
bool proc_seeks(const struct proc *proc);
/* A pid; 0 at the end; -errno */
pid_t proc_next(struct proc *proc);

/* The newest pid that the kernel has given out; 0: not known. */
pid_t proc_newest(const struct proc *proc);

/*
 * The CPU time that a process has used, all its threads together, so finely that it has not run if
 * that is the same as before; it takes a tenth of the time of reading the two files below. 0: not
 * known, as where pids here are not the kernel's.
 */
uint64_t proc_ran_ns(const struct proc *proc, pid_t pid);
/* 0, -ESRCH, or another -errno. */
int proc_stat(const struct proc *proc, pid_t pid, struct proc_stat *stat);
/*
 * What it and the children that it has waited for have read and written, files, pipes and sockets
 * alike. -EACCES: another user's
 */
int proc_io(const struct proc *proc, pid_t pid, uint64_t *bytes);
bool proc_exists(const struct proc *proc, pid_t pid);
/* Its supplementary groups, until the next call; their number, or -errno. */
ssize_t proc_groups(struct proc *proc, pid_t pid, const gid_t **groups);
/*
 * The threads of a process, one after the other, to `each` until that returns other than 0, which
 * is then returned.
 */
int proc_threads(const struct proc *proc, pid_t pid, int (*each)(pid_t thread, void *context), void *context);

/*
 * A file below /proc (or any other, by its full path), as a string; empty files are strings, too.
 * The length or -errno.
 */
ssize_t proc_read(int fd, const char *path, char *text, size_t size);
/* A file of any length, up to 4 MiB, in memory that is good until the next call for this `p`. */
ssize_t proc_read_long(struct proc *proc, int fd, const char *path, char **text);
/* Overwrites a file of the kernel with a line. */
int proc_write(int fd, const char *path, const char *line);

#endif
