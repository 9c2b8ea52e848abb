/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes there are. What a round costs has a bound: on a host with very many processes one
 * walk through /proc takes several rounds, and so do the looks at those that are known. Before a
 * process is read we look whether it has run, which costs little: most have not. What
 * is new is found at once all the same, since the kernel gives out pids in ascending order: all
 * that has come since the last round stands between the newest pid of then and that of now.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/host/state.h"

/* A round of these takes 10 ms on a slow machine (bench/host_round). */
#define LISTED_MOST 1024		/* directory entries */
#define ASKED_MOST 3200			/* known processes, whether they have run */
#define LOOK_COST 8			/* of the same: what it costs to read one that has */
#define FIRST_LOOKS_MOST 1000		/* at new ones; the very first round knows no bound */

#define GENERATIONS_MOST 16		/* of children that come before their parents, in a round */

/* Meets the pids from..to. A known one may be another process by now: it is looked at again. */
static int range_list(struct host *h, pid_t from, pid_t to)
{
	pid_t pid;

	proc_seek(&h->proc, from);
	while ((pid = proc_next(&h->proc)) > 0 && pid <= to) {
		struct process *process = process_meet(h, pid);

		if (!process)
			return -ENOMEM;
		process->listed = h->walk;
		process_call(h, process);
	}
	return pid < 0 ? pid : 0;
}

static int newest_list(struct host *h)
{
	pid_t before = h->newest;
	int rc = 0;

	h->newest = proc_seeks(&h->proc) ? proc_newest(&h->proc) : 0;
	if (!before || !h->newest || before == h->newest)
		return 0;
	if (h->newest < before) {	/* pids have begun anew */
		rc = range_list(h, before + 1, INT_MAX);
		before = 0;
	}
	return rc ? rc : range_list(h, before + 1, h->newest);
}

static void walk_end(struct host *h)
{
	for (size_t k = 0; k < h->nprocesses; k++)
		if (h->processes[k].listed != h->walk && !h->processes[k].dead)
			process_die(h, &h->processes[k]);
	h->walk++;
	h->walked = 0;
}

/* Goes on with the walk; the first one is done as a whole. */
static int walk(struct host *h)
{
	size_t most = h->walk ? LISTED_MOST : SIZE_MAX;
	pid_t pid = 0;

	if (!h->walked || proc_seeks(&h->proc))
		proc_seek(&h->proc, h->walked ? h->walked + 1 : 0);
	for (size_t k = 0; k < most && (pid = proc_next(&h->proc)) > 0; k++) {
		struct process *process = process_meet(h, pid);

		if (!process)
			return -ENOMEM;
		process->listed = h->walk;
		h->walked = pid;
	}
	if (pid == 0)
		walk_end(h);
	return pid < 0 ? pid : 0;
}

/* Processes by their cgroups */

static int member_take(struct host *h, uint32_t row, pid_t pid)
{
	struct process *process = process_meet(h, pid);

	if (!process)
		return -ENOMEM;
	process->listed = h->walk;
	if (process->task != row) {
		process->task = row;
		process->nice_set = NICE_UNKNOWN;
		process_call(h, process);
	}
	return 0;
}

static int cgroup_list(struct host *h, uint32_t row)
{
	char path[CGROUP_PATH_BYTES + 16], *text;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", h->tasks[row].cgroup);
	if (proc_read_long(&h->proc, AT_FDCWD, path, &text) < 0)
		return 0;		/* it has been removed: so has everything in it */
	for (char *end; !rc; text = end) {
		long pid = strtol(text, &end, 10);

		if (end == text)
			break;
		if (pid > 0)		/* 0: in a pid namespace that we can't see */
			rc = member_take(h, row, (pid_t)pid);
	}
	return rc;
}

/* Looks */

/* Those that have come last stand at the end, and are waited for. */
static void first_looks(struct host *h, size_t most)
{
	for (size_t k = h->nprocesses; h->unlooked && most && k-- > 0;) {
		struct process *process = &h->processes[k];

		if (!process->start && !process->dead) {
			process_look(h, process);
			most--;
		}
	}
}

/* Goes around among those that are due, so that everybody's turn comes. */
static void looks(struct host *h)
{
	size_t spent = 0;

	for (size_t k = 0; k < h->nprocesses && spent < ASKED_MOST; k++) {
		struct process *process = &h->processes[h->cursor++ % h->nprocesses];

		if (process->start && !process->dead && (int32_t)(process->due - h->round) <= 0)
			spent += process_check(h, process) ? 1 + LOOK_COST : 1;
	}
	h->cursor = h->nprocesses ? h->cursor % h->nprocesses : 0;
}

/* Children that were looked at before their parents, or before these were a task's. */
static void adopt(struct host *h)
{
	bool again = true;

	for (int generation = 0; again && generation < GENERATIONS_MOST; generation++) {
		again = false;
		for (size_t k = 0; k < h->nprocesses; k++) {
			struct process *process = &h->processes[k];

			if (process->task == NO_TASK && process->start && !process->dead)
				again |= process_adopt(h, process);
		}
	}
}

int find_processes(struct host *h)
{
	int rc;

	h->round++;
	rc = newest_list(h);
	if (!rc)
		rc = walk(h);
	for (size_t row = 0; h->with_cgroup && row < h->ntasks && !rc; row++)
		if (h->tasks[row].used && h->tasks[row].cgroup)
			rc = cgroup_list(h, (uint32_t)row);
	if (rc)
		return rc;
	first_looks(h, h->round == 1 ? SIZE_MAX : FIRST_LOOKS_MOST);
	looks(h);
	adopt(h);
	return 0;
}

/*
 * A walk of its own: the one that is going on isn't touched, nor is anybody taken for dead who
 * isn't.
 */
int find_task(struct host *h, struct host_task *task)
{
	uint32_t row = task_row(h, task);
	pid_t pid;
	int rc = newest_list(h);

	proc_seek(&h->proc, 0);
	while (!rc && (pid = proc_next(&h->proc)) != 0)
		rc = pid < 0 ? pid : process_meet(h, pid) ? 0 : -ENOMEM;
	if (!proc_seeks(&h->proc))
		h->walked = 0;
	if (!rc && task->cgroup)
		rc = cgroup_list(h, row);
	if (!rc) {
		first_looks(h, SIZE_MAX);
		adopt(h);
	}
	return rc;
}
