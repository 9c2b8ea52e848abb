/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks that Grid Engine's execution daemon has on this host, as its spool directory shows
 * them: active_jobs/JOB.TASK/addgrpid holds the additional group id by which all processes of the
 * task are known, and active_jobs/JOB.TASK/PETASK/addgrpid that of each task of a tightly
 * integrated parallel job.
 *
 * The directory is others': what is not as expected is passed over, and counts in `odd`. Files must
 * belong to root or to the owner of DIR, and groups must be in the range that gid_range of
 * sge_conf(5) allows, since all processes of a group are steered: 100 and up.
 */
#ifndef HOSTD_SPOOL_H
#define HOSTD_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

#define SPOOL_GROUP_MIN 100

struct spool_entry {
	uint32_t job_number, task;
	gid_t group;
	uint64_t identity;		/* another one for the same task: it was started again */
};

struct spool_scan {
	struct spool_entry *entries;	/* in no order; spool_free() */
	size_t n;
	size_t odd;
};

/*
 * `dir`: execd_spool_dir/HOST. With the reason in `error`: -ENOENT, -EACCES, ... of active_jobs;
 * -EPERM: others than root, ourselves and a user to whom root has given a directory on the way
 * could have made it; -ENOMEM.
 */
int spool_scan(struct spool_scan *scan, const char *dir, struct error *error);
void spool_free(struct spool_scan *scan);

#endif
