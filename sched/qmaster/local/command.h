/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the command of a task is run: its script and its shell. See submit(1) -b, -shell and -S, and
 * queue_conf(5).
 */
#ifndef SCHED_QMASTER_LOCAL_COMMAND_H
#define SCHED_QMASTER_LOCAL_COMMAND_H

#include "sched/qmaster/local/paths.h"

#define SCRIPT_PATH_BYTES (4096 + DIRECTORY_BYTES + 16)

/* Write the path of the script of an attempt. */
void command_script_path(const struct local *local, const struct local_task *task, char path[SCRIPT_PATH_BYTES]);
/* Write the path of the shell: -S, or the shell of the queue. Returns 0 or -ENAMETOOLONG. */
int command_shell(const struct local *local, const struct local_task *task, const struct path_names *names, char *shell,
		  size_t size);
/*
 * Write the members of the shepherd's configuration after a comma: command, program, script,
 * script_input. Returns 0, or -ENAMETOOLONG if the path of the shell is too long.
 */
int command_write(struct out *out, const struct local *local, const struct local_task *task,
		  const struct path_names *names);

#endif
