/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a plain file from the last one on, for who wants to know what has happened lately:
 * what stands before is not read.
 */
#ifndef SCHED_TRACE_TAIL_H
#define SCHED_TRACE_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

struct trace_tail {
	int fd;
	char *buffer;			/* what was read, which ends where the line given last began */
	size_t used, capacity;
	int64_t at;			/* of the file, of its first byte */
	int64_t least;			/* nothing before is read */
};

/*
 * At most `most` bytes from the end are read. 0, -ENOMEM, or what open(2) says. Close it in any
 * case.
 */
int trace_tail_open(struct trace_tail *tail, const char *path, int64_t most, struct error *error);
void trace_tail_close(struct trace_tail *tail);

/*
 * The line before, without its end and with a NUL behind it: it may be written to, and lives until
 * the next call. A last line without an end is none yet. 0; 1: there is none any more; -EIO,
 * -ENOMEM.
 */
int trace_tail_next(struct trace_tail *tail, char **line, struct error *error);

#endif
