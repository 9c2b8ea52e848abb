/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs, queues and reservations that a request names. Jobs are written as 17, 17.3, 17.1-10:2, a
 * name or a pattern of names. A list is separated by commas.
 */
#ifndef CLIENT_OPERANDS_H
#define CLIENT_OPERANDS_H

#include <stddef.h>
#include <stdint.h>

#include "sched/process/messages.h"

struct operand {
	char *name;		/* number, name or pattern; NULL: all objects of the user */
	char *tasks;		/* task ids; NULL: all */
	char *user;		/* pattern of owners; NULL: not given */
};

struct operand_list {		/* zero-initialised by the caller */
	struct operand *items;
	size_t n;
};

/*
 * Append the jobs of a list. `tasks` applies to operands without task ids. `user` and `tasks` may
 * be NULL. Return an exit code, with a message about the verb.
 */
int operands_take(struct messages *messages, struct operand_list *list, const char *verb, const char *text,
		  const char *tasks, const char *user);

/*
 * Append all words. `users` is a list of owners separated by commas; NULL: any owner. If there are
 * no words, append all jobs of these users. "all" means all jobs of the calling user.
 */
int operands_take_all(struct messages *messages, struct operand_list *list, const char *verb, char **words,
		      const char *tasks, const char *users);

/* Append the names of queues. Return an exit code, with a message about the verb. */
int operands_take_queues(struct messages *messages, struct operand_list *list, const char *verb, char **words);

/* Append a name without parsing it. `user` NULL: any owner. */
int operands_add(struct messages *messages, struct operand_list *list, const char *verb, const char *name,
		 const char *user);
/* Append a job by its number, with one task unless `task` is 0. Return 0 or -ENOMEM. */
int operands_add_job(struct operand_list *list, uint32_t number, uint32_t task);
void operands_clear(struct operand_list *list);

/* Check task ids in the syntax of qsub -t. Return an exit code, with a message. */
int operands_check_tasks(struct messages *messages, const char *verb, const char *option, const char *tasks);

/*
 * Return the number of a job, or 0 with a message that begins with `verb` and, unless it is NULL,
 * the option. Names are not allowed here.
 */
uint32_t operands_number(struct messages *messages, const char *verb, const char *option, const char *text);

#endif
