/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(struct failure) <= PIPE_BUF, "a report comes in one piece");

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Read a report of the child. Returns 0 if the child has closed the pipe, by exec or by its end. */
static int report_read(const struct start *start, struct failure *failure)
{
	ssize_t n;

	do
		n = read(start->report_fd, failure, sizeof(*failure));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*failure))
		memset(failure, 0, sizeof(*failure));
	failure->text[sizeof(failure->text) - 1] = '\0';
	return n == sizeof(*failure);
}

static int start_fork(struct start *start, struct shepherd_task *task, const int report[2], const int go[2],
		      struct failure *failure)
{
	start->pid = fork();
	if (start->pid == 0) {
		close(report[0]);
		close(go[1]);
		become_command(task, report[1], go[0]);
	}
	close(report[1]);
	close(go[0]);
	if (start->pid > 0)
		return 0;
	start->pid = 0;
	return failure_set(failure, FAILED_BEFORE_JOB, "no process: %s", strerror(errno));
}

int start_prepare(struct start *start, struct shepherd_task *task, struct failure *failure)
{
	int report[2], go[2], rc;

	*start = (struct start){ .report_fd = -1, .go_fd = -1 };
	if (pipe2(report, O_CLOEXEC))
		return failure_set(failure, FAILED_BEFORE_JOB, "no pipe: %s", strerror(errno));
	if (pipe2(go, O_CLOEXEC)) {
		close(report[0]);
		close(report[1]);
		return failure_set(failure, FAILED_BEFORE_JOB, "no pipe: %s", strerror(errno));
	}
	start->report_fd = report[0];
	start->go_fd = go[1];
	rc = start_fork(start, task, report, go, failure);
	if (rc)
		return rc;
	if (!report_read(start, failure))
		return failure_set(failure, FAILED_BEFORE_JOB,
				   "the command's process was killed before it became the command");
	return failure->code == FAILED_NOT ? 0 : -ECANCELED;
}

int start_go(struct start *start, struct failure *failure)
{
	int rc;

	if (write(start->go_fd, "", 1) == 1 && report_read(start, failure))
		rc = -ECANCELED;
	else
		/*
		 * the child runs the command, or it was killed and its exit status has the reason
		 */
		rc = 0;
	fd_close(&start->go_fd);
	fd_close(&start->report_fd);
	return rc;
}

void start_note(struct shepherd_task *task, const char *text)
{
	pid_t pid = fork();

	if (pid == 0)
		become_note(task, text);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void start_cancel(struct start *start)
{
	fd_close(&start->go_fd);
	fd_close(&start->report_fd);
	if (!start->pid)
		return;
	kill(start->pid, SIGKILL);
	while (waitpid(start->pid, NULL, 0) < 0 && errno == EINTR)
		;
	start->pid = 0;
}
