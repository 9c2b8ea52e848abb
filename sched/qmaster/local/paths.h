/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that a job names, with what stands in them for something else: -o and -e of submit(1). */
#ifndef SCHED_QMASTER_LOCAL_PATHS_H
#define SCHED_QMASTER_LOCAL_PATHS_H

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

struct path_names {			/* what may stand in the paths of a job */
	const struct local_job *job;
	const char *home, *host;
	char number[16], task[16];	/* task "0": the job is no array */
};

/* All but the task are borrowed. */
void path_names_set(struct path_names *names, const struct local *local, const struct local_task *task,
		    const struct local_job *job, const struct person *user);
/* With $HOME and the others replaced; other words with a $ stay as they are. -ENAMETOOLONG. */
int path_expand(const struct path_names *names, const char *text, char *path, size_t size);
/* NAME.o17, NAME.e17.3: sge_conf(5) knows them as the default of -o and -e. -ENAMETOOLONG. */
int path_default(const struct path_names *names, char kind, bool is_array, char *path, size_t size);
/*
 * That of a member of "execution", or the default one; absolute, below `cwd` where it is not. NULL:
 * too long, or no memory.
 */
json_t *path_of(const struct path_names *names, const char *member, char kind, const char *cwd);

#endif
