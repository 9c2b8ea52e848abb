/* SPDX-License-Identifier: Apache-2.0 */
/* Text at the end of a file: all of it, or nothing. */
#ifndef SCHED_PROCESS_APPEND_H
#define SCHED_PROCESS_APPEND_H

#include <stddef.h>

/*
 * The file is made (0644) if there is none. When the disk becomes full, nothing is left but what
 * was there before: no half of a line. -EINVAL: it is no regular file; else -errno.
 */
int append_text(const char *path, const char *text, size_t length);

#endif
