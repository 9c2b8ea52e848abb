/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory of cgroup v2 that is ours to divide among tasks:
 *
 *     ROOT/fairlead.self/		this process, if it was in ROOT: cgroup v2 allows processes in leaves only
 *     ROOT/fairlead.jobs/JOB.TASK.PID/	a task, weighed against the other tasks; PID: who has made it, for others may divide the same cgroup
 *
 * Directories of tasks outlive the process. Where they can't be weighed they count all the same:
 * the kernel knows what was used in each, also by those whom nobody has seen. That takes no
 * controller, and this process may stay where it is.
 */
#ifndef SCHED_HOST_CGROUP_H
#define SCHED_HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

#define CGROUP_PATH_BYTES 1024		/* of a directory, at most */

struct cgroup {
	char root[CGROUP_PATH_BYTES];	/* "": there is none */
	bool weighs;			/* tasks can be weighed; else they are counted only */
	bool moved;			/* this process, into fairlead.self */
	bool enabled;			/* the cpu controller in the root, by us */
};

/*
 * Makes what is needed for tasks. `root` NULL: the directory that this process is in.
 *   -ENOTSUP	there is none, or it may not be divided; *error says why, as a clause
 *   -EINVAL	`root` is given and is no directory of cgroup v2
 */
int cgroup_open(struct cgroup *cgroup, const char *root, struct error *error);
/*
 * The same for counting alone, when cgroup_open() has failed. -ENOTSUP: there is none that we may
 * divide, or tasks in it would be weighed, which would take away the other levers.
 */
int cgroup_count(struct cgroup *cgroup, const char *root, struct error *error);
/* Undoes that as far as no task is left. */
void cgroup_close(struct cgroup *cgroup);

/* As host_cgroup_make(). */
int cgroup_make(const struct cgroup *cgroup, uint32_t job, uint32_t task, char *path, size_t size);
/* Is this a directory that cgroup_make() makes for the task? */
bool cgroup_is_made(const struct cgroup *cgroup, uint32_t job, uint32_t task, const char *path);
/* -EBUSY: there are processes in it. */
int cgroup_remove(const char *path);

int cgroup_weigh(const char *path, unsigned weight);
int cgroup_kill(const char *path);
/* CPU time of all that ever were in it. */
int cgroup_cpu_s(const char *path, double *cpu_s);

/*
 * cgroup_own.c: the directory of cgroup v2 that this process is in. -ENOTSUP: there is none, or it
 * is not shown here; *error, if error is not NULL, says which.
 */
int cgroup_own(char *directory, size_t size, struct error *error);
/*
 * Is this process in a cgroup, of either version, that the kernel schedules as a whole? Its path.
 */
bool cgroup_weighs_us(char *path, size_t size);

#endif
