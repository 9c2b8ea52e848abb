/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "sched/host/state.h"
#include "sched/host/weights.h"

#define NICE_MOST 19			/* the kernel's value for 20 */

/* Values of tasks */

static struct cpu_weights weights_of(const struct host *host, enum lever lever)
{
	struct cpu_weights weights = { 0 };

	for (size_t k = 0; k < host->ntasks; k++)
		if (host->tasks[k].used && host->tasks[k].setting.lever == lever)
			weights_add(&weights, host->tasks[k].setting.tickets);
	return weights;
}

void levers_plan(struct host *host, uint64_t now_ns)
{
	struct cpu_weights weights = weights_of(host, LEVER_CGROUP);
	int weakest = host->ptf.weakest > NICE_MOST ? NICE_MOST : host->ptf.weakest;

	for (size_t k = 0; k < host->ntasks; k++)
		host->tasks[k].weight_wanted = weight_of(&weights, host->tasks[k].setting.tickets);
	host->untranslated |= host->noted;
	host->noted = false;
	if (!host->untranslated || !ptf_adjust(&host->ptf, now_ns))
		return;
	host->untranslated = false;
	weights = weights_of(host, LEVER_AUTOGROUP);
	for (size_t k = 0; k < host->ntasks; k++) {
		struct host_task *task = &host->tasks[k];

		task->setting.group_nice = level_of(&weights, task->setting.tickets, host->ptf.best, weakest);
		if (!task->used || (task->setting.lever != LEVER_AUTOGROUP && task->setting.lever != LEVER_NICE))
			continue;
		int nice = ptf_nice(&host->ptf, task->job);

		nice = nice > NICE_MOST ? NICE_MOST : nice;
		if (!task->nice_known || task->setting.nice != nice)
			task->setting.error = 0;
		task->setting.nice = nice;
		task->nice_known = true;
	}
}

/* Nice levels */

void lever_refused(struct host_task *task, int error)
{
	if (error && error != -ESRCH)
		task->setting.error = error;
}

static int thread_nice(pid_t thread, void *context)
{
	if (setpriority(PRIO_PROCESS, (id_t)thread, *(int *)context) == 0)
		return 0;
	return errno == ESRCH ? 0 : -errno;
}

/*
 * Set the nice level of all threads. A thread that is started during the loop has the level of the
 * thread that started it, so the loop runs twice.
 */
static int process_nice(const struct host *host, const struct process *process, int nice)
{
	int rc;

	if (process->threads <= 1)
		return thread_nice(process->pid, &nice);
	rc = proc_threads(&host->proc, process->pid, thread_nice, &nice);
	return rc ? rc : proc_threads(&host->proc, process->pid, thread_nice, &nice);
}

static void nice_move(struct host *host, struct process *process, struct host_task *task)
{
	int rc = 0, nice = task->setting.nice;
	bool first = process->nice_set == NICE_UNKNOWN;

	process->nice_set = nice;
	if (process->zombie || !host->proc.real || (first && process->nice == nice && process->threads <= 1))
		return;
	/* without the newest pid, a known pid may belong to another process */
	if (!host->newest && !process_is_same(host, process))
		return;
	rc = process_nice(host, process, nice);
	if (!rc)
		process->nice = nice;
	lever_refused(task, rc);
}

static void nices_move(struct host *host)
{
	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];
		struct host_task *task = process->task == NO_TASK ? NULL : &host->tasks[process->task];

		if (task && !process->dead && process->start && task->nice_known &&
		    process->nice_set != task->setting.nice)
			nice_move(host, process, task);
	}
}

/* Weights */

static void weights_move(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++) {
		struct host_task *task = &host->tasks[k];

		if (!task->used || task->setting.lever != LEVER_CGROUP || task->setting.weight == task->weight_wanted)
			continue;
		task->setting.weight = task->weight_wanted;
		task->setting.error = cgroup_weigh(task->cgroup, task->weight_wanted);
	}
}

void levers_move(struct host *host)
{
	if (host->with_cgroup)
		weights_move(host);
	if (host->lever == LEVER_NONE)
		return;
	nices_move(host);
	groups_move(host);
}
