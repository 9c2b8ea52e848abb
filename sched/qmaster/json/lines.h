/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from a descriptor, cut into lines. A line that is too long is reported once and skipped up
 * to its end.
 */
#ifndef SCHED_QMASTER_JSON_LINES_H
#define SCHED_QMASTER_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lines_calls {
	void *context;
	/* without its newline */
	void (*line)(void *context, const char *line, size_t length);
	/* longer than LINE_BYTES */
	void (*long_line)(void *context, const char *beginning, size_t length);
};

struct lines {
	char *buffer;		/* LINE_BYTES and what a read adds */
	size_t used;
	size_t scanned;		/* no newline up to here */
	bool skipping;		/* in a line that is too long */
};

int lines_create(struct lines *lines);
void lines_destroy(struct lines *lines);

/*
 * One read(2), and the calls for the lines it completes. Bytes read, 0 at the end, or -errno;
 * -EAGAIN from a socket that has nothing.
 */
ssize_t lines_read(struct lines *lines, int fd, bool is_socket, const struct lines_calls *calls);

/* At the end: what stands there without a newline is a line, too. */
void lines_finish(struct lines *lines, const struct lines_calls *calls);

/* Forget what is there. */
void lines_reset(struct lines *lines);

#endif
