/* SPDX-License-Identifier: Apache-2.0 */
/* Append text to a file, completely or not at all. */
#ifndef SCHED_PROCESS_APPEND_H
#define SCHED_PROCESS_APPEND_H

#include <stddef.h>

/*
 * Append to a file, which is created (0644) if it does not exist. If the disk becomes full, the
 * file keeps its old contents: no partial line is left. Returns 0, or
 *   -EINVAL  it is not a regular file
 *   -ELOOP   it is a symbolic link: in a directory where others may write it could lead anywhere
 *   -EPERM   it belongs to a user other than root and the one of this process
 *   others of open(2), write(2), close(2)
 */
int append_text(const char *path, const char *text, size_t length);
/* Return the reason for a failure as text. */
const char *append_error_text(int rc);

#endif
