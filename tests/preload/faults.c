/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, simulates a disk with faults. Each change of a file below $FAULTS_BELOW (write, sync,
 * truncation, rename, creation) is counted while the file $FAULTS_SWITCH exists, or always if it is
 * not set. The change with the number $FAULTS_KILL kills the process before it happens. Of the
 * others one in $FAULTS_ONE_IN, by chance from $FAULTS_SEED on, fails with EIO.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

/* The kernel's calls with our names in place of glibc's. */
SHOWN ssize_t pwrite64(int fd, const void *bytes, size_t n, long at);
SHOWN int ftruncate64(int fd, long size);

static unsigned long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

static bool is_watched(int fd)
{
	const char *below = getenv("FAULTS_BELOW"), *on = getenv("FAULTS_SWITCH");
	char link[40], path[4096];
	ssize_t n;

	if (!below || (on && access(on, F_OK)))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return strncmp(path, below, strlen(below)) == 0;
}

/* Return whether this call fails. */
static bool strikes(int fd)
{
	static unsigned long calls;
	static unsigned seed;
	unsigned long one_in = number_of("FAULTS_ONE_IN");
	int before = errno;

	if (!is_watched(fd)) {
		errno = before;
		return false;
	}
	if (calls++ == 0)
		seed = (unsigned)number_of("FAULTS_SEED");
	if (calls == number_of("FAULTS_KILL"))
		kill(getpid(), SIGKILL);
	errno = EIO;
	return one_in && (unsigned)rand_r(&seed) % one_in == 0;
}

SHOWN ssize_t pwrite64(int fd, const void *bytes, size_t n, long at)
{
	return strikes(fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, n, at);
}

SHOWN ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	return pwrite64(fd, bytes, n, at);
}

SHOWN ssize_t write(int fd, const void *bytes, size_t n)
{
	return strikes(fd) ? -1 : syscall(SYS_write, fd, bytes, n);
}

SHOWN int fsync(int fd)
{
	return strikes(fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

SHOWN int fdatasync(int fd)
{
	return strikes(fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

SHOWN int ftruncate64(int fd, long size)
{
	return strikes(fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

SHOWN int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

SHOWN int renameat(int from, const char *old, int to, const char *new)
{
	return strikes(from) ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

SHOWN int mkdirat(int at, const char *name, mode_t mode)
{
	return strikes(at) ? -1 : (int)syscall(SYS_mkdirat, at, name, mode);
}
