/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a job, which its options set. Only the files of this room use them.
 *
 * Functions that return an exit code have added a message unless it is EXIT_OK. Texts are copied.
 */
#ifndef CLIENT_JOB_INSIDE_H
#define CLIENT_JOB_INSIDE_H

#include "sched/client/job.h"

/* Copy a text into the memory of the job. NULL: memory is exhausted. */
const char *job_copy(struct job *job, const char *text, size_t length);

/* Set a member of the request. A text must be UTF-8. Return an exit code. */
int job_put_text(struct job *job, const char *member, const char *option, const char *value);
int job_put_number(struct job *job, const char *member, int64_t number);
int job_put_bool(struct job *job, const char *member, bool yes);
/* Set the member that has the name of the value. The value is borrowed. */
int job_put_value(struct job *job, const struct value *value);

/* Set a member of the execution. A text must be UTF-8. Return an exit code. */
int job_execute_text(struct job *job, const char *member, const char *option, const char *value);
int job_execute_bool(struct job *job, const char *member, bool yes);
/* Set a member to its value in `from`, which is borrowed. */
int job_execute(struct job *job, const struct execution *from, const char *member);
/* Remove a member from an existing job. */
int job_execute_null(struct job *job, const char *member);

/* Set a variable. Return 0 or -ENOMEM. */
int job_variables_set(struct job *job, struct job_variables *variables, const char *name, size_t length,
		      const char *value);
/* Remove a variable. Return 0 or -ENOMEM. */
int job_variables_remove(struct job *job, struct job_variables *variables, const char *name);
void job_variables_free(struct job_variables *variables);
static inline struct variables job_variables_all(const struct job_variables *variables)
{
	return (struct variables){ variables->items, variables->names.n };
}

/* Begin a list again: an empty array or object with this name. Return 0 or -ENOMEM. */
int job_list_begin(struct job *job, struct job_list *list, enum value_type type, const char *name);
/* Append one entry: a value and the `n` - 1 values in it. Return 0 or -ENOMEM. */
int job_list_append(struct job *job, struct job_list *list, const struct value *values, uint32_t n);
/* Return a text as a value. `name` NULL: it is not a member. */
struct value job_text_value(const char *name, const char *text);

int job_environment_finish(struct job *job);
int job_paths_finish(struct job *job);

#endif
