/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 52 numbers and a name of up to 64 bytes; we use fields at the beginning */
#define STAT_BYTES 1024

static ssize_t stat_text(pid_t pid, char *text, size_t size)
{
	char path[32];
	ssize_t n;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	error = errno;
	close(fd);
	if (n < 0)
		return -error;
	text[n] = '\0';
	return n;
}

/*
 * The name may contain blanks and parentheses, so the fields are read after the last parenthesis.
 */
int process_read(pid_t pid, struct process_status *status)
{
	char text[STAT_BYTES];
	ssize_t n = stat_text(pid, text, sizeof(text));
	const char *rest;
	int parent;

	if (n == -ENOENT)
		return -ESRCH;
	if (n < 0)
		return (int)n;
	rest = strrchr(text, ')');
	if (!rest ||
	    sscanf(rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
		   &status->state, &parent, &status->start) != 3)
		return -EIO;
	status->parent = parent;
	return 0;
}
