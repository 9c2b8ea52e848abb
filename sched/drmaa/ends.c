/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How jobs have ended: lines that are added to the accounting file. They are written before any
 * client hears that the job has ended, also when the scheduler ends and is started meanwhile. The
 * file may be moved away; the rest of the old one is read first then.
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

#define CHUNK_BYTES 65536	/* longer than any line */

enum { FIELD_OWNER = 3, FIELD_JOB = 5, FIELD_FAILED = 11, FIELD_EXIT = 12, FIELD_TASK = 35, FIELDS = 36 };	/* of accounting(5), from 0 */

static void file_open(struct ends *e, int64_t offset)
{
	struct stat st;

	e->fd = e->path && *e->path ? descriptor_above_stdio(open(e->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) : -1;
	if (e->fd >= 0 && (fstat(e->fd, &st) || !S_ISREG(st.st_mode))) {
		close(e->fd);
		e->fd = -1;
	}
	if (e->fd >= 0) {
		e->inode = st.st_ino;
		e->offset = offset < 0 ? st.st_size : offset;
	}
}

void ends_begin(struct ends *e, const char *path, int64_t inode, int64_t offset)
{
	*e = (struct ends){ .fd = -1, .path = strdup(path) };
	file_open(e, -1);
	e->begin = e->past = e->offset;
	if (inode >= 0)		/* a file that was begun since has nothing from before the session */
		e->begin = (int64_t)e->inode == inode && offset <= e->offset ? offset : 0;
}

void ends_rewind(struct ends *e, const struct ends *earlier)
{
	if (e->inode == earlier->inode && e->offset > earlier->offset)
		e->offset = earlier->offset;
}

void ends_close(struct ends *e)
{
	if (e->fd >= 0)
		close(e->fd);
	free(e->path);
	*e = (struct ends){ .fd = -1 };
}

#define EXIT_REQUEUE 99

/* Does it wait again? Jobs of DRMAA are not put into the error state: that is an end. */
static bool runs_again(long failed, long exit_status)
{
	return failed == FAILED_RESCHEDULED || (failed == FAILED_NOT && exit_status == EXIT_REQUEUE);
}

/* Find a field, and its length. NULL: the line is too short. */
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
	return field_number(line, length, FIELD_JOB, &end->number) && field_number(line, length, FIELD_FAILED, &end->failed) &&
	       field_number(line, length, FIELD_EXIT, &end->status) && field_number(line, length, FIELD_TASK, &end->task) &&
	       !runs_again(end->failed, end->status);
}

static void line_keep(struct tracked_job *job, const char *line, size_t length, const struct end_line *end)
{
	free(job->line);
	job->line = strndup(line, length);
	job->stat = stat_for(job, stat_of(end->failed, end->status));
	job->ended = true;
}

static void line_take(struct tracked *t, const char *line, size_t length)
{
	struct end_line end;
	size_t k;

	if (!line_parse(line, length, &end))
		return;
	k = tracked_find(t, (uint32_t)end.number, (uint32_t)end.task);
	if (k != SIZE_MAX)
		line_keep(&t->jobs[k], line, length, &end);
}

/* Take whole lines only, up to `most`: a line that is being written comes with the next call. */
static void lines_read(struct ends *e, int64_t most, struct tracked *t)
{
	static char text[CHUNK_BYTES];		/* under the session's lock */
	ssize_t n;

	while (e->fd >= 0 && e->offset < most && (n = pread(e->fd, text, sizeof(text), e->offset)) > 0) {
		size_t used = 0;

		for (char *end; (end = memchr(text + used, '\n', (size_t)n - used)) != NULL; used = (size_t)(end - text) + 1)
			line_take(t, text + used, (size_t)(end - text) - used);
		if (!used && n < (ssize_t)sizeof(text))
			break;
		e->offset += used ? (int64_t)used : n;	/* no line is that long: passed over */
	}
}

static bool is_own(const char *line)
{
	struct passwd user, *found = NULL;
	char buffer[2048];
	size_t bytes = 0;
	const char *owner = line ? field_find(line, strlen(line), FIELD_OWNER, &bytes) : NULL;

	return owner && getpwuid_r(geteuid(), &user, buffer, sizeof(buffer), &found) == 0 && found && strlen(found->pw_name) == bytes &&
	       !memcmp(found->pw_name, owner, bytes);
}

bool ends_find(const struct ends *e, struct tracked *t, uint32_t number, uint32_t task)
{
	struct ends past = *e;
	struct tracked wanted = { .jobs = NULL };
	bool found;

	past.offset = e->begin;
	if (e->begin == e->past || tracked_add(&wanted, number, task, false))
		return false;
	lines_read(&past, e->past, &wanted);
	found = wanted.jobs[0].ended && is_own(wanted.jobs[0].line) && tracked_add(t, number, task, false) == 0;
	if (found) {
		t->jobs[t->n - 1] = wanted.jobs[0];
		t->jobs[t->n - 1].is_past = true;
		wanted.jobs[0].line = NULL;
	}
	tracked_free(&wanted);
	return found;
}

void ends_read(struct ends *e, struct tracked *t)
{
	struct stat here, there;

	lines_read(e, INT64_MAX, t);
	if (!e->path || stat(e->path, &there) || (e->fd >= 0 && there.st_ino == e->inode && there.st_size >= e->offset))
		return;
	if (e->fd >= 0 && fstat(e->fd, &here) == 0 && here.st_ino == there.st_ino) {
		e->offset = 0;		/* it was emptied */
		e->begin = e->past = 0;
		return;
	}
	if (e->fd >= 0)
		close(e->fd);
	file_open(e, 0);
	e->begin = e->past = 0;
	lines_read(e, INT64_MAX, t);
}
