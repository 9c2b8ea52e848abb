/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals to all processes of a task.
 *
 * A pid alone may be somebody else's by the time the signal is sent. A pidfd opened before the
 * start time is read is not: if the start time is the one known, the process has been there all the
 * time.
 *
 * Processes that are forked while we go through the list are found by going through it again, until
 * nobody is there who has not been signalled: one with SIGKILL or SIGSTOP pending does not fork any
 * more. A process that forks and ends, and its child likewise, may always be one step ahead of the
 * list. So the list's process groups are signalled as a whole, too, when they are of the task's
 * session: the kernel does that at one blow.
 */
#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "sched/host/state.h"

#define PASSES_MOST 20

/* Without pidfds, as in some containers, a moment is left between the look and the signal. */
static int process_signal(const struct host *host, const struct process *process, int sig)
{
	struct proc_stat stat;
	int fd = pidfd_open(process->pid, 0), rc;

	if (fd < 0 && errno == ESRCH)
		return -ESRCH;
	rc = proc_stat(&host->proc, process->pid, &stat);
	if (!rc && (stat.start != process->start || stat.state == 'Z' || stat.state == 'X'))
		rc = -ESRCH;
	if (!rc && (fd >= 0 ? pidfd_send_signal(fd, sig, NULL, 0) : kill(process->pid, sig)))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

/*
 * To those of the task that have not got it yet; how many these were. *sent and *error: of all
 * passes.
 */
static size_t pass(struct host *host, uint32_t task, int sig, size_t *sent, int *error)
{
	size_t found = 0;

	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];
		int rc;

		if (process->task != task || process->dead || !process->start || process->signalled == host->signals)
			continue;
		process->signalled = host->signals;
		rc = process_signal(host, process, sig);
		found++;
		*sent += rc != -ESRCH;
		if (rc == -ESRCH)
			process_look(host, process);
		else if (rc)
			*error = rc;
	}
	return found;
}

static bool group_is_tasks(const struct host *host, pid_t group, uint32_t task)
{
	for (size_t k = 0; k < host->nprocesses; k++)
		if (host->processes[k].group == group && host->processes[k].task != task && !host->processes[k].dead)
			return false;
	return group > 1;
}

static void groups_signal(const struct host *host, uint32_t task, int sig)
{
	pid_t last = 0;

	for (size_t k = 0; k < host->nprocesses; k++) {
		const struct process *process = &host->processes[k];

		if (process->task != task || process->group == last)
			continue;
		last = process->group;
		if (group_is_tasks(host, last, task))
			kill(-last, sig);
	}
}

int host_task_signal(struct host *host, uint32_t job, uint32_t number, int sig)
{
	struct host_task *task = task_find(host, job, number);
	bool repeat = sig == SIGKILL || sig == SIGSTOP;
	size_t sent = 0, found = 1;
	int error = 0, rc;

	if (!task)
		return -ENOENT;
	if (!host->proc.real)
		return -ENOTSUP;
	host->signals++;
	if (sig == SIGKILL && task->cgroup && cgroup_kill(task->cgroup) == 0)
		sent++;
	for (int k = 0; k < PASSES_MOST && found; k++) {
		rc = find_task(host, task);
		if (rc)
			return rc;
		found = pass(host, task_row(host, task), sig, &sent, &error);
		if (repeat && found && k > 0)
			groups_signal(host, task_row(host, task), sig);
		processes_settle(host);
		processes_remove_dead(host);
		if (!repeat)
			break;
	}
	return error ? error : repeat && found ? -EAGAIN : sent ? 0 : -ESRCH;
}
