/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/shepherd/file.h"
#include "sched/shepherd/user.h"

#define RECORD "tmpdir"
#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define DEPTH_MOST 64u /* levels, with a descriptor each; deeper directories are moved up first */
#define NAMES_MOST 8
#define LOOK_NS 5000000l

/* Removal, with the rights of the owner */

struct removal {
	int top;
	dev_t device;
	unsigned long moved;	/* directories moved up so far */
};

static void owner_admit(int fd, const struct stat *is)
{
	if ((is->st_mode & 0700) != 0700)
		(void)!fchmod(fd, 0700);
}

/*
 * Open a directory. Returns -1 if it is not a directory, is on another file system, or cannot be
 * opened.
 */
static int inner_open(const struct removal *removal, int fd, const char *name)
{
	int inner = openat(fd, name, OPEN_DIRECTORY | O_NONBLOCK);
	struct stat is;

	if (inner < 0 && errno == EACCES && fchmodat(fd, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		inner = openat(fd, name, OPEN_DIRECTORY | O_NONBLOCK);
	if (inner >= 0 && fstat(inner, &is) == 0 && is.st_dev == removal->device) {
		owner_admit(inner, &is);
		return inner;
	}
	if (inner >= 0)
		close(inner);
	return -1;
}

static void move_up(struct removal *removal, int fd, const char *name)
{
	char to[40];

	snprintf(to, sizeof(to), ".fairlead-%lu", removal->moved);
	removal->moved += renameat(fd, name, removal->top, to) == 0;
}

/* Remove the content of a directory and close `fd`. */
static void directory_empty(struct removal *removal, int fd, unsigned depth)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory)) != NULL) {
		const char *name = entry->d_name;
		int inner;

		if (!strcmp(name, ".") || !strcmp(name, "..") || unlinkat(fd, name, 0) == 0 ||
		    (errno != EISDIR && errno != EPERM))
			continue;
		inner = inner_open(removal, fd, name);
		if (inner >= 0 && depth < DEPTH_MOST)
			directory_empty(removal, inner, depth + 1);
		else if (inner >= 0)
			close(inner);
		if (unlinkat(fd, name, AT_REMOVEDIR) && depth >= DEPTH_MOST && inner >= 0)
			move_up(removal, fd, name);
	}
	closedir(directory);
}

/* Remove a tree. Repeats as long as directories were moved up. */
static void tree_empty(int parent, const char *name)
{
	struct removal removal = { .top = openat(parent, name, OPEN_DIRECTORY) };
	unsigned long moved;
	struct stat is;

	if (removal.top < 0 || fstat(removal.top, &is))
		return;
	owner_admit(removal.top, &is);
	removal.device = is.st_dev;
	do {
		moved = removal.moved;
		directory_empty(&removal, openat(removal.top, ".", OPEN_DIRECTORY), 0);
	} while (removal.moved > moved);
	(void)!unlinkat(parent, name, AT_REMOVEDIR);
}

static _Noreturn void remover_run(int parent, const char *name, const struct shepherd_task *task)
{
	struct failure failure = { .code = FAILED_NOT };
	sigset_t none;

	/*
	 * close descriptors and unblock signals: remaining processes of the task may inspect and
	 * signal us
	 */
	if (parent > 3)
		close_range(3, (unsigned)parent - 1, 0);
	close_range((unsigned)parent + 1, ~0u, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (user_become(task, &failure) == 0)
		tree_empty(parent, name);
	_exit(0);
}

/*
 * Wait for the remover and kill it when the time is over. It may hang in a file server, so even its
 * end is not waited for.
 */
static void remover_wait(pid_t pid, unsigned most_s)
{
	uint64_t until_ns = clock_monotonic_ns() + most_s * 1000000000ull;

	while (waitpid(pid, NULL, WNOHANG) == 0 && clock_monotonic_ns() < until_ns)
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	kill(pid, SIGKILL);
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	waitpid(pid, NULL, WNOHANG);
}

/* Record */

/*
 * Write the record. Inode 0: the directory may or may not exist, and has no content that matters.
 */
static int record_write(int dirfd, const struct tmpdir *tmpdir)
{
	char text[NAME_MAX + 32];
	int length = snprintf(text, sizeof(text), "%llu %s", (unsigned long long)tmpdir->inode, tmpdir->name);

	return file_write(dirfd, RECORD, text, (size_t)length, 0600, false);
}

int tmpdir_recall(int dirfd, struct tmpdir *tmpdir)
{
	unsigned long long inode;
	size_t length;
	char *text;
	int rc = file_read(dirfd, RECORD, NAME_MAX + 31, &text, &length), at = 0;

	*tmpdir = (struct tmpdir){ .inode = 0 };
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (strlen(text) != length || sscanf(text, "%20llu %n", &inode, &at) != 1 || !at || !text[at] ||
	    strchr(text + at, '/') || !strcmp(text + at, ".") || !strcmp(text + at, "..") ||
	    strlen(text + at) > NAME_MAX) {
		rc = -EUCLEAN;
	} else {
		tmpdir->inode = (ino_t)inode;
		strcpy(tmpdir->name, text + at);
	}
	free(text);
	return rc;
}

/* Choose a name that cannot be guessed. */
static void name_choose(char name[NAME_MAX + 1], const char *begins)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char some[12] = { 0 };
	size_t length = strlen(begins) < NAME_MAX - sizeof(some) ? strlen(begins) : NAME_MAX - sizeof(some);

	memcpy(name, begins, length);
	name[length++] = '.';
	(void)!getrandom(some, sizeof(some) - 1, 0);
	for (size_t i = 0; i + 1 < sizeof(some); i++)
		name[length++] = letters[some[i] % 64];
	name[length] = '\0';
}

/* Creation */

/*
 * Give the directory to the user. It belongs to root until then. If the parent allows other users
 * to rename it, the entry may be another directory of root, which only root could have put there.
 */
static int give_away(int parent, struct tmpdir *tmpdir, const struct shepherd_task *task)
{
	int fd = openat(parent, tmpdir->name, OPEN_DIRECTORY), rc = 0;
	struct stat is;

	if (fd < 0 || fstat(fd, &is))
		rc = -errno;
	else if (is.st_uid != geteuid() || (is.st_mode & 0777) != 0700)
		rc = -EEXIST;
	else if (geteuid() == 0 && fchown(fd, task->uid, task->gid))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	tmpdir->inode = rc == 0 ? is.st_ino : 0;
	return rc;
}

static int entry_make(int dirfd, int parent, struct tmpdir *tmpdir, const struct shepherd_task *task)
{
	int rc = -EEXIST;

	snprintf(tmpdir->name, sizeof(tmpdir->name), "%s", task->tmpdir_name);
	for (int k = 0; k < NAMES_MOST && rc == -EEXIST; k++) {
		if (k > 0)
			name_choose(tmpdir->name, task->tmpdir_name);
		rc = record_write(dirfd, tmpdir);
		if (rc == 0 && mkdirat(parent, tmpdir->name, 0700))
			rc = -errno;
		if (rc == 0)
			rc = give_away(parent, tmpdir, task);
	}
	return rc ? rc : record_write(dirfd, tmpdir);
}

static int variables_set(struct shepherd_task *task, const char *path)
{
	const char *places = task_variable(task, "PATH");
	char *all;
	int rc = task_variable_set(task, "TMPDIR", path) || task_variable_set(task, "TMP", path) ? -ENOMEM : 0;

	if (rc || !places)
		return rc;
	if (asprintf(&all, "%s:%s", path, places) < 0)
		return -ENOMEM;
	rc = task_variable_set(task, "PATH", all);
	free(all);
	return rc;
}

int tmpdir_make(int dirfd, struct shepherd_task *task, struct tmpdir *tmpdir, struct failure *failure)
{
	char path[PATH_MAX];
	int parent, rc;

	if (!task->tmpdir)
		return 0;
	parent = open(task->tmpdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = parent < 0 ? -errno : entry_make(dirfd, parent, tmpdir, task);
	if (parent >= 0)
		close(parent);
	if (rc == 0)
		rc = snprintf(path, sizeof(path), "%s/%s", task->tmpdir, tmpdir->name) >= (int)sizeof(path)
			     ? -ENAMETOOLONG
			     : variables_set(task, path);
	return rc == 0 ? 0
		       : failure_set(failure, FAILED_BEFORE_JOB, "making its directory for temporary files, %s/%s: %s",
				     task->tmpdir, *tmpdir->name ? tmpdir->name : task->tmpdir_name, strerror(-rc));
}

/* Removal */

/* Remove the directory. Returns 0 if it no longer exists, or -EAGAIN. */
static int entry_remove(int parent, const struct tmpdir *tmpdir, const struct shepherd_task *task, unsigned most_s)
{
	struct stat is;
	pid_t pid;

	if (fstatat(parent, tmpdir->name, &is, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -EAGAIN;
	if (!S_ISDIR(is.st_mode) || (tmpdir->inode ? is.st_ino != tmpdir->inode : is.st_uid != geteuid()))
		return 0;		/* the entry is not our directory */
	pid = tmpdir->inode ? fork() : 0;
	if (tmpdir->inode && pid == 0)
		remover_run(parent, tmpdir->name, task);
	if (pid > 0)
		remover_wait(pid, most_s);
	/* remove the empty directory as root: its owner may not if the parent is root's */
	return unlinkat(parent, tmpdir->name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -EAGAIN;
}

int tmpdir_remove(int dirfd, const struct shepherd_task *task, const struct tmpdir *tmpdir, unsigned most_s)
{
	int parent, rc;

	if (!task->tmpdir || !*tmpdir->name)
		return 0;
	parent = open(task->tmpdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = parent < 0 ? -errno : entry_remove(parent, tmpdir, task, most_s);
	if (parent >= 0)
		close(parent);
	if (rc == 0 && unlinkat(dirfd, RECORD, 0) && errno != ENOENT)
		rc = -errno;
	return rc;
}
