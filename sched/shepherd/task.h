/* SPDX-License-Identifier: Apache-2.0 */
/* What a shepherd is to start: the file `config`, checked. */
#ifndef SHEPHERD_TASK_H
#define SHEPHERD_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sched/shepherd/record.h"

#define TASK_LIMITS 7
#define TASK_VARIABLES_MORE 8

/* why there is no running command; goes through a pipe in one piece */
struct failure {
	enum attempt_failed code;	/* FAILED_NOT: none */
	int exit_status;		/* as which it counts */
	char text[ATTEMPT_TEXT_BYTES];
};

struct task_limit {
	int resource;
	struct rlimit value;
};

/* strings belong to `json`, the arrays to the task */
struct shepherd_task {
	uint32_t job_number, task;	/* task 0: the job is no array */
	const char *user;
	uid_t uid;
	gid_t gid;
	bool init_groups;		/* all groups of the user; else none but gid */
	char **command, **environment;	/* NULL at the end */
	const char *program;		/* what is run as command[0]; NULL: that itself */
	const char *script;		/* of the job, in DIR; NULL: none */
	bool script_input;		/* it is standard input */
	const char *cwd, *stdin_path, *stdout_path, *stderr_path;
	const char *stdout_name, *stderr_name;	/* of files, where the path is a directory; NULL: none */
	bool join;			/* error output goes where output goes */
	mode_t umask;
	int nice;
	const char *cgroup;		/* NULL: none */
	/* where it has a directory for temporary files, and as what; NULL: it has none of its own */
	const char *tmpdir, *tmpdir_name;
	struct task_limit limits[TASK_LIMITS];
	size_t nlimits;
	json_t *json;
};

/* Says what went wrong; returns -ECANCELED. */
int failure_set(struct failure *failure, enum attempt_failed code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* 0, or -ECANCELED with FAILED_CONFIG. The task is to be freed in both cases. */
int task_read(struct shepherd_task *task, int dirfd, struct failure *failure);
void task_free(struct shepherd_task *task);
/* In the place of what has this name; at most TASK_VARIABLES_MORE new ones. -ENOMEM */
int task_variable_set(struct shepherd_task *task, const char *name, const char *value);
const char *task_variable(const struct shepherd_task *task, const char *name);	/* NULL: there is none */

#endif
