/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which store is this? A random name stands in it, and beside it in FILE-identity, so that it is
 * noticed when the store is gone, was cut to nothing, or was put where another one belongs. To
 * begin with an empty one would forget all jobs and usage without a word.
 *
 * Both are made once, the store's first: when FILE-identity is there, the store with that name is
 * on the disk. A start that was killed between the two leaves a store whose name only has to be
 * written down beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/trust.h"

#define BYTES (IDENTITY_CHARS / 2)

static int refuse_new(const char *path, const char *sign, struct error *error)
{
	return error_set(error, -EUCLEAN, "the store %.60s is gone or empty, but %.60s is there: put a backup in its place, without -wal and -shm; or, to begin "
			 "anew, move away what is left of the old one", path, sign);
}

static int marker_read(int directory, const char *file, const char *path, char identity[IDENTITY_CHARS + 1], struct error *error)
{
	char above[PATH_MAX] = "", text[IDENTITY_CHARS + 2] = "";
	const char *slash = strrchr(path, '/');
	ssize_t n;
	int fd;

	*identity = '\0';
	snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	fd = trust_openat(directory, above, file, O_RDONLY, 0, TRUST_WRITE, error);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n != IDENTITY_CHARS + 1 || text[IDENTITY_CHARS] != '\n' || strspn(text, "0123456789abcdef") != IDENTITY_CHARS)
		return error_set(error, -EUCLEAN, "%.60s-identity is damaged: one line of %d hexadecimal digits is due; if the store is the right one, remove it", path,
				 IDENTITY_CHARS);
	memcpy(identity, text, IDENTITY_CHARS);
	identity[IDENTITY_CHARS] = '\0';
	return 0;
}

int identity_look(struct store *s, int directory, const char *name, const char *path, struct error *error)
{
	char file[NAME_MAX + 16], sign[PATH_MAX + 16];
	struct stat st;
	int code;

	snprintf(file, sizeof(file), "%s-identity", name);
	code = marker_read(directory, file, path, s->identity, error);
	if (code || (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0))
		return code;
	snprintf(sign, sizeof(sign), "%s-identity", path);
	if (*s->identity)
		return refuse_new(path, sign, error);
	snprintf(file, sizeof(file), "%s-wal", name);
	snprintf(sign, sizeof(sign), "%s-wal", path);
	if (fstatat(directory, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)	/* SQLite would remove it */
		return refuse_new(path, sign, error);
	return s->sign ? refuse_new(path, s->sign, error) : 0;
}

int identity_new_check(struct store *s, struct error *error)
{
	char sign[PATH_MAX + 16];

	snprintf(sign, sizeof(sign), "%s-identity", s->path);
	if (*s->identity)
		return refuse_new(s->path, sign, error);
	return s->sign ? refuse_new(s->path, s->sign, error) : 0;
}

static int identity_make(char identity[IDENTITY_CHARS + 1], struct error *error)
{
	unsigned char random[BYTES];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_set(error, -EIO, "getrandom: %m");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(identity + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* Whole or not there. */
static int marker_write(int directory, const char *name, const char *identity, struct error *error)
{
	char file[NAME_MAX + 16], new[NAME_MAX + 32], text[IDENTITY_CHARS + 2];
	int fd, code = 0;

	snprintf(file, sizeof(file), "%s-identity", name);
	snprintf(new, sizeof(new), "%s.new", file);
	snprintf(text, sizeof(text), "%s\n", identity);
	if (unlinkat(directory, new, 0) && errno != ENOENT)
		return error_set(error, -errno, "%.90s: %m", new);
	fd = openat(directory, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_set(error, -errno, "%.90s: %m", new);
	errno = ENOSPC;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, 0644) || fsync(fd))
		code = error_set(error, -errno, "%.90s: %m", new);
	close(fd);
	if (code == 0 && (fsync(directory) || renameat(directory, new, directory, file) || fsync(directory)))
		code = error_set(error, -errno, "%.90s: %m", file);
	if (code)
		unlinkat(directory, new, 0);
	return code;
}

int identity_settle(struct store *s, int directory, const char *name, struct error *error)
{
	char own[IDENTITY_CHARS + 1] = "";
	int code = store_meta_get(s, "identity", own, sizeof(own), error);

	if (code && code != -ENOENT && code != -EFBIG)
		return code;
	if (*s->identity)
		return strcmp(own, s->identity) == 0 ? 0 :
		       error_set(error, -EUCLEAN, "the store %.60s is not the one that belongs here, whose name is in %.60s-identity: put that one back; or, if this "
				 "one is to take its place, remove that file", s->path, s->path);
	code = 0;
	if (!*own) {
		code = identity_make(own, error);
		if (code == 0)
			code = store_meta_put(s, "identity", own, error);
		if (code == 0)
			code = store_commit(s, error);
	}
	return code ? code : marker_write(directory, name, own, error);
}
