/* SPDX-License-Identifier: Apache-2.0 */
/* The two files by which a shepherd reports what it has done: record.h says what they mean. */
#ifndef SHEPHERD_REPORT_H
#define SHEPHERD_REPORT_H

#include "sched/shepherd/record.h"

/*
 * Decides that this attempt begins, with `leader` (pid 0: it has failed already). While the disk is
 * full it tries again each second.
 *   0
 *   -EEXIST      it is decided already: this attempt is void, or another shepherd's
 *   -ENOENT      the directory is gone
 */
int report_begun(int dirfd, const struct attempt_process *leader);

/*
 * Writes how it ended. Tries each second until it is on disk. 0, or -ENOENT: the directory is gone.
 */
int report_exit(int dirfd, const struct attempt_exit *exit);

#endif
