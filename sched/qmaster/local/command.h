/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the command of a task is run: its script, its shell. submit(1) -b, -shell and -S,
 * queue_conf(5).
 */
#ifndef SCHED_QMASTER_LOCAL_COMMAND_H
#define SCHED_QMASTER_LOCAL_COMMAND_H

#include "sched/qmaster/local/paths.h"

#define SCRIPT_PATH_BYTES (4096 + DIRECTORY_BYTES + 16)

/* The text of the job's script; NULL: its command is a program. */
const char *command_script(const struct local_job *job);
/* Where the script of an attempt lies. */
void command_script_path(const struct local *local, const struct local_task *task, char path[SCRIPT_PATH_BYTES]);
/* The shell of -S or of the queue. -ENAMETOOLONG */
int command_shell(const struct local *local, const struct local_task *task, const struct path_names *names, char *shell,
		  size_t size);
/*
 * Members of what the shepherd reads: command, program, script, script_input. -ENOMEM,
 * -ENAMETOOLONG
 */
int command_put(json_t *config, const struct local *local, const struct local_task *task,
		const struct path_names *names);

#endif
