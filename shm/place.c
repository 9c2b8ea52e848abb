/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0755			/* files have permissions of their own */
/*
 * limit on attempts: another user may take the name again and again, but not during an exchange of
 * names
 */
#define TRIES 16

static bool others_may_write(const struct stat *st)
{
	return st->st_mode & 022;
}

/*
 * Return true if the directory is ours. Root also accepts the owner of the cell, because that user
 * controls the writer's configuration.
 */
static bool is_ours(const struct stat *st, const struct segment_paths *paths)
{
	bool owned = st->st_uid == geteuid() || (geteuid() == 0 && st->st_uid == paths->cell_owner);

	return S_ISDIR(st->st_mode) && owned && !others_may_write(st);
}

static const char *what_is(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFDIR: return others_may_write(st) ? "a directory that others may write" : "a directory";
	case S_IFREG: return "a file";
	case S_IFLNK: return "a link";
	}
	return "a pipe, socket or device";
}

static void other_owner_fill(struct other_owner *other_owner, const char *path, const struct stat *st)
{
	snprintf(other_owner->path, sizeof(other_owner->path), "%s", path);
	other_owner->what = what_is(st);
	other_owner->owner = st->st_uid;
}

int place_look(const struct segment_paths *paths, struct other_owner *other_owner)
{
	struct stat st;

	if (lstat(paths->directory, &st))
		return -errno;
	other_owner_fill(other_owner, paths->directory, &st);
	return 0;
}

/* Change the owner first. After that the previous owner can no longer change the mode. */
static int place_adopt(int fd)
{
	if (fchown(fd, geteuid(), (gid_t)-1) || fchmod(fd, MODE))
		return -errno;
	return 0;
}

/*
 * Open the directory, or make it. Returns -EEXIST if there is a directory or file that is not ours,
 * or if it has just been removed.
 */
static int place_try(const struct segment_paths *paths)
{
	struct stat st;
	int rc = 0;

	if (mkdir(paths->directory, MODE) && errno != EEXIST)
		return -errno;
	int fd = open(paths->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP || errno == EACCES || errno == ENOENT ? -EEXIST : -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!is_ours(&st, paths))
		rc = -EEXIST;
	else if (st.st_uid != geteuid() || (st.st_mode & 07777) != MODE)
		rc = place_adopt(fd);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/*
 * Exchange the foreign directory for one of our own in one step, so that no process can take the
 * name in between.
 */
static int stranger_move(const struct segment_paths *paths, struct other_owner *other_owner)
{
	char aside[SEGMENT_PATH_BYTES];
	uint64_t number = 0;
	struct stat st;

	if (lstat(paths->directory, &st))
		return errno == ENOENT ? 0 : -errno;
	other_owner_fill(other_owner, paths->directory, &st);
	if (geteuid() != 0 && st.st_uid != geteuid())
		return -EPERM;
	if (getrandom(&number, sizeof(number), 0) < 0 ||
	    snprintf(aside, sizeof(aside), "%s.aside-%016" PRIx64, paths->directory, number) >= (int)sizeof(aside))
		return -ENAMETOOLONG;
	if (mkdir(aside, MODE))
		return errno == EEXIST ? 0 : -errno;
	if (renameat2(AT_FDCWD, aside, AT_FDCWD, paths->directory, RENAME_EXCHANGE)) {
		int rc = errno == ENOENT ? 0 : -errno;

		rmdir(aside);
		return rc;
	}
	if (lstat(aside, &st) == 0)
		other_owner_fill(other_owner, aside, &st);
	return 0;
}

int place_make(const struct segment_paths *paths, struct other_owner *other_owner)
{
	int fd, rc;

	other_owner->path[0] = 0;
	for (unsigned k = 0; (fd = place_try(paths)) == -EEXIST && k < TRIES; k++)
		if ((rc = stranger_move(paths, other_owner)))
			return rc;
	return fd;
}

int place_open(const struct segment_paths *paths)
{
	int fd = open(paths->directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	if (fstat(fd, &st) == 0 && !others_may_write(&st) &&
	    (st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == paths->cell_owner))
		return fd;
	close(fd);
	return -EPERM;
}

int descriptor_above_stdio(int fd)
{
	int above, error;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return above;
}

int place_file(int dirfd, const char *name, int flags, mode_t mode)
{
	struct stat st;
	int fd = descriptor_above_stdio(openat(dirfd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));

	if (fd < 0)
		return -errno;
	/*
	 * Refuse a file to which the owner of the cell has given a second name. No name at all
	 * means that a successor has just replaced the file.
	 */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1)
		return fd;
	close(fd);
	return -EISDIR;
}
