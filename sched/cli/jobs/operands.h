/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs as operands of verbs: 17, 17.3, 17.1-10:2, a name or a pattern of names. A list is separated
 * by commas.
 */
#ifndef CLI_JOBS_OPERANDS_H
#define CLI_JOBS_OPERANDS_H

#include <jansson.h>

#include "sched/process/messages.h"

/*
 * Append {"job":"17","tasks":"1-10:2"} or {"job":"name*"} to `jobs` for each operand. With `user`,
 * entries also have {"user":...}. `tasks` applies to operands without task ids. `user` and `tasks`
 * may be NULL. Return an exit code, with a message about the verb.
 */
int operands_take(struct messages *messages, json_t *jobs, const char *verb, const char *text, const char *tasks,
		  const char *user);

/*
 * Append all operands. `users` is a list of owners separated by commas; NULL: any owner. Without
 * operands all jobs of these users are meant. "all" means all jobs of the calling user.
 */
int operands_take_all(struct messages *messages, json_t *jobs, const char *verb, char **words, const char *tasks,
		      const char *users);

/* Check task ids in the syntax of qsub -t. Return an exit code, with a message. */
int operands_check_tasks(struct messages *messages, const char *verb, const char *option, const char *tasks);

/*
 * Return the number of a job, or 0 with a message that begins with `verb` and, unless it is NULL,
 * the option. Names are not allowed here.
 */
json_int_t operands_number(struct messages *messages, const char *verb, const char *option, const char *text);

#endif
