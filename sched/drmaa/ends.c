/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of jobs, from lines appended to the accounting file. The lines are written before any
 * client gets the end of the job, even if the scheduler is restarted meanwhile. The file may be
 * moved. Then the rest of the old file is read first.
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/drmaa/inside.h"
#include "sched/shepherd/record.h"
#include "shm/place.h"

#define CHUNK_BYTES 65536	/* more than any line */
/* end of the file in which the lines of jobs are that the scheduler still lists */
#define LATEST_BYTES (1 << 20)

enum {
	FIELD_OWNER = 3,
	FIELD_JOB = 5,
	FIELD_FAILED = 11,
	FIELD_EXIT = 12,
	FIELD_TASK = 35,
	FIELDS = 36
}; /* fields of accounting(5), from 0 */

static char chunk[CHUNK_BYTES];		/* protected by the session's lock */

static void file_open(struct ends *ends, int64_t offset)
{
	struct stat st;

	ends->fd = ends->path && *ends->path
			   ? descriptor_above_stdio(open(ends->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
			   : -1;
	if (ends->fd >= 0 && (fstat(ends->fd, &st) || !S_ISREG(st.st_mode))) {
		close(ends->fd);
		ends->fd = -1;
	}
	if (ends->fd >= 0) {
		ends->inode = st.st_ino;
		ends->offset = offset < 0 ? st.st_size : offset;
	}
}

void ends_begin(struct ends *ends, const char *path, int64_t inode, int64_t offset)
{
	*ends = (struct ends){ .fd = -1, .path = strdup(path) };
	file_open(ends, -1);
	ends->begin = ends->past = ends->offset;
	if (inode >= 0)		/* a file created since then has nothing from before the session */
		ends->begin = (int64_t)ends->inode == inode && offset <= ends->offset ? offset : 0;
}

void ends_rewind(struct ends *ends, const struct ends *earlier)
{
	if (ends->inode == earlier->inode && ends->offset > earlier->offset)
		ends->offset = earlier->offset;
}

void ends_close(struct ends *ends)
{
	if (ends->fd >= 0)
		close(ends->fd);
	free(ends->path);
	*ends = (struct ends){ .fd = -1 };
}

#define EXIT_REQUEUE 99

/*
 * Return whether the job waits to run again. DRMAA jobs never enter the error state; they end
 * instead.
 */
static bool runs_again(long failed, long exit_status)
{
	return failed == FAILED_RESCHEDULED || (failed == FAILED_NOT && exit_status == EXIT_REQUEUE);
}

/* Return a field and its length. NULL: the line is too short. */
static const char *field_find(const char *line, size_t length, int field, size_t *bytes)
{
	const char *end = line + length, *colon;

	for (; field; field--) {
		line = memchr(line, ':', (size_t)(end - line));
		if (!line++)
			return NULL;
	}
	colon = memchr(line, ':', (size_t)(end - line));
	*bytes = colon ? (size_t)(colon - line) : 0;
	return colon ? line : NULL;
}

static bool field_number(const char *line, size_t length, int field, long *value)
{
	size_t bytes;
	const char *text = field_find(line, length, field, &bytes);
	char *after;

	if (!text)
		return false;
	*value = strtol(text, &after, 10);
	return after == text + bytes && bytes;
}

struct end_line { long number, task, failed, status; };

static bool line_parse(const char *line, size_t length, struct end_line *end)
{
	return field_number(line, length, FIELD_JOB, &end->number) &&
	       field_number(line, length, FIELD_FAILED, &end->failed) &&
	       field_number(line, length, FIELD_EXIT, &end->status) &&
	       field_number(line, length, FIELD_TASK, &end->task) && !runs_again(end->failed, end->status);
}

static void line_keep(struct tracked_job *job, const char *line, size_t length, const struct end_line *end)
{
	free(job->line);
	job->line = strndup(line, length);
	job->stat = stat_for(job, stat_of(end->failed, end->status));
	job->ended = true;
}

static void line_take(struct tracked *tracked, const char *line, size_t length)
{
	struct end_line end;
	size_t k;

	if (!line_parse(line, length, &end))
		return;
	k = tracked_find(tracked, (uint32_t)end.number, (uint32_t)end.task);
	if (k != SIZE_MAX)
		line_keep(&tracked->jobs[k], line, length, &end);
}

/* Read complete lines up to `most`. A line that is being written is read by the next call. */
static void lines_read(struct ends *ends, int64_t most, struct tracked *tracked)
{
	ssize_t n;

	while (ends->fd >= 0 && ends->offset < most && (n = pread(ends->fd, chunk, sizeof(chunk), ends->offset)) > 0) {
		size_t used = 0;

		for (char *end; (end = memchr(chunk + used, '\n', (size_t)n - used)) != NULL;
		     used = (size_t)(end - chunk) + 1)
			line_take(tracked, chunk + used, (size_t)(end - chunk) - used);
		if (!used && n < (ssize_t)sizeof(chunk))
			break;
		ends->offset += used ? (int64_t)used : n;	/* a longer line is skipped */
	}
}

/* Return a position at which a line begins, about LATEST_BYTES before that of the reader. */
static int64_t latest_begin(const struct ends *ends)
{
	int64_t from = ends->offset - LATEST_BYTES;
	ssize_t n = from > 0 ? pread(ends->fd, chunk, sizeof(chunk), from) : 0;
	const char *end = n > 0 ? memchr(chunk, '\n', (size_t)n) : NULL;

	if (from <= 0)
		return 0;
	return end ? from + (end - chunk) + 1 : ends->offset;
}

void ends_recover(struct ends *ends, struct tracked *tracked)
{
	struct ends past = *ends;

	if (ends->fd < 0)
		return;
	past.offset = ends->begin < ends->offset ? ends->begin : latest_begin(ends);
	lines_read(&past, INT64_MAX, tracked);
	ends->offset = ends->past = past.offset;
	for (size_t k = 0; k < tracked->n; k++)
		tracked->jobs[k].is_past = tracked->jobs[k].ended;
}

static bool is_own(const char *line)
{
	struct passwd user, *found = NULL;
	char buffer[2048];
	size_t bytes = 0;
	const char *owner = line ? field_find(line, strlen(line), FIELD_OWNER, &bytes) : NULL;

	return owner && getpwuid_r(geteuid(), &user, buffer, sizeof(buffer), &found) == 0 && found &&
	       strlen(found->pw_name) == bytes && !memcmp(found->pw_name, owner, bytes);
}

bool ends_find(const struct ends *ends, struct tracked *tracked, uint32_t number, uint32_t task)
{
	struct ends past = *ends;
	struct tracked wanted = { .jobs = NULL };
	bool found;

	past.offset = ends->begin;
	if (ends->begin == ends->past || tracked_add(&wanted, number, task, false))
		return false;
	lines_read(&past, ends->past, &wanted);
	found = wanted.jobs[0].ended && is_own(wanted.jobs[0].line) && tracked_add(tracked, number, task, false) == 0;
	if (found) {
		tracked->jobs[tracked->n - 1] = wanted.jobs[0];
		tracked->jobs[tracked->n - 1].is_past = true;
		wanted.jobs[0].line = NULL;
	}
	tracked_free(&wanted);
	return found;
}

void ends_read(struct ends *ends, struct tracked *tracked)
{
	struct stat here, there;

	lines_read(ends, INT64_MAX, tracked);
	if (!ends->path || stat(ends->path, &there) ||
	    (ends->fd >= 0 && there.st_ino == ends->inode && there.st_size >= ends->offset))
		return;
	if (ends->fd >= 0 && fstat(ends->fd, &here) == 0 && here.st_ino == there.st_ino) {
		ends->offset = 0;		/* the file was truncated */
		ends->begin = ends->past = 0;
		return;
	}
	if (ends->fd >= 0)
		close(ends->fd);
	file_open(ends, 0);
	ends->begin = ends->past = 0;
	lines_read(ends, INT64_MAX, tracked);
}
