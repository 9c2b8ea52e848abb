/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/limits.h"

#include <signal.h>
#include <stdio.h>

/*
 * Return the signal that has ended the task, or 0. If it ended a process of the task's shell, the
 * shell exits with 128 and the signal.
 */
static int end_signal(const struct attempt_exit *exit)
{
	return exit->signal ? exit->signal : exit->exit_status > 128 ? exit->exit_status - 128 : 0;
}

static const struct rlimit *limit_find(const struct shepherd_task *task, int resource)
{
	for (size_t k = 0; k < task->nlimits; k++)
		if (task->limits[k].resource == resource)
			return &task->limits[k].value;
	return NULL;
}

static bool explain(struct attempt_exit *exit, bool killed, const char *name, rlim_t value)
{
	if (value == RLIM_INFINITY)
		return false;
	if (killed)
		exit->failed = FAILED_LIMIT;
	snprintf(exit->text, sizeof(exit->text), "%s: %s=%llu", killed ? "killed" : "ended by a signal", name,
		 (unsigned long long)value);
	return true;
}

/*
 * Find a limit of the kernel that has ended the task.
 *
 * The kernel counts the CPU time of each process, and the usage of the task is at least that. The
 * kernel compares ticks, whose sum differs from the time that it reports, especially on a loaded
 * machine. Hence the tolerance.
 */
static bool explain_by_kernel(const struct shepherd_task *task, struct attempt_exit *exit)
{
	const struct rlimit *cpu = limit_find(task, RLIMIT_CPU), *fsize = limit_find(task, RLIMIT_FSIZE);

	switch (end_signal(exit)) {
	case SIGKILL:
		return cpu && exit->usage.ru_utime + exit->usage.ru_stime >= 0.9 * (double)cpu->rlim_max - 0.25 &&
		       explain(exit, true, "h_cpu", cpu->rlim_max);
	case SIGXCPU:
		return cpu && explain(exit, false, "s_cpu", cpu->rlim_cur);
	case SIGXFSZ:
		return fsize &&
		       explain(exit, false, fsize->rlim_cur < fsize->rlim_max ? "s_fsize" : "h_fsize", fsize->rlim_cur);
	default:
		return false;
	}
}

bool limits_explain(int dirfd, const struct shepherd_task *task, struct attempt_exit *exit)
{
	struct attempt_limit reached;
	struct error error;
	bool found = attempt_limit_read(dirfd, &reached, &error) == 0;

	if (found && reached.kills && exit->signal) {
		exit->failed = FAILED_LIMIT;
		snprintf(exit->text, sizeof(exit->text), "killed: %s", reached.text);
		return true;
	}
	if (found && !reached.kills && end_signal(exit) == SIGUSR1) {
		snprintf(exit->text, sizeof(exit->text), "ended by a signal: %s", reached.text);
		return true;
	}
	return explain_by_kernel(task, exit);
}
