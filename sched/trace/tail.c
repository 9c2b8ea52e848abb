/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/array.h"

#define PIECE ((size_t)64 << 10)

/* Read one piece more of the file before the data in memory. Returns 0; 1: there is none. */
static int piece_read(struct trace_tail *tail, struct error *error)
{
	size_t n = (uint64_t)(tail->at - tail->least) < PIECE ? (size_t)(tail->at - tail->least) : PIECE;

	if (n == 0)
		return 1;
	if (tail->capacity < tail->used + n + 1) {
		if (array_grow(&tail->buffer, 2 * (tail->used + n) + 1, 1))
			return error_set(error, -ENOMEM, "out of memory");
		tail->capacity = 2 * (tail->used + n) + 1;
	}
	memmove(tail->buffer + n, tail->buffer, tail->used);
	for (size_t got = 0; got < n;) {
		ssize_t some = pread(tail->fd, tail->buffer + got, n - got, tail->at - (int64_t)n + (int64_t)got);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)		/* the file was truncated meanwhile */
			return error_set(error, -EIO, "cannot read the file: %s",
					 some ? strerror(errno) : "it has become shorter");
		got += (size_t)some;
	}
	tail->at -= (int64_t)n;
	tail->used += n;
	return 0;
}

/* Find the last newline. The text after it is still being written. */
static int end_find(struct trace_tail *tail, struct error *error)
{
	int rc = 0;

	while (rc == 0) {
		const char *end = tail->used ? memrchr(tail->buffer, '\n', tail->used) : NULL;

		if (end) {
			tail->used = (size_t)(end - tail->buffer) + 1;
			return 0;
		}
		rc = piece_read(tail, error);
	}
	tail->used = 0;
	return rc < 0 ? rc : 0;
}

int trace_tail_open(struct trace_tail *tail, const char *path, int64_t most, struct error *error)
{
	struct stat is;
	int rc;

	*tail = (struct trace_tail){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	if (tail->fd < 0 || fstat(tail->fd, &is)) {
		rc = -errno;
		return error_set(error, rc, "%.160s: %m", path);
	}
	if (!S_ISREG(is.st_mode))
		return error_set(error, -EINVAL, "%.160s is not a plain file", path);
	tail->at = is.st_size;
	tail->least = is.st_size > most ? is.st_size - most : 0;
	return end_find(tail, error);
}

void trace_tail_close(struct trace_tail *tail)
{
	if (tail->fd >= 0)
		close(tail->fd);
	free(tail->buffer);
	*tail = (struct trace_tail){ .fd = -1 };
}

int trace_tail_next(struct trace_tail *tail, char **line, struct error *error)
{
	const char *before;
	int rc = 0;

	while (rc == 0 && tail->used > 0) {
		before = tail->used > 1 ? memrchr(tail->buffer, '\n', tail->used - 1) : NULL;
		if (before || tail->at == 0) {
			size_t begin = before ? (size_t)(before - tail->buffer) + 1 : 0;

			*line = tail->buffer + begin;
			tail->buffer[tail->used - 1] = '\0';
			tail->used = begin;
			return 0;
		}
		rc = piece_read(tail, error);
	}
	/* the rest is the end of a line that begins before `least` */
	return rc < 0 ? rc : 1;
}
