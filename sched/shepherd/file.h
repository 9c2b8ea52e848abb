/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that two processes exchange. Readers check the owner and mode; writers write a file
 * completely or not at all.
 */
#ifndef SHEPHERD_FILE_H
#define SHEPHERD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Read a file of 0..most bytes and append a NUL. The caller frees *bytes, which is NULL after an
 * error. Never waits, even if the name is a FIFO or a device. Returns
 *   -ENOENT
 *   -EUCLEAN     not a regular file, a link, not owned by root or our user, writable by other
 *                users, or longer than `most`
 *   -EACCES, -EIO, -EMFILE, -ENOMEM, ...
 */
int file_read(int dirfd, const char *name, size_t most, char **bytes, size_t *length);

/*
 * Write a new file of this name. An existing file is removed first. `sync`: the file is on disk
 * when this returns. After an error there is no file. Returns
 *   -ENOSPC, -EDQUOT, -EROFS, -EIO, -ENOENT (the directory was removed), ...
 */
int file_write(int dirfd, const char *name, const char *bytes, size_t length, mode_t mode, bool sync);

#endif
