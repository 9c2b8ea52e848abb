/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a file, plain or compressed by gzip, or of standard input: any number of them, in
 * memory that does not grow with it.
 */
#ifndef SCHED_TRACE_LINES_H
#define SCHED_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define LINE_MOST ((size_t)1 << 20)	/* bytes of a line, without its end */

struct gzFile_s;

/* zero-initialise; all but `path` and `number` is lines.c's */
struct trace_lines {
	char *path;
	uint64_t number;		/* of the line given last, from 1 */
	struct gzFile_s *file;
	char *buffer;
	size_t begin, end, capacity;
	int64_t bytes;			/* of the file as it lies there; -1: a pipe */
	bool ended;
};

/* 0, -ENOMEM, or what open(2) says. trace_lines_close() also after a failure. */
int trace_lines_open(struct trace_lines *lines, const char *path, struct error *error);
void trace_lines_close(struct trace_lines *lines);
bool trace_lines_compressed(struct trace_lines *lines);
/* How much was read, 0 to 1; -1: nobody can know. */
double trace_lines_progress(const struct trace_lines *lines);

/*
 * The next line, without its end, and a NUL behind it: it may be written to, and lives until the
 * next call.
 *   0
 *   1            there is none any more
 *   -EINVAL      it is no text, too long, or the compressed data is damaged or cut short
 *   -EIO, -ENOMEM
 */
int trace_lines_next(struct trace_lines *lines, char **line, size_t *n, struct error *error);

#endif
