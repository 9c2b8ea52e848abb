/* SPDX-License-Identifier: Apache-2.0 */
/* Text at the end of a file: all of it, or nothing. */
#ifndef SCHED_PROCESS_APPEND_H
#define SCHED_PROCESS_APPEND_H

#include <stddef.h>

/*
 * Append to a file, which is made (0644) if there is none. If the disk becomes full, the file is as
 * it was before: no half of a line is left. 0, or
 *   -EINVAL  it is no regular file
 *   -ELOOP   it is a symbolic link: in a directory where others may write it could lead anywhere
 *   -EPERM   it belongs to a user who is neither root nor the one of this process
 *   others of open(2), write(2), close(2)
 */
int append_text(const char *path, const char *text, size_t length);
/* The reason for a failure, as text. */
const char *append_error_text(int rc);

#endif
