/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of a journal, line by line. What it holds is not trusted: memory is bounded by the longest
 * line that is allowed and by the window that the writer uses, and a file that unpacks to far more
 * than any journal does is refused.
 */
#ifndef SCHED_QMASTER_JOURNAL_READING_H
#define SCHED_QMASTER_JOURNAL_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define JOURNAL_LINE_BYTES (16u << 20)
/* unpacked bytes for a packed one; journals have some 30 */
#define JOURNAL_RATIO 2000u
#define JOURNAL_FREE_BYTES (64u << 20)	/* that any file may unpack to */

struct journal_reading;

/* -ENOENT, -EACCES, -EINVAL: no journal; -ENOMEM, with the sentence. */
int reading_open(struct journal_reading **reading, const char *path, struct error *error);
void reading_close(struct journal_reading *reading);		/* NULL is a no-op */

/*
 * 1: a line, without its newline, valid until the next call; 0: the end, see reading_is_cut();
 * -EPROTO: damaged, with file and line; -EIO, ...
 */
int reading_next(struct journal_reading *reading, const char **line, size_t *bytes, struct error *error);

/* At the end: the last frame has none, as where a scheduler was killed, or is still writing. */
bool reading_is_cut(const struct journal_reading *reading);

uint64_t reading_line(const struct journal_reading *reading);		/* from 1 */

#endif
