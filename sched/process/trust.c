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

/*
 * ---- one thing ----------------------------------------------------------------------------------
 * ---------------------------------
 */

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
		return error_set(error, -EPERM, "%.90s: it belongs to %s and has mode %04o; only root%s%s may own it: take another place, or chown it if you "
				 "trust what is in it", path, owner, mode, geteuid() ? " or " : "", geteuid() ? due : "");
	return error_set(error, -EPERM, "%.90s: it belongs to %s and has mode %04o, so others may %s it; %04o is expected: chmod it if you trust what is in it", path,
			 owner, mode, mode & others & 022 ? "change" : "read", mode & ~others);
}

/* `also`: another owner who will do; 0: none. */
static int check(const struct stat *st, const char *path, unsigned others, uid_t also, bool on_the_way, struct error *error)
{
	mode_t forbidden = others & 0777;

	if (!is_ours(st->st_uid) && (!also || st->st_uid != also))
		return refuse(st, path, true, forbidden, error);
	/* a link's mode says nothing */
	if (S_ISLNK(st->st_mode) || (on_the_way && st->st_mode & S_ISVTX))
		return 0;
	if (on_the_way)
		forbidden = 022;
	if (st->st_mode & forbidden)
		return refuse(st, path, false, forbidden, error);
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return error_set(error, -EPERM, "%.90s: this file has another name somewhere (a hard link): copy it, and put the copy in its place", path);
	return 0;
}

int trust_check(const struct stat *st, const char *path, unsigned others, struct error *error)
{
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return error_set(error, -EINVAL, "%.90s: it is no regular file", path);
	return check(st, path, others, 0, false, error);
}

/*
 * ---- the way ------------------------------------------------------------------------------------
 * ---------------------------------
 */

struct way {
	int fd;				/* of the directory reached so far; -1: none */
	char at[PATH_MAX];		/* what it is called */
	char rest[PATH_MAX];		/* what is still to go */
	unsigned links, others;
	uid_t delegate;			/* 0: nobody */
	bool shared;			/* others may make something in that directory */
};

static int way_root(struct way *w, struct error *error)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	strcpy(w->at, "");
	w->shared = false;
	return w->fd < 0 ? error_set(error, -errno, "/: %m") : 0;
}

static int too_long(const char *path, struct error *error)
{
	return error_set(error, -ENAMETOOLONG, "%.80s...: longer than %d bytes", path, PATH_MAX - 1);
}

/* `front` comes before what is still to go. */
static int way_add(struct way *w, const char *front, struct error *error)
{
	size_t length = strlen(front), rest = strlen(w->rest);

	if (length + rest + 2 > sizeof(w->rest))
		return too_long(front, error);
	memmove(w->rest + length + 1, w->rest, rest + 1);
	memcpy(w->rest, front, length);
	w->rest[length] = '/';
	return *front == '/' ? way_root(w, error) : 0;
}

static int way_begin(struct way *w, const char *path, unsigned others, struct error *error)
{
	char here[PATH_MAX];
	int rc;

	*w = (struct way){ .fd = -1, .others = others };
	if (!*path)
		return error_set(error, -ENOENT, "\"\": %s", strerror(ENOENT));
	if (strlen(path) >= sizeof(w->rest))
		return too_long(path, error);
	strcpy(w->rest, path);
	if (*path == '/')
		return way_root(w, error);
	if (!getcwd(here, sizeof(here)))
		return error_set(error, -errno, "the working directory: %m");
	rc = *here == '/' ? way_add(w, here, error) : error_set(error, -ENOENT, "the working directory can't be reached");
	return rc;
}

static void way_end(struct way *w)
{
	if (w->fd >= 0)
		close(w->fd);
}

/*
 * Takes the next name off the rest; false: there is none. *last: nothing but slashes stands behind
 * it.
 */
static bool way_next(struct way *w, char name[NAME_MAX + 2], bool *last)
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(begin, "/"), kept = length > NAME_MAX ? NAME_MAX + 1 : length;
	const char *behind = begin + length + strspn(begin + length, "/");

	memcpy(name, begin, kept);		/* one that is too long stays so */
	name[kept] = '\0';
	*last = !*behind;
	memmove(w->rest, behind, strlen(behind) + 1);
	return length > 0;
}

static int way_name(const struct way *w, const char *name, char path[PATH_MAX], struct error *error)
{
	return snprintf(path, PATH_MAX, "%s/%s", w->at, name) < PATH_MAX ? 0 : too_long(w->at, error);
}

/* Whom root has given what stands in a directory of ours where nobody else can make anything. */
static void way_delegate(struct way *w, const struct stat *st)
{
	if (w->others & TRUST_DELEGATED && !w->shared && !w->delegate && !is_ours(st->st_uid))
		w->delegate = st->st_uid;
}

/* Goes to what the link leads to. */
static int way_follow(struct way *w, const char *name, const char *path, struct error *error)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc;
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st)) {
		rc = error_set(error, -errno, "%.90s: %m", path);
	} else if (!S_ISLNK(st.st_mode)) {
		rc = error_set(error, -ENOTDIR, "%.90s: %s", path, strerror(ENOTDIR));
	} else if (++w->links > LINKS_MAX) {
		rc = error_set(error, -ELOOP, "%.90s: %s", path, strerror(ELOOP));
	} else if ((rc = check(&st, path, TRUST_WRITE, w->delegate, true, error)) == 0) {
		n = readlinkat(fd, "", target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		rc = n > 0 ? way_add(w, target, error) : error_set(error, -ENOENT, "%.90s: %s", path, strerror(ENOENT));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* To a directory; where there is a link, only the rest is another one. */
static int way_step(struct way *w, const char *name, struct error *error)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, rc = way_name(w, name, path, error);

	if (rc)
		return rc;
	fd = openat(w->fd, name, ON_THE_WAY);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? way_follow(w, name, path, error) : error_set(error, -errno, "%.90s: %m", path);
	rc = fstat(fd, &st) ? error_set(error, -errno, "%.90s: %m", path) : 0;
	if (rc == 0) {
		way_delegate(w, &st);
		rc = check(&st, path, TRUST_WRITE, w->delegate, true, error);
	}
	if (rc) {
		close(fd);
		return rc;
	}
	close(w->fd);
	w->fd = fd;
	w->shared = st.st_mode & 022;
	if (strcmp(name, "..") == 0)
		*(strrchr(w->at, '/') ? strrchr(w->at, '/') : w->at) = '\0';
	else if (strcmp(name, ".") != 0)
		strcpy(w->at, path);
	return 0;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_checked(int at, const char *name, const char *path, int flags, mode_t mode, unsigned others, struct way *w, struct error *error)
{
	int fd = openat(at, name, flags | O_NOFOLLOW | ALWAYS, mode), rc = -errno;
	struct stat st;

	if (fd < 0)
		return error_set(error, rc, "%.90s: %s", path, rc == -ELOOP ? "it is a link, and links are not followed here" : strerror(-rc));
	if (fstat(fd, &st)) {
		rc = error_set(error, -errno, "%.90s: %m", path);
	} else if (!(flags & O_DIRECTORY) && !S_ISREG(st.st_mode)) {
		rc = error_set(error, -EINVAL, "%.90s: it is no regular file", path);
	} else {
		if (w)
			way_delegate(w, &st);
		rc = check(&st, path, others, w ? w->delegate : 0, others & TRUST_PASSING, error);
	}
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/*
 * What the way leads to: *found is its descriptor, or -1 when there was a link, which only changes
 * the rest.
 */
static int way_open(struct way *w, const char *name, int flags, mode_t mode, int *found, struct error *error)
{
	char path[PATH_MAX];
	int rc = way_name(w, is_dots(name) ? "" : name, path, error);

	*found = -1;
	if (rc)
		return rc;
	rc = open_checked(w->fd, name, path, flags, mode, w->others, w, error);
	if (rc >= 0) {
		*found = rc;
		return 0;
	}
	return (rc == -ELOOP || rc == -ENOTDIR) && !(flags & O_NOFOLLOW) ? way_follow(w, name, path, error) : rc;
}

int trust_open(const char *path, int flags, mode_t mode, unsigned others, struct error *error)
{
	struct way w;
	int rc = way_begin(&w, path, others, error), found = -1;

	while (rc == 0 && found < 0) {
		char name[NAME_MAX + 2];
		bool last, more = way_next(&w, name, &last);

		if (more && (!last || is_dots(name)))
			rc = way_step(&w, name, error);
		else
			rc = way_open(&w, more ? name : ".", flags, mode, &found, error);
	}
	way_end(&w);
	return rc ? rc : found;
}

int trust_openat(int at, const char *directory, const char *name, int flags, mode_t mode, unsigned others, struct error *error)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= PATH_MAX)
		return too_long(directory, error);
	return open_checked(at, name, path, flags, mode, others, NULL, error);
}

/*
 * ---- more than one ------------------------------------------------------------------------------
 * ---------------------------------
 */

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

	if (snprintf(whole, sizeof(whole), "%s/%s", path, name) >= (int)sizeof(whole) || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
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

/* Takes the descriptor. */
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
