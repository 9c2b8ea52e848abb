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

/* 1: a report, 0: the child has closed the pipe, by exec or by its end. */
static int report_read(const struct start *s, struct failure *f)
{
	ssize_t n;

	do
		n = read(s->report_fd, f, sizeof(*f));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*f))
		memset(f, 0, sizeof(*f));
	f->text[sizeof(f->text) - 1] = '\0';
	return n == sizeof(*f);
}

static int start_fork(struct start *s, struct shepherd_task *t, const int report[2], const int go[2], struct failure *f)
{
	s->pid = fork();
	if (s->pid == 0) {
		close(report[0]);
		close(go[1]);
		become_command(t, report[1], go[0]);
	}
	close(report[1]);
	close(go[0]);
	if (s->pid > 0)
		return 0;
	s->pid = 0;
	return failure_set(f, FAILED_BEFORE_JOB, "no process: %s", strerror(errno));
}

int start_prepare(struct start *s, struct shepherd_task *t, struct failure *f)
{
	int report[2], go[2], rc;

	*s = (struct start){ .report_fd = -1, .go_fd = -1 };
	if (pipe2(report, O_CLOEXEC))
		return failure_set(f, FAILED_BEFORE_JOB, "no pipe: %s", strerror(errno));
	if (pipe2(go, O_CLOEXEC)) {
		close(report[0]);
		close(report[1]);
		return failure_set(f, FAILED_BEFORE_JOB, "no pipe: %s", strerror(errno));
	}
	s->report_fd = report[0];
	s->go_fd = go[1];
	rc = start_fork(s, t, report, go, f);
	if (rc)
		return rc;
	if (!report_read(s, f))
		return failure_set(f, FAILED_BEFORE_JOB, "the command's process was killed before it became the command");
	return f->code == FAILED_NOT ? 0 : -ECANCELED;
}

int start_go(struct start *s, struct failure *f)
{
	int rc;

	if (write(s->go_fd, "", 1) == 1 && report_read(s, f))
		rc = -ECANCELED;
	else
		/* it has become the command, or somebody has killed it: its end will tell */
		rc = 0;
	fd_close(&s->go_fd);
	fd_close(&s->report_fd);
	return rc;
}

void start_note(struct shepherd_task *t, const char *text)
{
	pid_t pid = fork();

	if (pid == 0)
		become_note(t, text);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void start_cancel(struct start *s)
{
	fd_close(&s->go_fd);
	fd_close(&s->report_fd);
	if (!s->pid)
		return;
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
}
