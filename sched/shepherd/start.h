/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start of a command in two steps, so that the decision to run it can be recorded between them.
 *
 *     start_prepare(&start, task, &failure)    make a child that has become the user, has entered
 *                                              its directory, has opened its files, and waits
 *     ... `begun` is written ...
 *     start_go(&start, &failure)               run the command; returns when it runs or has failed
 *     start_cancel(&start)                     alternative to start_go(): kill the child and wait
 *
 * If this process dies before start_go(), the child ends without running the command.
 */
#ifndef SHEPHERD_START_H
#define SHEPHERD_START_H

#include "sched/shepherd/task.h"

struct start {
	pid_t pid;		/* 0: no child */
	int report_fd, go_fd;	/* private to start.c; -1: closed */
};

/*
 * Prepare or run the command. Returns 0, or -ECANCELED with the reason. The child may exist even
 * then, ended or ending, and must be waited for.
 */
int start_prepare(struct start *start, struct shepherd_task *task, struct failure *failure);
int start_go(struct start *start, struct failure *failure);
void start_cancel(struct start *start);

/*
 * Append a line to the task's error output, as its user, after the task has ended. Errors are
 * ignored.
 */
void start_note(struct shepherd_task *task, const char *text);

/* Run the child's part of the start. Ends with the command or with a report on `report_fd`. */
_Noreturn void become_command(struct shepherd_task *task, int report_fd, int go_fd);
/* Run the child's part of start_note(). */
_Noreturn void become_note(struct shepherd_task *task, const char *text);

#endif
