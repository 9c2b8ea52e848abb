/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals to all processes of a task.
 *
 * When a signal is sent, a pid alone may belong to another process. A pidfd that is opened before
 * the start time is read does not: if the start time is the known one, the process has existed all
 * the time.
 *
 * Processes that are forked during a pass are found by further passes, until every process was
 * signalled. A process with SIGKILL or SIGSTOP pending does not fork. A chain of processes that
 * fork and end at once may always be ahead of the passes. Therefore process groups of the task are
 * also signalled as a whole, which the kernel does atomically.
 */
#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "sched/host/state.h"

#define PASSES_MOST 20

/*
 * Send the signal to a process. Without pidfds, as in some containers, there is a moment between
 * the check and the signal.
 */
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
 * Signal the processes of the task that were not signalled yet, and return their number. *sent and
 * *error accumulate over all passes.
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
