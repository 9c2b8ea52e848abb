/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 40			/* "PID/autogroup" */
#define EXITING 4			/* the kernel's flag PF_EXITING */
#define FILE_BYTES (4u << 20)		/* a process may have 65536 groups of ten digits */

ssize_t proc_read(int fd, const char *path, char *text, size_t size)
{
	int file = openat(fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (file < 0)
		return -errno;
	n = read(file, text, size - 1);
	if (n < 0)
		n = -errno;
	close(file);
	text[n < 0 ? 0 : n] = '\0';
	return n;
}

int proc_write(int fd, const char *path, const char *line)
{
	int file = openat(fd, path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (file < 0)
		return -errno;
	n = write(file, line, strlen(line));
	if (n < 0)
		n = -errno;
	close(file);
	return n < 0 ? (int)n : 0;
}

/* List of processes */

static pid_t pid_of(const char *name)
{
	long pid = 0;

	for (; *name >= '0' && *name <= '9' && pid < 1000000000; name++)
		pid = 10 * pid + *name - '0';
	return *name ? 0 : (pid_t)pid;
}

static const struct dirent64 *entry_next(struct proc *proc, int *error)
{
	const struct dirent64 *entry;

	*error = 0;
	if (proc->at == proc->end) {
		ssize_t n = getdents64(proc->fd, proc->entries, sizeof(proc->entries));

		*error = n < 0 ? -errno : 0;
		proc->at = 0;
		proc->end = n > 0 ? (size_t)n : 0;
		if (n <= 0)
			return NULL;
	}
	entry = (const struct dirent64 *)(const void *)(proc->entries + proc->at);
	proc->at += entry->d_reclen;
	return entry;
}

pid_t proc_next(struct proc *proc)
{
	const struct dirent64 *entry;
	int error;

	while ((entry = entry_next(proc, &error)) != NULL) {
		pid_t pid = pid_of(entry->d_name);

		if (pid)
			return pid;
	}
	return error;
}

bool proc_seeks(const struct proc *proc)
{
	return proc->position >= 0;
}

void proc_seek(struct proc *proc, pid_t from)
{
	proc->at = proc->end = 0;
	lseek(proc->fd, from > 0 && proc->position >= 0 ? proc->position + from : 0, SEEK_SET);
}

/*
 * Find out how directory positions are related to pids. In the kernel's directory of processes a
 * position is the pid plus a constant. This is not documented, so it is checked with this process,
 * which certainly exists. It may be the newest process; then no entry follows.
 */
static void position_find(struct proc *proc)
{
	pid_t self = getpid(), after;
	int64_t before = -1;
	const struct dirent64 *entry;
	int error;

	proc->position = -1;
	if (!proc->real)
		return;
	while ((entry = entry_next(proc, &error)) != NULL && pid_of(entry->d_name) != self)
		before = entry->d_off;
	proc->position = entry && before >= self ? before - self : -1;
	proc_seek(proc, self);
	if (proc_next(proc) != self)
		proc->position = -1;
	proc_seek(proc, self + 1);
	after = proc_next(proc);
	if (after && after <= self)
		proc->position = -1;
	proc_seek(proc, 0);
}

int proc_open(struct proc *proc, const char *path)
{
	struct statfs fs;

	*proc = (struct proc){ .position = -1 };
	proc->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc->fd < 0)
		return -errno;
	proc->real = fstatfs(proc->fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
	position_find(proc);
	return 0;
}

void proc_close(struct proc *proc)
{
	if (proc->fd >= 0)
		close(proc->fd);
	proc->fd = -1;
	free(proc->text);
	free(proc->groups);
	proc->text = NULL;
	proc->groups = NULL;
	proc->room = proc->groups_room = 0;
}

pid_t proc_newest(const struct proc *proc)
{
	char text[128];
	const char *last;

	if (proc_read(proc->fd, "loadavg", text, sizeof(text)) <= 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	last = strrchr(text, ' ');
	return last ? pid_of(last + 1) : 0;
}

/* One process */

static const char *path_of(char *path, pid_t pid, const char *file)
{
	snprintf(path, PATH_BYTES, "%d/%s", (int)pid, file);
	return path;
}

static ssize_t process_read(const struct proc *proc, pid_t pid, const char *file, char *text, size_t size)
{
	char path[PATH_BYTES];
	ssize_t n = proc_read(proc->fd, path_of(path, pid, file), text, size);

	return n == -ENOENT ? -ESRCH : n;
}

bool proc_exists(const struct proc *proc, pid_t pid)
{
	char path[PATH_BYTES];

	return faccessat(proc->fd, path_of(path, pid, ""), F_OK, 0) == 0;
}

uint64_t proc_ran_ns(const struct proc *proc, pid_t pid)
{
	struct timespec timespec;
	clockid_t clock;

	if (!proc->real || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &timespec))
		return 0;
	return (uint64_t)timespec.tv_sec * 1000000000u + (uint64_t)timespec.tv_nsec;
}

enum {
	STATE = 3,
	PARENT,
	GROUP,
	SESSION,
	FLAGS = 9,
	FAULTS,
	CHILDREN_FAULTS,
	USER = 14,
	SYSTEM,
	CHILDREN_USER,
	CHILDREN_SYSTEM,
	NICE = 19,
	THREADS,
	START = 22,
	RESIDENT = 24,
	FIELDS
};

/*
 * Read the fields from the fourth on, which are numbers. Returns the number of the first missing
 * field.
 */
static int fields_read(const char *text, int64_t *field)
{
	int k = PARENT;

	for (; k < FIELDS && *text == ' '; k++) {
		char *end;

		field[k] = strtoll(text + 1, &end, 10);
		if (end == text + 1)
			break;
		text = end;
	}
	return k;
}

/* The name in the second field may contain blanks and parentheses; the other fields may not. */
int proc_stat(const struct proc *proc, pid_t pid, struct proc_stat *stat)
{
	static long page_bytes;
	char text[1024];
	int64_t field[FIELDS] = { 0 };
	ssize_t n = process_read(proc, pid, "stat", text, sizeof(text));
	const char *behind = n > 0 ? strrchr(text, ')') : NULL;

	if (n < 0)
		return (int)n;
	if (!behind || behind[1] != ' ' || !behind[2] || fields_read(behind + 3, field) < FIELDS)
		return n ? -EPROTO : -ESRCH;
	if (!page_bytes)
		page_bytes = sysconf(_SC_PAGESIZE);
	*stat = (struct proc_stat){
		.pid = pid,
		.parent = (pid_t)field[PARENT],
		.group = (pid_t)field[GROUP],
		.session = (pid_t)field[SESSION],
		.state = behind[2],
		.start = (uint64_t)field[START],
		.ticks = (uint64_t)(field[USER] + field[SYSTEM]),
		.children_ticks = (uint64_t)(field[CHILDREN_USER] + field[CHILDREN_SYSTEM]),
		.faults = (uint64_t)field[FAULTS],
		.children_faults = (uint64_t)field[CHILDREN_FAULTS],
		.resident_bytes = (uint64_t)field[RESIDENT] * (uint64_t)page_bytes,
		.nice = (int)field[NICE],
		.threads = (uint32_t)field[THREADS],
		.ending = (field[FLAGS] & EXITING) && field[THREADS] <= 1,
	};
	return 0;
}

int proc_io(const struct proc *proc, pid_t pid, uint64_t *bytes)
{
	char text[512];
	unsigned long long in, out;
	ssize_t n = process_read(proc, pid, "io", text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (sscanf(text, "rchar: %llu wchar: %llu", &in, &out) != 2)
		return n ? -EPROTO : -ESRCH;
	*bytes = in + out;
	return 0;
}

/* Files that may be long */

static int text_grow(struct proc *proc)
{
	size_t room = proc->room ? 4 * proc->room : 4096;
	char *text = room <= FILE_BYTES ? realloc(proc->text, room) : NULL;

	if (!text)
		return -ENOMEM;
	proc->text = text;
	proc->room = room;
	return 0;
}

static ssize_t text_read(struct proc *proc, int file)
{
	size_t used = 0;

	for (;;) {
		ssize_t n;

		if (used + 1 >= proc->room && text_grow(proc))
			return -ENOMEM;
		n = read(file, proc->text + used, proc->room - used - 1);
		if (n <= 0) {
			proc->text[used] = '\0';
			return n < 0 ? -errno : (ssize_t)used;
		}
		used += (size_t)n;
	}
}

ssize_t proc_read_long(struct proc *proc, int fd, const char *path, char **text)
{
	int file = openat(fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (file < 0)
		return -errno;
	n = text_read(proc, file);
	close(file);
	*text = proc->text;
	return n;
}

static ssize_t groups_parse(struct proc *proc, const char *text)
{
	size_t n = 0;

	for (char *end;; text = end) {
		unsigned long group;

		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			return (ssize_t)n;
		group = strtoul(text, &end, 10);
		if (n == proc->groups_room) {
			size_t room = n ? 2 * n : 64;
			gid_t *groups = realloc(proc->groups, room * sizeof(*groups));

			if (!groups)
				return -ENOMEM;
			proc->groups = groups;
			proc->groups_room = room;
		}
		proc->groups[n++] = (gid_t)group;
	}
}

ssize_t proc_groups(struct proc *proc, pid_t pid, const gid_t **groups)
{
	char path[PATH_BYTES], *text;
	ssize_t n = proc_read_long(proc, proc->fd, path_of(path, pid, "status"), &text);
	const char *line = n > 0 ? strstr(text, "\nGroups:") : NULL;

	if (!line)
		return n < 0 ? n : -EPROTO;
	n = groups_parse(proc, line + strlen("\nGroups:"));
	*groups = proc->groups;
	return n;
}

int proc_threads(const struct proc *proc, pid_t pid, int (*each)(pid_t thread, void *context), void *context)
{
	char path[PATH_BYTES];
	int fd = openat(proc->fd, path_of(path, pid, "task"), O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *threads = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!threads) {
		rc = errno == ENOENT ? -ESRCH : -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (entry = readdir(threads)) != NULL) {
		pid_t thread = pid_of(entry->d_name);

		if (thread)
			rc = each(thread, context);
	}
	closedir(threads);
	return rc;
}
