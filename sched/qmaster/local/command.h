/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the command of a task is run: its script and its shell. See submit(1) -b, -shell and -S, and
 * queue_conf(5).
 */
#ifndef SCHED_QMASTER_LOCAL_COMMAND_H
#define SCHED_QMASTER_LOCAL_COMMAND_H

#include "sched/qmaster/local/paths.h"

#define SCRIPT_PATH_BYTES (4096 + DIRECTORY_BYTES + 16)

/* Return the text of the job's script. NULL: the command is a program. */
const char *command_script(const struct local_job *job);
/* Write the path of the script of an attempt. */
void command_script_path(const struct local *local, const struct local_task *task, char path[SCRIPT_PATH_BYTES]);
/* Write the path of the shell: -S, or the shell of the queue. Returns 0 or -ENAMETOOLONG. */
int command_shell(const struct local *local, const struct local_task *task, const struct path_names *names, char *shell,
		  size_t size);
/*
 * Add the members of the shepherd's configuration: command, program, script, script_input. Returns
 * 0, -ENOMEM or -ENAMETOOLONG.
 */
int command_put(json_t *config, const struct local *local, const struct local_task *task,
		const struct path_names *names);

#endif
