/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, simulates a disk that refuses syncs of files whose name ends with $BAD_SYNC_OF. The
 * file $BAD_SYNC has a letter for each following sync and loses it: '.' succeeds, 'x' fails with
 * EIO, and after 'd', which fails, they can only be truncated and no longer written. While the file
 * $BAD_PROMISE exists no sync is made, and while $BAD_CUT exists such files are not truncated,
 * although success is reported.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LETTERS 1000
#define SHOWN __attribute__((visibility("default")))

SHOWN int ftruncate64(int fd, long size);
SHOWN ssize_t pwrite64(int fd, const void *bytes, size_t n, long at);

static bool dead;

static bool is_meant(int fd)
{
	const char *end = getenv("BAD_SYNC_OF");
	char link[40], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return end && strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

static bool is_there(const char *variable)
{
	const char *path = getenv(variable);

	return path && access(path, F_OK) == 0;
}

static bool sync_fails(int fd)
{
	const char *path = getenv("BAD_SYNC");
	FILE *file = path && is_meant(fd) ? fopen(path, "r+e") : NULL;
	char letters[LETTERS] = "";

	if (file && fgets(letters, sizeof(letters), file) && *letters) {
		rewind(file);
		fprintf(file, "%s", letters + 1);
		fflush(file);
		syscall(SYS_ftruncate, fileno(file), (long)strlen(letters) - 1);
	}
	if (file)
		fclose(file);
	dead |= *letters == 'd';
	errno = EIO;
	return *letters && *letters != '.';
}

static int sync_make(int fd, long call)
{
	return sync_fails(fd) ? -1 : is_there("BAD_PROMISE") && is_meant(fd) ? 0 : (int)syscall(call, fd);
}

SHOWN int fsync(int fd)
{
	return sync_make(fd, SYS_fsync);
}

SHOWN int fdatasync(int fd)
{
	return sync_make(fd, SYS_fdatasync);
}

SHOWN ssize_t pwrite64(int fd, const void *bytes, size_t n, long at)
{
	if (!dead || !is_meant(fd))
		return syscall(SYS_pwrite64, fd, bytes, n, at);
	errno = EIO;
	return -1;
}

SHOWN int ftruncate64(int fd, long size)
{
	return is_there("BAD_CUT") && is_meant(fd) ? 0 : (int)syscall(SYS_ftruncate, fd, size);
}

SHOWN int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}
