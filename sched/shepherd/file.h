/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that two processes hand to each other: read with distrust, written whole or not at
 * all.
 */
#ifndef SHEPHERD_FILE_H
#define SHEPHERD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A whole file of 0..most bytes; a NUL is put behind it. The caller frees *bytes, NULL after an
 * error. It never waits, whatever the name leads to.
 *   -ENOENT
 *   -EUCLEAN     no plain file, not ours and not root's, others may write it, a link, or longer
 *                than `most`
 *   -EACCES, -EIO, -EMFILE, -ENOMEM, ...
 */
int file_read(int dirfd, const char *name, size_t most, char **bytes, size_t *length);

/*
 * A new file under this name; what had it before is removed first. `sync`: on disk when this
 * returns. After an error there is none.
 *   -ENOSPC, -EDQUOT, -EROFS, -EIO, -ENOENT (the directory is gone), ...
 */
int file_write(int dirfd, const char *name, const char *bytes, size_t length, mode_t mode, bool sync);

#endif
