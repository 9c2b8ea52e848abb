/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40
#define ALWAYS (O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define ON_THE_WAY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Checks of one file */

static void user_name(uid_t uid, char *text, size_t size)
{
	struct passwd entry, *found = NULL;
	char memory[2048];

	if (getpwuid_r(uid, &entry, memory, sizeof(memory), &found) == 0 && found)
		snprintf(text, size, "user %u (%.32s)", (unsigned)uid, found->pw_name);
	else
		snprintf(text, size, "user %u", (unsigned)uid);
}

static bool is_ours(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static int refuse(const struct stat *st, const char *path, bool foreign, unsigned others, struct error *error)
{
	unsigned mode = (unsigned)st->st_mode & 07777;
	char owner[64], due[64];

	user_name(st->st_uid, owner, sizeof(owner));
	user_name(geteuid(), due, sizeof(due));
	if (foreign)
		return error_set(
			error, -EPERM,
			"%.90s: it belongs to %s and has mode %04o; only root%s%s may own it: "
			"use another path, or chown it if you trust its contents",
			path, owner, mode, geteuid() ? " or " : "", geteuid() ? due : "");
	return error_set(
		error, -EPERM,
		"%.90s: it belongs to %s and has mode %04o, so others may %s it; %04o is expected: "
		"chmod it if you trust its contents",
		path, owner, mode, mode & others & 022 ? "change" : "read", mode & ~others);
}

/* Check an owner and a mode. `also`: another accepted owner; 0: none. */
static int check(const struct stat *st, const char *path, unsigned others, uid_t also, bool on_the_way,
		 struct error *error)
{
	mode_t forbidden = others & 0777;

	if (!is_ours(st->st_uid) && (!also || st->st_uid != also))
		return refuse(st, path, true, forbidden, error);
	/* the mode of a link has no effect */
	if (S_ISLNK(st->st_mode) || (on_the_way && st->st_mode & S_ISVTX))
		return 0;
	if (on_the_way)
		forbidden = 022;
	if (st->st_mode & forbidden)
		return refuse(st, path, false, forbidden, error);
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return error_set(
			error, -EPERM,
			"%.90s: this file has a second name (a hard link): replace it by a copy",
			path);
	return 0;
}

int trust_check(const struct stat *st, const char *path, unsigned others, struct error *error)
{
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return error_set(error, -EINVAL, "%.90s: it is not a regular file", path);
	return check(st, path, others, 0, false, error);
}

/* Path */

struct way {
	int fd;				/* directory reached so far; -1: none */
	char at[PATH_MAX];		/* its name */
	char rest[PATH_MAX];		/* rest of the path */
	unsigned links, others;
	uid_t delegate;			/* additional accepted owner; 0: none */
	bool shared;			/* true if other users may create files in that directory */
};

static int way_root(struct way *way, struct error *error)
{
	if (way->fd >= 0)
		close(way->fd);
	way->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	strcpy(way->at, "");
	way->shared = false;
	return way->fd < 0 ? error_set(error, -errno, "/: %m") : 0;
}

static int too_long(const char *path, struct error *error)
{
	return error_set(error, -ENAMETOOLONG, "%.80s...: longer than %d bytes", path, PATH_MAX - 1);
}

/* Put `front` before the rest of the path. */
static int way_add(struct way *way, const char *front, struct error *error)
{
	size_t length = strlen(front), rest = strlen(way->rest);

	if (length + rest + 2 > sizeof(way->rest))
		return too_long(front, error);
	memmove(way->rest + length + 1, way->rest, rest + 1);
	memcpy(way->rest, front, length);
	way->rest[length] = '/';
	return *front == '/' ? way_root(way, error) : 0;
}

static int way_begin(struct way *way, const char *path, unsigned others, struct error *error)
{
	char here[PATH_MAX];
	int rc;

	*way = (struct way){ .fd = -1, .others = others };
	if (!*path)
		return error_set(error, -ENOENT, "\"\": %s", strerror(ENOENT));
	if (strlen(path) >= sizeof(way->rest))
		return too_long(path, error);
	strcpy(way->rest, path);
	if (*path == '/')
		return way_root(way, error);
	if (!getcwd(here, sizeof(here)))
		return error_set(error, -errno, "the working directory: %m");
	rc = *here == '/' ? way_add(way, here, error)
			  : error_set(error, -ENOENT, "the working directory cannot be opened");
	return rc;
}

static void way_end(struct way *way)
{
	if (way->fd >= 0)
		close(way->fd);
}

/* Take the next name off the rest; false: there is none. *last: only slashes follow it. */
static bool way_next(struct way *way, char name[NAME_MAX + 2], bool *last)
{
	const char *begin = way->rest + strspn(way->rest, "/");
	size_t length = strcspn(begin, "/"), kept = length > NAME_MAX ? NAME_MAX + 1 : length;
	const char *after = begin + length + strspn(begin + length, "/");

	memcpy(name, begin, kept);		/* a name that is too long stays too long */
	name[kept] = '\0';
	*last = !*after;
	memmove(way->rest, after, strlen(after) + 1);
	return length > 0;
}

static int way_name(const struct way *way, const char *name, char path[PATH_MAX], struct error *error)
{
	return snprintf(path, PATH_MAX, "%s/%s", way->at, name) < PATH_MAX ? 0 : too_long(way->at, error);
}

/* Accept the owner of an entry in a directory that only trusted users can change. */
static void way_delegate(struct way *way, const struct stat *st)
{
	if (way->others & TRUST_DELEGATED && !way->shared && !way->delegate && !is_ours(st->st_uid))
		way->delegate = st->st_uid;
}

/* Continue at the target of the link. */
static int way_follow(struct way *way, const char *name, const char *path, struct error *error)
{
	int fd = openat(way->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc;
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st)) {
		rc = error_set(error, -errno, "%.90s: %m", path);
	} else if (!S_ISLNK(st.st_mode)) {
		rc = error_set(error, -ENOTDIR, "%.90s: %s", path, strerror(ENOTDIR));
	} else if (++way->links > LINKS_MAX) {
		rc = error_set(error, -ELOOP, "%.90s: %s", path, strerror(ELOOP));
	} else if ((rc = check(&st, path, TRUST_WRITE, way->delegate, true, error)) == 0) {
		n = readlinkat(fd, "", target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		rc = n > 0 ? way_add(way, target, error)
			   : error_set(error, -ENOENT, "%.90s: %s", path, strerror(ENOENT));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Enter a directory. A link only changes the rest of the path. */
static int way_step(struct way *way, const char *name, struct error *error)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, rc = way_name(way, name, path, error);

	if (rc)
		return rc;
	fd = openat(way->fd, name, ON_THE_WAY);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? way_follow(way, name, path, error)
							  : error_set(error, -errno, "%.90s: %m", path);
	rc = fstat(fd, &st) ? error_set(error, -errno, "%.90s: %m", path) : 0;
	if (rc == 0) {
		way_delegate(way, &st);
		rc = check(&st, path, TRUST_WRITE, way->delegate, true, error);
	}
	if (rc) {
		close(fd);
		return rc;
	}
	close(way->fd);
	way->fd = fd;
	way->shared = st.st_mode & 022;
	if (strcmp(name, "..") == 0)
		*(strrchr(way->at, '/') ? strrchr(way->at, '/') : way->at) = '\0';
	else if (strcmp(name, ".") != 0)
		strcpy(way->at, path);
	return 0;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_checked(int at, const char *name, const char *path, int flags, mode_t mode, unsigned others,
			struct way *way, struct error *error)
{
	int fd = openat(at, name, flags | O_NOFOLLOW | ALWAYS, mode), rc = -errno;
	struct stat st;

	if (fd < 0)
		return error_set(error, rc, "%.90s: %s", path,
				 rc == -ELOOP ? "it is a link, and links are not followed here" : strerror(-rc));
	if (fstat(fd, &st)) {
		rc = error_set(error, -errno, "%.90s: %m", path);
	} else if (!(flags & O_DIRECTORY) && !S_ISREG(st.st_mode)) {
		rc = error_set(error, -EINVAL, "%.90s: it is not a regular file", path);
	} else {
		if (way)
			way_delegate(way, &st);
		rc = check(&st, path, others, way ? way->delegate : 0, others & TRUST_PASSING, error);
	}
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/*
 * Open the end of the path. *found is its descriptor, or -1 if it was a link, which only changes
 * the rest.
 */
static int way_open(struct way *way, const char *name, int flags, mode_t mode, int *found, struct error *error)
{
	char path[PATH_MAX];
	int rc = way_name(way, is_dots(name) ? "" : name, path, error);

	*found = -1;
	if (rc)
		return rc;
	rc = open_checked(way->fd, name, path, flags, mode, way->others, way, error);
	if (rc >= 0) {
		*found = rc;
		return 0;
	}
	return (rc == -ELOOP || rc == -ENOTDIR) && !(flags & O_NOFOLLOW) ? way_follow(way, name, path, error) : rc;
}

int trust_open(const char *path, int flags, mode_t mode, unsigned others, struct error *error)
{
	struct way way;
	int rc = way_begin(&way, path, others, error), found = -1;

	while (rc == 0 && found < 0) {
		char name[NAME_MAX + 2];
		bool last, more = way_next(&way, name, &last);

		if (more && (!last || is_dots(name)))
			rc = way_step(&way, name, error);
		else
			rc = way_open(&way, more ? name : ".", flags, mode, &found, error);
	}
	way_end(&way);
	return rc ? rc : found;
}

int trust_openat(int at, const char *directory, const char *name, int flags, mode_t mode, unsigned others,
		 struct error *error)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= PATH_MAX)
		return too_long(directory, error);
	return open_checked(at, name, path, flags, mode, others, NULL, error);
}

/* Public functions */

int trust_open_above(const char *path, const char **name, unsigned others, struct error *error)
{
	char above[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;

	if (length >= sizeof(above))
		return too_long(path, error);
	*name = slash ? slash + 1 : path;
	memcpy(above, path, length);
	above[length] = '\0';
	return trust_open(length ? above : ".", O_RDONLY | O_DIRECTORY, 0, others, error);
}

int trust_make(const char *path, struct error *error)
{
	size_t length = strlen(path);
	const char *name;
	char *copy;
	int at, rc = trust_open(path, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);

	if (rc != -ENOENT || !length)
		return rc;
	while (length > 1 && path[length - 1] == '/')
		length--;
	copy = strndup(path, length);
	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	at = rc = trust_open_above(copy, &name, TRUST_WRITE | TRUST_PASSING, error);
	if (at >= 0) {
		rc = mkdirat(at, name, 0755) && errno != EEXIST ? error_set(error, -errno, "%.90s: %m", path) : 0;
		close(at);
	}
	free(copy);
	return rc < 0 ? rc : trust_open(path, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);
}

static int survey(int fd, const char *path, const char *except, bool below, struct error *error);

static int survey_entry(int at, const char *path, const char *name, bool below, struct error *error)
{
	char whole[PATH_MAX];
	struct stat st;
	int fd, rc;

	if (snprintf(whole, sizeof(whole), "%s/%s", path, name) >= (int)sizeof(whole) ||
	    fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (S_ISDIR(st.st_mode) && below) {
		fd = trust_openat(at, path, name, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);
		return fd < 0 ? fd : survey(fd, whole, "", false, error);
	}
	if (!S_ISLNK(st.st_mode))
		return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? check(&st, whole, TRUST_WRITE, 0, false, error) : 0;
	fd = rc = trust_open(whole, O_RDONLY, 0, TRUST_WRITE, error);
	if (fd >= 0)
		close(fd);
	return rc == -EPERM ? rc : 0;
}

/* Check all entries of a directory. Closes the descriptor. */
static int survey(int fd, const char *path, const char *except, bool below, struct error *error)
{
	DIR *directory = fdopendir(fd);
	const struct dirent *entry;
	int rc = 0;

	if (!directory) {
		close(fd);
		return error_set(error, -ENOMEM, "out of memory");
	}
	while (rc == 0 && (entry = readdir(directory)))
		if (!is_dots(entry->d_name) && strcmp(entry->d_name, except) != 0)
			rc = survey_entry(fd, path, entry->d_name, below, error);
	closedir(directory);
	return rc;
}

int trust_survey(const char *path, const char *except, struct error *error)
{
	int fd = trust_open(path, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);

	return fd < 0 ? fd : survey(fd, path, except, true, error);
}
