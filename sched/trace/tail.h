/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read the lines of a plain file from the last one backwards, for queries about recent events. The
 * beginning of the file is not read.
 */
#ifndef SCHED_TRACE_TAIL_H
#define SCHED_TRACE_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

struct trace_tail {
	int fd;
	/* data read so far; it ends where the line returned last began */
	char *buffer;
	size_t used, capacity;
	int64_t at;			/* file offset of the first byte in the buffer */
	int64_t least;			/* offset at which reading stops */
};

/*
 * Open a file to read at most `most` bytes from its end. Returns 0, -ENOMEM, or an error of
 * open(2). Call trace_tail_close() in any case.
 */
int trace_tail_open(struct trace_tail *tail, const char *path, int64_t most, struct error *error);
void trace_tail_close(struct trace_tail *tail);

/*
 * Return the line before, without its newline and with a NUL after it. The caller may change it. It
 * is valid until the next call. A last line without a newline is ignored. Returns 0; 1: no more
 * lines; -EIO, -ENOMEM.
 */
int trace_tail_next(struct trace_tail *tail, char **line, struct error *error);

#endif
