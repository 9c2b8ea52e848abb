/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "sched/host/state.h"
#include "sched/host/weights.h"

#define NICE_MOST 19			/* what the kernel makes of 20 */

/* What each task is to have */

static struct cpu_weights weights_of(const struct host *h, enum lever lever)
{
	struct cpu_weights weights = { 0 };

	for (size_t k = 0; k < h->ntasks; k++)
		if (h->tasks[k].used && h->tasks[k].setting.lever == lever)
			weights_add(&weights, h->tasks[k].setting.tickets);
	return weights;
}

void levers_plan(struct host *h, uint64_t now_ns)
{
	struct cpu_weights weights = weights_of(h, LEVER_CGROUP);
	int weakest = h->ptf.weakest > NICE_MOST ? NICE_MOST : h->ptf.weakest;

	for (size_t k = 0; k < h->ntasks; k++)
		h->tasks[k].weight_wanted = weight_of(&weights, h->tasks[k].setting.tickets);
	h->told |= h->noted;
	h->noted = false;
	if (!h->told || !ptf_adjust(&h->ptf, now_ns))
		return;
	h->told = false;
	weights = weights_of(h, LEVER_AUTOGROUP);
	for (size_t k = 0; k < h->ntasks; k++) {
		struct host_task *task = &h->tasks[k];

		task->setting.group_nice = level_of(&weights, task->setting.tickets, h->ptf.best, weakest);
		if (!task->used || (task->setting.lever != LEVER_AUTOGROUP && task->setting.lever != LEVER_NICE))
			continue;
		int nice = ptf_nice(&h->ptf, task->job);

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
 * The kernel's nice level is a thread's. One that is started while we go through them has the level
 * of its maker, so we go twice.
 */
static int process_nice(const struct host *h, const struct process *process, int nice)
{
	int rc;

	if (process->threads <= 1)
		return thread_nice(process->pid, &nice);
	rc = proc_threads(&h->proc, process->pid, thread_nice, &nice);
	return rc ? rc : proc_threads(&h->proc, process->pid, thread_nice, &nice);
}

static void nice_move(struct host *h, struct process *process, struct host_task *task)
{
	int rc = 0, nice = task->setting.nice;
	bool first = process->nice_set == NICE_UNKNOWN;

	process->nice_set = nice;
	if (process->zombie || !h->proc.real || (first && process->nice == nice && process->threads <= 1))
		return;
	/*
	 * Where the kernel doesn't show the newest pid, a known one may be somebody else's since.
	 */
	if (!h->newest && !process_is_same(h, process))
		return;
	rc = process_nice(h, process, nice);
	if (!rc)
		process->nice = nice;
	lever_refused(task, rc);
}

static void nices_move(struct host *h)
{
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];
		struct host_task *task = process->task == NO_TASK ? NULL : &h->tasks[process->task];

		if (task && !process->dead && process->start && task->nice_known && process->nice_set != task->setting.nice)
			nice_move(h, process, task);
	}
}

/* Weights */

static void weights_move(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++) {
		struct host_task *task = &h->tasks[k];

		if (!task->used || task->setting.lever != LEVER_CGROUP || task->setting.weight == task->weight_wanted)
			continue;
		task->setting.weight = task->weight_wanted;
		task->setting.error = cgroup_weigh(task->cgroup, task->weight_wanted);
	}
}

void levers_move(struct host *h)
{
	if (h->with_cgroup)
		weights_move(h);
	if (h->lever == LEVER_NONE)
		return;
	nices_move(h);
	groups_move(h);
}
