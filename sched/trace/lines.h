/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read the lines of a file, plain or compressed by gzip, or of standard input. The memory used does
 * not grow with the number of lines.
 */
#ifndef SCHED_TRACE_LINES_H
#define SCHED_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define LINE_MOST ((size_t)1 << 20)	/* bytes of a line, without its newline */

struct gzFile_s;

/* Zero-initialise. All members except `path` and `number` are private. */
struct trace_lines {
	char *path;
	uint64_t number;		/* number of the last line returned, from 1 */
	struct gzFile_s *file;
	char *buffer;
	size_t begin, end, capacity;
	bool ended;
};

/*
 * Open a file. Returns 0, -ENOMEM, or an error of open(2). Call trace_lines_close() also after an
 * error.
 */
int trace_lines_open(struct trace_lines *lines, const char *path, struct error *error);
void trace_lines_close(struct trace_lines *lines);
bool trace_lines_compressed(struct trace_lines *lines);

/*
 * Return the next line, without its newline and with a NUL after it. The caller may change it. It
 * is valid until the next call.
 *   0
 *   1            no more lines
 *   -EINVAL      it is not a text, too long, or the compressed data is damaged or cut short
 *   -EIO, -ENOMEM
 */
int trace_lines_next(struct trace_lines *lines, char **line, size_t *n, struct error *error);

#endif
