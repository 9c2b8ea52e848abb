/* SPDX-License-Identifier: Apache-2.0 */
/* Files `begun` and `exit`, by which a shepherd reports. Their meaning is in record.h. */
#ifndef SHEPHERD_REPORT_H
#define SHEPHERD_REPORT_H

#include "sched/shepherd/record.h"

/*
 * Decide that this attempt begins with `leader` (pid 0: it has already failed). While the disk is
 * full, try again every second. Returns
 *   0
 *   -EEXIST      decided already: the attempt is void or belongs to another shepherd
 *   -ENOENT      the directory was removed
 */
int report_begun(int dirfd, const struct attempt_process *leader);

/*
 * Write the end of the attempt. Tries every second until it is on disk. Returns 0, or -ENOENT if
 * the directory was removed.
 */
int report_exit(int dirfd, const struct attempt_exit *exit);

#endif
