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
#define EXITING 4			/* of the flags: the kernel's PF_EXITING */
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

/* Which processes there are */

static pid_t pid_of(const char *name)
{
	long pid = 0;

	for (; *name >= '0' && *name <= '9' && pid < 1000000000; name++)
		pid = 10 * pid + *name - '0';
	return *name ? 0 : (pid_t)pid;
}

static const struct dirent64 *entry_next(struct proc *p, int *error)
{
	const struct dirent64 *entry;

	*error = 0;
	if (p->at == p->end) {
		ssize_t n = getdents64(p->fd, p->entries, sizeof(p->entries));

		*error = n < 0 ? -errno : 0;
		p->at = 0;
		p->end = n > 0 ? (size_t)n : 0;
		if (n <= 0)
			return NULL;
	}
	entry = (const struct dirent64 *)(const void *)(p->entries + p->at);
	p->at += entry->d_reclen;
	return entry;
}

pid_t proc_next(struct proc *p)
{
	const struct dirent64 *entry;
	int error;

	while ((entry = entry_next(p, &error)) != NULL) {
		pid_t pid = pid_of(entry->d_name);

		if (pid)
			return pid;
	}
	return error;
}

bool proc_seeks(const struct proc *p)
{
	return p->position >= 0;
}

void proc_seek(struct proc *p, pid_t from)
{
	p->at = p->end = 0;
	lseek(p->fd, from > 0 && p->position >= 0 ? p->position + from : 0, SEEK_SET);
}

/*
 * The kernel's directory of processes is read from any pid on: positions are pids and a constant.
 * That is nowhere promised, so it is found out, with the one process that is sure to be there. It
 * may be the newest: then nothing comes after it.
 */
static void position_find(struct proc *p)
{
	pid_t self = getpid(), after;
	int64_t before = -1;
	const struct dirent64 *entry;
	int error;

	p->position = -1;
	if (!p->real)
		return;
	while ((entry = entry_next(p, &error)) != NULL && pid_of(entry->d_name) != self)
		before = entry->d_off;
	p->position = entry && before >= self ? before - self : -1;
	proc_seek(p, self);
	if (proc_next(p) != self)
		p->position = -1;
	proc_seek(p, self + 1);
	after = proc_next(p);
	if (after && after <= self)
		p->position = -1;
	proc_seek(p, 0);
}

int proc_open(struct proc *p, const char *path)
{
	struct statfs fs;

	*p = (struct proc){ .position = -1 };
	p->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->fd < 0)
		return -errno;
	p->real = fstatfs(p->fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
	position_find(p);
	return 0;
}

void proc_close(struct proc *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	free(p->text);
	free(p->groups);
	p->text = NULL;
	p->groups = NULL;
	p->room = p->groups_room = 0;
}

pid_t proc_newest(const struct proc *p)
{
	char text[128];
	const char *last;

	if (proc_read(p->fd, "loadavg", text, sizeof(text)) <= 0)
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

static ssize_t process_read(const struct proc *p, pid_t pid, const char *file, char *text, size_t size)
{
	char path[PATH_BYTES];
	ssize_t n = proc_read(p->fd, path_of(path, pid, file), text, size);

	return n == -ENOENT ? -ESRCH : n;
}

bool proc_exists(const struct proc *p, pid_t pid)
{
	char path[PATH_BYTES];

	return faccessat(p->fd, path_of(path, pid, ""), F_OK, 0) == 0;
}

uint64_t proc_ran_ns(const struct proc *p, pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (!p->real || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum { STATE = 3, PARENT, GROUP, SESSION, FLAGS = 9, FAULTS, CHILDREN_FAULTS, USER = 14, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM, NICE = 19, THREADS,
       START = 22, RESIDENT = 24, FIELDS };

/* From the fourth field on they are numbers; how many of these were there. */
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

/* The name in the second field may have blanks and parentheses in it, what follows may not. */
int proc_stat(const struct proc *p, pid_t pid, struct proc_stat *stat)
{
	static long page_bytes;
	char text[1024];
	int64_t field[FIELDS] = { 0 };
	ssize_t n = process_read(p, pid, "stat", text, sizeof(text));
	const char *behind = n > 0 ? strrchr(text, ')') : NULL;

	if (n < 0)
		return (int)n;
	if (!behind || behind[1] != ' ' || !behind[2] || fields_read(behind + 3, field) < FIELDS)
		return n ? -EPROTO : -ESRCH;
	if (!page_bytes)
		page_bytes = sysconf(_SC_PAGESIZE);
	*stat = (struct proc_stat){
		.pid = pid, .parent = (pid_t)field[PARENT], .group = (pid_t)field[GROUP], .session = (pid_t)field[SESSION],
		.state = behind[2], .start = (uint64_t)field[START],
		.ticks = (uint64_t)(field[USER] + field[SYSTEM]),
		.children_ticks = (uint64_t)(field[CHILDREN_USER] + field[CHILDREN_SYSTEM]),
		.faults = (uint64_t)field[FAULTS], .children_faults = (uint64_t)field[CHILDREN_FAULTS],
		.resident_bytes = (uint64_t)field[RESIDENT] * (uint64_t)page_bytes,
		.nice = (int)field[NICE], .threads = (uint32_t)field[THREADS],
		.ending = (field[FLAGS] & EXITING) && field[THREADS] <= 1,
	};
	return 0;
}

int proc_io(const struct proc *p, pid_t pid, uint64_t *bytes)
{
	char text[512];
	unsigned long long in, out;
	ssize_t n = process_read(p, pid, "io", text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (sscanf(text, "rchar: %llu wchar: %llu", &in, &out) != 2)
		return n ? -EPROTO : -ESRCH;
	*bytes = in + out;
	return 0;
}

/* Files that may be long */

static int text_grow(struct proc *p)
{
	size_t room = p->room ? 4 * p->room : 4096;
	char *text = room <= FILE_BYTES ? realloc(p->text, room) : NULL;

	if (!text)
		return -ENOMEM;
	p->text = text;
	p->room = room;
	return 0;
}

static ssize_t text_read(struct proc *p, int file)
{
	size_t used = 0;

	for (;;) {
		ssize_t n;

		if (used + 1 >= p->room && text_grow(p))
			return -ENOMEM;
		n = read(file, p->text + used, p->room - used - 1);
		if (n <= 0) {
			p->text[used] = '\0';
			return n < 0 ? -errno : (ssize_t)used;
		}
		used += (size_t)n;
	}
}

ssize_t proc_read_long(struct proc *p, int fd, const char *path, char **text)
{
	int file = openat(fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (file < 0)
		return -errno;
	n = text_read(p, file);
	close(file);
	*text = p->text;
	return n;
}

static ssize_t groups_parse(struct proc *p, const char *text)
{
	size_t n = 0;

	for (char *end;; text = end) {
		unsigned long group;

		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			return (ssize_t)n;
		group = strtoul(text, &end, 10);
		if (n == p->groups_room) {
			size_t room = n ? 2 * n : 64;
			gid_t *groups = realloc(p->groups, room * sizeof(*groups));

			if (!groups)
				return -ENOMEM;
			p->groups = groups;
			p->groups_room = room;
		}
		p->groups[n++] = (gid_t)group;
	}
}

ssize_t proc_groups(struct proc *p, pid_t pid, const gid_t **groups)
{
	char path[PATH_BYTES], *text;
	ssize_t n = proc_read_long(p, p->fd, path_of(path, pid, "status"), &text);
	const char *line = n > 0 ? strstr(text, "\nGroups:") : NULL;

	if (!line)
		return n < 0 ? n : -EPROTO;
	n = groups_parse(p, line + strlen("\nGroups:"));
	*groups = p->groups;
	return n;
}

int proc_threads(const struct proc *p, pid_t pid, int (*each)(pid_t thread, void *context), void *context)
{
	char path[PATH_BYTES];
	int fd = openat(p->fd, path_of(path, pid, "task"), O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
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
