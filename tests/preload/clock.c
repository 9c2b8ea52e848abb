/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded, shifts the date (not the monotonic clock) by the number of seconds in the file
 * $CLOCK_SHIFT, at any time. "=SECONDS" in it stops the date at this number of seconds since 1970.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	const char *path = getenv("CLOCK_SHIFT");
	long rc = syscall(SYS_clock_gettime, clock, now), seconds = 0;
	FILE *file = clock == CLOCK_REALTIME && path ? fopen(path, "re") : NULL;

	if (file && fscanf(file, "=%ld", &seconds) == 1)
		*now = (struct timespec){ .tv_sec = seconds };
	else if (file && fscanf(file, "%ld", &seconds) == 1)
		now->tv_sec += seconds;
	if (file)
		fclose(file);
	return (int)rc;
}
