/* SPDX-License-Identifier: Apache-2.0 */
/* Paths in a job's request, with variables: -o and -e of submit(1). */
#ifndef SCHED_QMASTER_LOCAL_PATHS_H
#define SCHED_QMASTER_LOCAL_PATHS_H

#include <limits.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

struct path_names {			/* Values of the variables. */
	const struct local_job *job;
	const char *home, *host;
	char number[16], task[16];	/* task "0": the job is not an array */
};

/* Set the values. Everything but the task is borrowed. */
void path_names_set(struct path_names *names, const struct local *local, const struct local_task *task,
		    const struct local_job *job, const struct person *user);
/*
 * Expand $HOME and the other variables. Unknown words with a $ are unchanged. Returns 0 or
 * -ENAMETOOLONG.
 */
int path_expand(const struct path_names *names, const char *text, char *path, size_t size);
/*
 * Write the default of -o and -e of sge_conf(5): NAME.o17, NAME.e17.3. Returns 0 or -ENAMETOOLONG.
 */
int path_default(const struct path_names *names, char kind, bool is_array, char *path, size_t size);
/*
 * Write the path that a job has requested, or the default path if `asked` is NULL. A relative path
 * is below `cwd`. Returns 0 or -ENAMETOOLONG.
 */
int path_write(const struct path_names *names, const char *asked, char kind, const char *cwd, char path[PATH_MAX]);

#endif
