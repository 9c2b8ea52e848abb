/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting bytes from a descriptor into lines. A line that is too long is reported once and
 * skipped.
 */
#ifndef SCHED_QMASTER_JSON_LINES_H
#define SCHED_QMASTER_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lines_calls {
	void *context;
	/* Take a line, without its newline. */
	void (*line)(void *context, const char *line, size_t length);
	/* Take the beginning of a line longer than LINE_BYTES. */
	void (*long_line)(void *context, const char *beginning, size_t length);
};

struct lines {
	char *buffer;		/* LINE_BYTES and the size of one read */
	size_t used;
	size_t scanned;		/* bytes that contain no newline */
	bool skipping;		/* inside a line that is too long */
};

int lines_create(struct lines *lines);
void lines_destroy(struct lines *lines);

/*
 * Call read(2) once, then a function of `calls` for each line that is complete. Returns the number
 * of bytes read, 0 at the end, or -errno. -EAGAIN: the socket has no data.
 */
ssize_t lines_read(struct lines *lines, int fd, bool is_socket, const struct lines_calls *calls);

/* Take the bytes after the last newline as a line, at the end of the stream. */
void lines_finish(struct lines *lines, const struct lines_calls *calls);

/* Drop the bytes that are buffered. */
void lines_reset(struct lines *lines);

#endif
