/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a file of a journal, line by line. The contents are not trusted. Memory is limited by the
 * longest allowed line and by the window of the writer. A file that unpacks to far more than any
 * journal does is refused.
 */
#ifndef SCHED_QMASTER_JOURNAL_READING_H
#define SCHED_QMASTER_JOURNAL_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define JOURNAL_LINE_BYTES (16u << 20)
/* Largest ratio of unpacked to packed bytes. Journals have a ratio of about 30. */
#define JOURNAL_RATIO 2000u
#define JOURNAL_FREE_BYTES (64u << 20)	/* size to which any file may unpack */

struct journal_reading;

/* Open a file. -ENOENT, -EACCES, -ENOMEM, -EINVAL (not a journal), with the message. */
int reading_open(struct journal_reading **reading, const char *path, struct error *error);
void reading_close(struct journal_reading *reading);		/* NULL is a no-op */

/*
 * Read a line. Returns 1 and a line without its newline, valid until the next call. Returns 0 at
 * the end; see reading_is_cut(). -EPROTO: damaged, with file and line. -EIO and others.
 */
int reading_next(struct journal_reading *reading, const char **line, size_t *bytes, struct error *error);

/*
 * Return, at the end, whether the last frame is incomplete because its scheduler was killed or is
 * still writing.
 */
bool reading_is_cut(const struct journal_reading *reading);

uint64_t reading_line(const struct journal_reading *reading);		/* from 1 */

#endif
