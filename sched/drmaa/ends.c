/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How jobs have ended: lines that come to the accounting file. They are there before anybody is
 * told that the job has ended, whoever starts or ends the scheduler meanwhile. The file may be
 * moved away; then what is left of the old one is read first.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/drmaa/inside.h"

#define CHUNK_BYTES 65536	/* longer than any line */

enum { FIELD_JOB = 5, FIELD_FAILED = 11, FIELD_EXIT = 12, FIELD_TASK = 35, FIELDS = 36 };	/* of accounting(5), from 0 */

static void file_open(struct ends *e, int64_t offset)
{
	struct stat st;

	e->fd = e->path && *e->path ? open(e->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	if (e->fd >= 0 && (fstat(e->fd, &st) || !S_ISREG(st.st_mode))) {
		close(e->fd);
		e->fd = -1;
	}
	if (e->fd >= 0) {
		e->inode = st.st_ino;
		e->offset = offset < 0 ? st.st_size : offset;
	}
}

void ends_begin(struct ends *e, const char *path)
{
	*e = (struct ends){ .fd = -1, .path = strdup(path) };
	file_open(e, -1);
}

void ends_close(struct ends *e)
{
	if (e->fd >= 0)
		close(e->fd);
	free(e->path);
	*e = (struct ends){ .fd = -1 };
}

/* Whether it waits again: exit codes 99 and 100, and what kept it from being run. */
static bool runs_again(long failed, long exit_status)
{
	return failed == 0 ? exit_status == 99 || exit_status == 100 : failed != 19 && failed != 37 && failed != 100;
}

static bool field_number(const char *line, size_t length, int field, long *value)
{
	const char *end = line + length;
	char *behind;

	for (; field; field--) {
		line = memchr(line, ':', (size_t)(end - line));
		if (!line++)
			return false;
	}
	*value = strtol(line, &behind, 10);
	return behind > line && behind < end && *behind == ':';
}

static void line_take(struct tracked *t, const char *line, size_t length)
{
	long number, failed, status, task;
	size_t k;

	if (!field_number(line, length, FIELD_JOB, &number) || !field_number(line, length, FIELD_FAILED, &failed) ||
	    !field_number(line, length, FIELD_EXIT, &status) || !field_number(line, length, FIELD_TASK, &task))
		return;
	k = tracked_find(t, (uint32_t)number, (uint32_t)task);
	if (k == SIZE_MAX || runs_again(failed, status))
		return;
	free(t->jobs[k].line);
	t->jobs[k].line = strndup(line, length);
	t->jobs[k].stat = stat_of(failed, status);
	t->jobs[k].ended = true;
}

/* Whole lines only: what is written just now comes with the next call. */
static void lines_read(struct ends *e, struct tracked *t)
{
	static char text[CHUNK_BYTES];		/* under the session's lock */
	ssize_t n;

	while (e->fd >= 0 && (n = pread(e->fd, text, sizeof(text), e->offset)) > 0) {
		size_t used = 0;

		for (char *end; (end = memchr(text + used, '\n', (size_t)n - used)) != NULL; used = (size_t)(end - text) + 1)
			line_take(t, text + used, (size_t)(end - text) - used);
		if (!used && n < (ssize_t)sizeof(text))
			break;
		e->offset += used ? (int64_t)used : n;	/* no line is that long: passed over */
	}
}

void ends_read(struct ends *e, struct tracked *t)
{
	struct stat here, there;

	lines_read(e, t);
	if (!e->path || stat(e->path, &there) || (e->fd >= 0 && there.st_ino == e->inode && there.st_size >= e->offset))
		return;
	if (e->fd >= 0 && fstat(e->fd, &here) == 0 && here.st_ino == there.st_ino) {
		e->offset = 0;		/* somebody has emptied it */
		return;
	}
	if (e->fd >= 0)
		close(e->fd);
	file_open(e, 0);
	lines_read(e, t);
}
