/* SPDX-License-Identifier: Apache-2.0 */
/* The command that a shepherd starts: the checked content of the file `config`. */
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

/* Reason why there is no running command. Sent through a pipe in one piece. */
struct failure {
	enum attempt_failed code;	/* FAILED_NOT: none */
	int exit_status;		/* exit status to be recorded */
	char text[ATTEMPT_TEXT_BYTES];
};

struct task_limit {
	int resource;
	struct rlimit value;
};

/* The strings belong to `json`, the arrays to the task. */
struct shepherd_task {
	uint32_t job_number, task;	/* task 0: the job is not an array */
	const char *user;
	uid_t uid;
	gid_t gid;
	bool init_groups;		/* set all groups of the user; false: only gid */
	char **command, **environment;	/* NULL-terminated */
	/* executable to run instead of command[0]; NULL: command[0] */
	const char *program;
	const char *script;		/* path of the job's script in DIR; NULL: none */
	bool script_input;		/* the script is standard input */
	const char *cwd, *stdin_path, *stdout_path, *stderr_path;
	/* file name if the path is a directory; NULL: none */
	const char *stdout_name, *stderr_name;
	bool join;			/* standard error goes to standard output */
	mode_t umask;
	int nice;
	const char *cgroup;		/* NULL: none */
	/*
	 * parent and name of the directory for temporary files; NULL: the task has none of its own
	 */
	const char *tmpdir, *tmpdir_name;
	struct task_limit limits[TASK_LIMITS];
	size_t nlimits;
	json_t *json;
};

/* Record a failure. Returns -ECANCELED. */
int failure_set(struct failure *failure, enum attempt_failed code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Read and check `config`. Returns 0, or -ECANCELED with FAILED_CONFIG. Call task_free() even if
 * this fails.
 */
int task_read(struct shepherd_task *task, int dirfd, struct failure *failure);
void task_free(struct shepherd_task *task);
/*
 * Set or replace a variable of the environment; at most TASK_VARIABLES_MORE new ones. Returns 0 or
 * -ENOMEM.
 */
int task_variable_set(struct shepherd_task *task, const char *name, const char *value);
const char *task_variable(const struct shepherd_task *task, const char *name);	/* NULL: not set */

#endif
