/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/state.h"

#define GB 1073741824.0

static void tasks_clear(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++) {
		struct host_task *task = &host->tasks[k];

		task->ticks = task->kept_ticks;
		task->io_bytes = task->kept_io_bytes;
		task->resident_bytes = 0;
		task->processes = 0;
	}
}

static void processes_add(struct host *host)
{
	for (size_t k = 0; k < host->nprocesses; k++) {
		const struct process *process = &host->processes[k];
		struct host_task *task;

		if (process->dead || process->task == NO_TASK)
			continue;
		task = &host->tasks[process->task];
		task->ticks += process->ticks + process->children_ticks;
		task->io_bytes += process->io_bytes;
		task->resident_bytes += process->resident_bytes;
		task->processes += !process->zombie;
	}
}

/*
 * Return the CPU time of a task. The kernel's count of a cgroup is preferred: it includes processes
 * that were never seen, and is finer.
 */
static double cpu_s(const struct host *host, const struct host_task *task)
{
	double seconds;

	if (task->cgroup && cgroup_cpu_s(task->cgroup, &seconds) == 0)
		return seconds;
	seconds = (double)task->ticks / (double)host->ticks_per_s;
	return seconds * 1e9 < (double)task->exits_ns ? (double)task->exits_ns / 1e9 : seconds;
}

static void task_integrate(const struct host *host, struct host_task *task)
{
	struct host_usage *usage = &task->usage;
	double cpu = cpu_s(host, task), io = (double)task->io_bytes / GB;
	double resident = ((double)usage->vmem_bytes + (double)task->resident_bytes) / 2;

	if (cpu > usage->cpu_s) {
		usage->mem_gbs += (cpu - usage->cpu_s) * resident / GB;
		usage->cpu_s = cpu;
	}
	if (io > usage->io_gb)
		usage->io_gb = io;
	usage->vmem_bytes = task->resident_bytes;
	if (usage->vmem_bytes > usage->maxvmem_bytes)
		usage->maxvmem_bytes = usage->vmem_bytes;
	usage->processes = task->processes;
}

void usage_sum(struct host *host)
{
	tasks_clear(host);
	processes_add(host);
	exits_read(host);
	if (exits_are_used(host))
		exits_sum_up(host);
	for (size_t k = 0; k < host->ntasks; k++)
		if (host->tasks[k].used)
			task_integrate(host, &host->tasks[k]);
}
