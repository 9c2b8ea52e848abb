/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan for processes. The cost of a round is limited.
 *
 * On a host with very many processes one scan of /proc takes several rounds, and so does reading
 * the known processes. Before a process is read, a cheap call checks whether it has run; most have
 * not. New processes are nevertheless found at once. The kernel assigns pids in ascending order, so
 * new ones are between the newest pid of the last round and the newest pid now.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/host/state.h"

/* Limits of a round, which together take 10 ms on a slow machine (bench/host_round). */
#define LISTED_MOST 1024		/* directory entries */
#define ASKED_MOST 3200			/* known processes to be checked */
#define LOOK_COST 8			/* cost of reading a process that has run, in checks */
#define FIRST_LOOKS_MOST 1000 /* first reads of new processes; unlimited in the very first round */

#define GENERATIONS_MOST 16 /* generations of children found before their parents, in a round */

/* Add the pids from..to. A known pid may be another process by now, so it is read again. */
static int range_list(struct host *host, pid_t from, pid_t to)
{
	pid_t pid;

	proc_seek(&host->proc, from);
	while ((pid = proc_next(&host->proc)) > 0 && pid <= to) {
		struct process *process = process_meet(host, pid);

		if (!process)
			return -ENOMEM;
		process->listed = host->walk;
		process_call(host, process);
	}
	return pid < 0 ? pid : 0;
}

static int newest_list(struct host *host)
{
	pid_t before = host->newest;
	int rc = 0;

	host->newest = proc_seeks(&host->proc) ? proc_newest(&host->proc) : 0;
	if (!before || !host->newest || before == host->newest)
		return 0;
	if (host->newest < before) {	/* pids have wrapped around */
		rc = range_list(host, before + 1, INT_MAX);
		before = 0;
	}
	return rc ? rc : range_list(host, before + 1, host->newest);
}

static void walk_end(struct host *host)
{
	for (size_t k = 0; k < host->nprocesses; k++)
		if (host->processes[k].listed != host->walk && !host->processes[k].dead)
			process_die(host, &host->processes[k]);
	host->walk++;
	host->walked = 0;
}

/* Continue the scan. The first scan is done as a whole. */
static int walk(struct host *host)
{
	size_t most = host->walk ? LISTED_MOST : SIZE_MAX;
	pid_t pid = 0;

	if (!host->walked || proc_seeks(&host->proc))
		proc_seek(&host->proc, host->walked ? host->walked + 1 : 0);
	for (size_t k = 0; k < most && (pid = proc_next(&host->proc)) > 0; k++) {
		struct process *process = process_meet(host, pid);

		if (!process)
			return -ENOMEM;
		process->listed = host->walk;
		host->walked = pid;
	}
	if (pid == 0)
		walk_end(host);
	return pid < 0 ? pid : 0;
}

/* Processes by cgroup */

static int member_take(struct host *host, uint32_t row, pid_t pid)
{
	struct process *process = process_meet(host, pid);

	if (!process)
		return -ENOMEM;
	process->listed = host->walk;
	if (process->task != row) {
		process->task = row;
		process->nice_set = NICE_UNKNOWN;
		process_call(host, process);
	}
	return 0;
}

static int cgroup_list(struct host *host, uint32_t row)
{
	char path[CGROUP_PATH_BYTES + 16], *text;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", host->tasks[row].cgroup);
	if (proc_read_long(&host->proc, AT_FDCWD, path, &text) < 0)
		return 0;		/* the cgroup was removed, so it has no processes */
	for (char *end; !rc; text = end) {
		long pid = strtol(text, &end, 10);

		if (end == text)
			break;
		if (pid > 0)		/* 0: in a pid namespace that is not visible */
			rc = member_take(host, row, (pid_t)pid);
	}
	return rc;
}

/* Reads */

/* Read new processes, newest first: they are at the end of the array. */
static void first_looks(struct host *host, size_t most)
{
	for (size_t k = host->nprocesses; host->unlooked && most && k-- > 0;) {
		struct process *process = &host->processes[k];

		if (!process->start && !process->dead) {
			process_look(host, process);
			most--;
		}
	}
}

/* Read due processes in turn, so that every process is read eventually. */
static void looks(struct host *host)
{
	size_t spent = 0;

	for (size_t k = 0; k < host->nprocesses && spent < ASKED_MOST; k++) {
		struct process *process = &host->processes[host->cursor++ % host->nprocesses];

		if (process->start && !process->dead && (int32_t)(process->due - host->round) <= 0)
			spent += process_check(host, process) ? 1 + LOOK_COST : 1;
	}
	host->cursor = host->nprocesses ? host->cursor % host->nprocesses : 0;
}

/*
 * Assign children that were read before their parents, or before their parents belonged to a task.
 */
static void adopt(struct host *host)
{
	bool again = true;

	for (int generation = 0; again && generation < GENERATIONS_MOST; generation++) {
		again = false;
		for (size_t k = 0; k < host->nprocesses; k++) {
			struct process *process = &host->processes[k];

			if (process->task == NO_TASK && process->start && !process->dead)
				again |= process_adopt(host, process);
		}
	}
}

int find_processes(struct host *host)
{
	int rc;

	host->round++;
	rc = newest_list(host);
	if (!rc)
		rc = walk(host);
	for (size_t row = 0; host->with_cgroup && row < host->ntasks && !rc; row++)
		if (host->tasks[row].used && host->tasks[row].cgroup)
			rc = cgroup_list(host, (uint32_t)row);
	if (rc)
		return rc;
	first_looks(host, host->round == 1 ? SIZE_MAX : FIRST_LOOKS_MOST);
	looks(host);
	adopt(host);
	return 0;
}

/*
 * Find all processes of a task in a separate scan. The scan in progress is not changed, and no live
 * process is considered dead.
 */
int find_task(struct host *host, struct host_task *task)
{
	uint32_t row = task_row(host, task);
	pid_t pid;
	int rc = newest_list(host);

	proc_seek(&host->proc, 0);
	while (!rc && (pid = proc_next(&host->proc)) != 0)
		rc = pid < 0 ? pid : process_meet(host, pid) ? 0 : -ENOMEM;
	if (!proc_seeks(&host->proc))
		host->walked = 0;
	if (!rc && task->cgroup)
		rc = cgroup_list(host, row);
	if (!rc) {
		first_looks(host, SIZE_MAX);
		adopt(host);
	}
	return rc;
}
