/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/qmaster/journal/journal.h"

/* Number of FILE and the older files. With FILE.new there are JOURNAL_FILES. */
#define KEPT (JOURNAL_FILES - 1)

static const unsigned char zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

bool journal_file_name(char *name, size_t bytes, const char *path, unsigned k)
{
	int n = k ? snprintf(name, bytes, "%s.%u", path, k) : snprintf(name, bytes, "%s", path);

	return n > 0 && (size_t)n < bytes;
}

static int system_error(struct error *error, const char *name, const char *what)
{
	int code = errno;

	return error_set(error, -code, "%.180s: %s: %s", name, what, strerror(code));
}

/* Return whether a file is empty or begins like a journal. */
static bool looks_like_one(int fd, const struct stat *st)
{
	unsigned char begin[sizeof(zstd_magic)];

	return st->st_size == 0 || (pread(fd, begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
				    memcmp(begin, zstd_magic, sizeof(begin)) == 0);
}

/* Check that a file may be renamed or removed as a part of this journal. */
static int check_ours(const char *name, struct error *error)
{
	struct stat st;
	int rc = 0, fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT	? 0
		       : errno == ELOOP ? error_set(error, -EPERM, "%.180s is a symbolic link", name)
					: system_error(error, name, "open");
	if (fstat(fd, &st))
		rc = system_error(error, name, "fstat");
	else if (!S_ISREG(st.st_mode))
		rc = error_set(error, -EPERM, "%.180s is not a regular file", name);
	else if (st.st_uid != geteuid())
		rc = error_set(error, -EPERM, "%.180s belongs to user %u", name, (unsigned)st.st_uid);
	else if (!looks_like_one(fd, &st))
		rc = error_set(error, -EPERM, "%.180s is not a journal and is left unchanged", name);
	else if (flock(fd, LOCK_EX | LOCK_NB))
		rc = errno == EWOULDBLOCK ? error_set(error, -EBUSY, "%.180s is being written by another process", name)
					  : system_error(error, name, "flock");
	close(fd);
	return rc;
}

int journal_files_begin(struct journal_files *files, struct error *error)
{
	char name[PATH_MAX], fresh[PATH_MAX];
	int rc = 0;

	if (!journal_file_name(name, sizeof(name), files->path, KEPT) ||
	    snprintf(fresh, sizeof(fresh), "%s.new", files->path) >= (int)sizeof(fresh))
		return error_set(error, -ENAMETOOLONG, "the name of the journal is too long");
	/* FILE may be the file that is open here */
	rc = files->fd < 0 ? check_ours(files->path, error) : 0;
	for (unsigned k = 1; rc == 0 && k < KEPT; k++) {
		journal_file_name(name, sizeof(name), files->path, k);
		rc = check_ours(name, error);
	}
	if (rc == 0)
		rc = check_ours(fresh, error);
	if (rc)
		return rc;
	journal_files_end(files);
	unlink(fresh);
	files->fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (files->fd < 0)
		return system_error(error, fresh, "open");
	files->used = 0;
	files->fresh = true;
	if (flock(files->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	rc = system_error(error, fresh, "flock");
	journal_files_end(files);
	return rc;
}

int journal_files_write(struct journal_files *files, const void *bytes, size_t n, struct error *error)
{
	const char *p = bytes;

	if (n > files->part_bytes - files->used)
		return error_set(error, -EFBIG, "%.160s: a part would exceed the limit of %llu bytes",
				 files->path, (unsigned long long)files->part_bytes);
	while (n > 0) {
		ssize_t done = write(files->fd, p, n);

		if (done < 0 && errno != EINTR)
			return system_error(error, files->path, "write");
		if (done > 0) {
			files->used += (uint64_t)done;
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

int journal_files_settle(struct journal_files *files, struct error *error)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!files->fresh)
		return 0;
	for (unsigned k = KEPT - 1; k > 0; k--) {
		journal_file_name(from, sizeof(from), files->path, k - 1);
		journal_file_name(to, sizeof(to), files->path, k);
		if (rename(from, to) && errno != ENOENT)
			return system_error(error, from, "rename");
	}
	snprintf(from, sizeof(from), "%s.new", files->path);
	if (rename(from, files->path))
		return system_error(error, from, "rename");
	files->fresh = false;
	return 0;
}

void journal_files_end(struct journal_files *files)
{
	char fresh[PATH_MAX];

	if (files->fd < 0)
		return;
	if (files->fresh && snprintf(fresh, sizeof(fresh), "%s.new", files->path) < (int)sizeof(fresh))
		unlink(fresh);
	close(files->fd);
	files->fd = -1;
	files->fresh = false;
}
