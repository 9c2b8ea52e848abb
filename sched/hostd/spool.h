/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of Grid Engine's execution daemon on this host, as found in its spool directory.
 *
 * active_jobs/JOB.TASK/addgrpid contains the additional group id that identifies all processes of
 * the task. active_jobs/JOB.TASK/PETASK/addgrpid contains the id of each task of a tightly
 * integrated parallel job.
 *
 * The directory belongs to another program. Unexpected entries are skipped and counted in `odd`.
 * Files must belong to root or to the owner of DIR. All processes of a group are controlled, so
 * group ids must be in the range that gid_range of sge_conf(5) allows: 100 and up.
 */
#ifndef HOSTD_SPOOL_H
#define HOSTD_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define SPOOL_GROUP_MIN 100

struct spool_entry {
	uint32_t job_number, task;
	gid_t group;
	uint64_t identity;		/* differs if the same task was started again */
};

struct spool_scan {
	struct spool_entry *entries;	/* unordered; freed by spool_free() */
	size_t n;
	size_t odd;
};

/*
 * Scan the spool directory `dir` (execd_spool_dir/HOST). After an error `error` has the reason.
 *
 * Returns -ENOENT, -EACCES or another error of opening active_jobs. Returns -ENOMEM, -EMFILE or
 * -ENFILE if memory or descriptors are missing, so that no task seems to have ended. Returns -EPERM
 * unless the directory can only have been made by root, by this process's user, or by a user who
 * has got a directory on the path from root.
 */
int spool_scan(struct spool_scan *scan, const char *dir, struct error *error);
void spool_free(struct spool_scan *scan);

#endif
