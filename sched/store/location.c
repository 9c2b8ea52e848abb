/* SPDX-License-Identifier: Apache-2.0 */
/* Location of the store: its files, their owners, and the right to write to them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/process/trust.h"

#define SMB2_MAGIC 0xfe534d42u
#define CIFS_MAGIC 0xff534d42u

/*
 * Refuse network file systems. Readers and the writer share memory, which another machine cannot.
 */
static int check_file_system(int fd, const char *path, struct error *error)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return error_set(error, -errno, "%.100s: %m", path);
	if (fs.f_type == NFS_SUPER_MAGIC || (uint32_t)fs.f_type == SMB2_MAGIC || (uint32_t)fs.f_type == CIFS_MAGIC)
		return error_set(error, -ENOTSUP,
				 "the store %.60s is on a network file system: move it to a local disk", path);
	return 0;
}

char *path_beside(const char *path, const char *suffix)
{
	char *beside = malloc(strlen(path) + strlen(suffix) + 1);

	return beside ? strcat(strcpy(beside, path), suffix) : NULL;
}

int store_open_beside(const struct store *store, const char *suffix, int flags, mode_t mode, struct error *error)
{
	const char *path = store->opening.path, *name = store->opening.name;
	char above[PATH_MAX], file[NAME_MAX + 16];

	snprintf(above, sizeof(above), "%.*s", name == path ? 1 : (int)(name - path) - (name > path + 1),
		 name == path ? "." : path);
	if (snprintf(file, sizeof(file), "%s%s", name, suffix) >= (int)sizeof(file))
		return error_set(error, -ENAMETOOLONG, "%.90s: %s", path, strerror(ENAMETOOLONG));
	return trust_openat(store->opening.directory, above, file, flags, mode, TRUST_WRITE, error);
}

/*
 * Check the files beside the store before SQLite opens them by name. A log or a journal created by
 * another user would be taken for data of the store.
 */
static int check_companions(const struct store *store, struct error *error)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal", "-receipt" };
	char companion[NAME_MAX + 16], path[PATH_MAX + 16];
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(companion, sizeof(companion), "%s%s", store->opening.name, suffixes[i]);
		snprintf(path, sizeof(path), "%s%s", store->opening.path, suffixes[i]);
		if (fstatat(store->opening.directory, companion, &st, AT_SYMLINK_NOFOLLOW) == 0)
			rc = S_ISREG(st.st_mode) ? trust_check(&st, path, TRUST_WRITE, error) :
			     error_set(error, -EINVAL, "%.90s is not a regular file", path);
	}
	return rc;
}

/* Lock the store until the process ends, in any way. SQLite's own locks are of another kind. */
int store_lock(struct store *store, struct error *error)
{
	const char *path = store->opening.path;
	struct stat st;
	int rc = 0;

	if (fstatat(store->opening.directory, store->opening.name, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		rc = receipt_new_check(store, true, error);
	if (rc == 0)
		store->lock_fd = rc = store_open_beside(store, "", O_RDWR | O_CREAT, 0600, error);
	if (rc >= 0)
		rc = check_companions(store, error);
	if (rc)
		return rc;
	if (flock(store->lock_fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? error_set(error, -EBUSY, "another process has the store %.80s open", path)
					    : error_set(error, -errno, "cannot lock the store %.100s: %m", path);
	if (fstat(store->lock_fd, &st))
		return error_set(error, -errno, "%.100s: %m", path);
	rc = st.st_size ? 0 : receipt_new_check(store, true, error);
	return rc ? rc : check_file_system(store->lock_fd, path, error);
}
