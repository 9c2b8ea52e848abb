/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs as they are named behind verbs: 17, 17.3, 17.1-10:2, a name or a pattern of names; several
 * with commas.
 */
#ifndef CLI_JOBS_OPERANDS_H
#define CLI_JOBS_OPERANDS_H

#include <jansson.h>

/*
 * Appends {"job":"17","tasks":"1-10:2"} or {"job":"name*"} to `jobs` for each; with `user` (NULL:
 * none) also {"user":...}. `tasks` (NULL: none) is for those that name none themselves. An exit
 * code, after a message that begins with the verb.
 */
int operands_take(json_t *jobs, const char *verb, const char *text, const char *tasks, const char *user);

/*
 * All words; for each user of `users`, with commas between them (NULL: whoever the jobs belong to).
 * Without words it is all jobs of these users. "all" is all jobs of the user's own.
 */
int operands_take_all(json_t *jobs, const char *verb, char **words, const char *tasks, const char *users);

/* Task ids as qsub -t takes them. An exit code, after a message. */
int operands_check_tasks(const char *verb, const char *option, const char *tasks);

/* The job's number, 0 after a message: a name is no number here. */
json_int_t operands_number(const char *verb, const char *text);

#endif
