/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a command in two steps, so that the decision that it runs can be written down between
 * them.
 *
 *     start_prepare(&s, task, &f)      a child that has become the user, is where it is to be, has
 *                                      its files open, and waits
 *     ... `begun` is written ...
 *     start_go(&s, &f)                 it becomes the command; returns once it has, or could not
 *     start_cancel(&s)                 instead of that: the child is killed and waited for
 *
 * If this process dies before start_go(), the child ends without having run anything.
 */
#ifndef SHEPHERD_START_H
#define SHEPHERD_START_H

#include "sched/shepherd/task.h"

struct start {
	pid_t pid;		/* 0: no child */
	int report_fd, go_fd;	/* private to start.c; -1: closed */
};

/*
 * 0, or -ECANCELED and why. The child may be there even then, ended or ending: it has to be waited
 * for.
 */
int start_prepare(struct start *start, struct shepherd_task *task, struct failure *failure);
int start_go(struct start *start, struct failure *failure);
void start_cancel(struct start *start);

/* Append a line to the task's error output, as its user, after its end. No-op where that fails. */
void start_note(struct shepherd_task *task, const char *text);

/* The child's part; in become.c. Ends with the command or with a report. */
_Noreturn void become_command(struct shepherd_task *task, int report_fd, int go_fd);
/* The same of start_note(). */
_Noreturn void become_note(struct shepherd_task *task, const char *text);

#endif
