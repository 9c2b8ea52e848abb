/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/array.h"

#define PIECE ((size_t)64 << 10)

/* A piece more of the file, before what is there. 0; 1: there is none. */
static int piece_read(struct trace_tail *t, struct error *e)
{
	size_t n = (uint64_t)(t->at - t->least) < PIECE ? (size_t)(t->at - t->least) : PIECE;

	if (n == 0)
		return 1;
	if (t->capacity < t->used + n + 1) {
		if (array_grow(&t->buffer, 2 * (t->used + n) + 1, 1))
			return error_set(e, -ENOMEM, "out of memory");
		t->capacity = 2 * (t->used + n) + 1;
	}
	memmove(t->buffer + n, t->buffer, t->used);
	for (size_t got = 0; got < n;) {
		ssize_t some = pread(t->fd, t->buffer + got, n - got, t->at - (int64_t)n + (int64_t)got);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)		/* it was cut meanwhile */
			return error_set(e, -EIO, "the file can't be read: %s", some ? strerror(errno) : "it has become shorter");
		got += (size_t)some;
	}
	t->at -= (int64_t)n;
	t->used += n;
	return 0;
}

/* Behind the last end of a line that there is; the rest is being written. */
static int end_find(struct trace_tail *t, struct error *e)
{
	int rc = 0;

	while (rc == 0) {
		const char *end = t->used ? memrchr(t->buffer, '\n', t->used) : NULL;

		if (end) {
			t->used = (size_t)(end - t->buffer) + 1;
			return 0;
		}
		rc = piece_read(t, e);
	}
	t->used = 0;
	return rc < 0 ? rc : 0;
}

int trace_tail_open(struct trace_tail *t, const char *path, int64_t most, struct error *e)
{
	struct stat is;
	int rc;

	*t = (struct trace_tail){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	if (t->fd < 0 || fstat(t->fd, &is)) {
		rc = -errno;
		return error_set(e, rc, "%.160s: %m", path);
	}
	if (!S_ISREG(is.st_mode))
		return error_set(e, -EINVAL, "%.160s is no plain file", path);
	t->at = is.st_size;
	t->least = is.st_size > most ? is.st_size - most : 0;
	return end_find(t, e);
}

void trace_tail_close(struct trace_tail *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->buffer);
	*t = (struct trace_tail){ .fd = -1 };
}

int trace_tail_next(struct trace_tail *t, char **line, struct error *e)
{
	const char *before;
	int rc = 0;

	while (rc == 0 && t->used > 0) {
		before = t->used > 1 ? memrchr(t->buffer, '\n', t->used - 1) : NULL;
		if (before || t->at == 0) {
			size_t begin = before ? (size_t)(before - t->buffer) + 1 : 0;

			*line = t->buffer + begin;
			t->buffer[t->used - 1] = '\0';
			t->used = begin;
			return 0;
		}
		rc = piece_read(t, e);
	}
	/* what is left is the end of a line that begins before what may be read */
	return rc < 0 ? rc : 1;
}
