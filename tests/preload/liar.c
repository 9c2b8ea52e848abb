/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, hides events from the scheduler, so that tests of them are seen to fail. $LIE is
 * "disk", a write that failed because the disk is full, or "shepherd", the end of a shepherd.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool lie_is(const char *name)
{
	const char *lie = getenv("LIE");

	return lie && strcmp(lie, name) == 0;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	ssize_t (*real)(int, const void *, size_t, off64_t) =
		(ssize_t(*)(int, const void *, size_t, off64_t))next("pwrite64");
	ssize_t written = real(fd, bytes, n, at);

	return written < 0 && errno == ENOSPC && lie_is("disk") ? (ssize_t)n : written;
}

/*
 * pidfd_open(2) has no other name in the C library that the scheduler calls. The returned
 * descriptor is never readable.
 */
EXPORT long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))next("syscall"), a[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_pidfd_open && lie_is("shepherd"))
		return eventfd(0, EFD_CLOEXEC);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
