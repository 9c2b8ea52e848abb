/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, a disk that refuses syncs: of files whose name ends with $BAD_SYNC_OF as many fail
 * with EIO as the file $BAD_SYNC says, which is counted down. While the file $BAD_PROMISE is there
 * none is made, and while $BAD_CUT is there such files are not cut short, though both is promised.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN int ftruncate64(int fd, long size);

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
	unsigned left = 0;

	if (file && fscanf(file, "%u", &left) == 1 && left > 0) {
		rewind(file);
		fprintf(file, "%u\n", left - 1);
	}
	if (file)
		fclose(file);
	errno = EIO;
	return left > 0;
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

SHOWN int ftruncate64(int fd, long size)
{
	return is_there("BAD_CUT") && is_meant(fd) ? 0 : (int)syscall(SYS_ftruncate, fd, size);
}

SHOWN int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}
