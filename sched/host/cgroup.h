/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory of cgroup v2 that this process may divide among tasks:
 *
 *     ROOT/fairlead.self/                  this process, if it was in ROOT: cgroup v2 allows
 *                                          processes only in leaves
 *     ROOT/fairlead.jobs/JOB.TASK.PID/     a task, weighted against other tasks. PID is the process
 *                                          that made it, because other processes may divide the same
 *                                          cgroup
 *
 * Directories of tasks outlive the process. If tasks cannot be weighted, the directories still
 * count CPU time: the kernel includes processes that were never observed. Counting needs no
 * controller, and this process may stay where it is.
 */
#ifndef SCHED_HOST_CGROUP_H
#define SCHED_HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define CGROUP_PATH_BYTES 1024		/* longest path of a directory */

struct cgroup {
	char root[CGROUP_PATH_BYTES];	/* "": none */
	bool weighs;			/* tasks can be weighted; false: CPU time is only counted */
	bool moved;			/* process moved into fairlead.self */
	bool enabled;			/* cpu controller in the root enabled by this process */
};

/*
 * Prepare the directory for weighted tasks. `root` NULL: the directory that contains this process.
 *   -ENOTSUP	there is none, or it cannot be divided; *error has the reason as a clause
 *   -EINVAL	`root` is not a directory of cgroup v2
 */
int cgroup_open(struct cgroup *cgroup, const char *root, struct error *error);
/*
 * Prepare the directory for counting only, after cgroup_open() has failed. Returns -ENOTSUP if
 * there is no directory that may be divided. Also returns -ENOTSUP if tasks in it would be
 * weighted, because weights would disable the other CPU control mechanisms.
 */
int cgroup_count(struct cgroup *cgroup, const char *root, struct error *error);
/* Undo the preparation, except for directories of remaining tasks. */
void cgroup_close(struct cgroup *cgroup);

/* Implement host_cgroup_make(). */
int cgroup_make(const struct cgroup *cgroup, uint32_t job, uint32_t task, char *path, size_t size);
/* Return whether the directory was made by cgroup_make() for the task. */
bool cgroup_is_made(const struct cgroup *cgroup, uint32_t job, uint32_t task, const char *path);
/* Remove a task's directory. Return 0, -EBUSY if it contains processes, or another -errno. */
int cgroup_remove(const char *path);

int cgroup_weigh(const char *path, unsigned weight);
int cgroup_kill(const char *path);
/* Read the CPU time of all processes that have ever been in the directory. */
int cgroup_cpu_s(const char *path, double *cpu_s);

/*
 * Find the directory of cgroup v2 that contains this process (cgroup_own.c). Returns -ENOTSUP if
 * there is none or it is not visible. *error, if error is not NULL, has the reason.
 */
int cgroup_own(char *directory, size_t size, struct error *error);
/*
 * Return whether this process is in a cgroup, of either version, that the kernel schedules as a
 * unit, and its path.
 */
bool cgroup_weighs_us(char *path, size_t size);

#endif
