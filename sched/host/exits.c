/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/exits.h"

#include <stdlib.h>

#include "conf/base/columns.h"
#include "sched/host/state.h"

/* Processes that are not known yet */

static void unseen_remove(struct exits *exits, size_t row)
{
	ids_remove(&exits->unseen_rows, (uint64_t)exits->unseen[row].pid);
	exits->nunseen--;
	if (row < exits->nunseen) {
		exits->unseen[row] = exits->unseen[exits->nunseen];
		/* cannot fail: the id exists */
		ids_put(&exits->unseen_rows, (uint64_t)exits->unseen[row].pid, (uint32_t)row);
	}
}

/*
 * Return the sum of an unknown process, created if needed. NULL: there are too many, or memory is
 * exhausted.
 */
static struct exits_sum *unseen_get(struct host *host, pid_t pid)
{
	struct exits *exits = &host->exits;
	uint32_t row = ids_find(&exits->unseen_rows, (uint64_t)pid);

	if (row != IDS_NONE)
		return &exits->unseen[row].sum;
	if (exits->nunseen == EXITS_UNSEEN_MOST ||
	    array_reserve(&exits->unseen_room, exits->nunseen + 1, COLUMN(exits->unseen)) ||
	    ids_put(&exits->unseen_rows, (uint64_t)pid, (uint32_t)exits->nunseen))
		return NULL;
	exits->unseen[exits->nunseen] = (struct exits_unseen){ .pid = pid, .round = host->round };
	return &exits->unseen[exits->nunseen++].sum;
}

struct exits_sum exits_claim(struct host *host, pid_t pid)
{
	struct exits *exits = &host->exits;
	uint32_t row = exits->nunseen ? ids_find(&exits->unseen_rows, (uint64_t)pid) : IDS_NONE;
	struct exits_sum sum = { 0 };

	if (row == IDS_NONE)
		return sum;
	sum = exits->unseen[row].sum;
	unseen_remove(exits, row);
	return sum;
}

void exits_sweep(struct host *host)
{
	struct exits *exits = &host->exits;

	for (size_t row = exits->nunseen; row-- > 0;) {
		const struct exits_unseen *unseen = &exits->unseen[row];

		if (host->round - unseen->round < EXITS_ROUNDS)
			continue;
		exits->given_up_ns += unseen->sum.threads_ns + unseen->sum.left_ns;
		unseen_remove(exits, row);
	}
}

/* Records */

/* Return the known process that a record describes, or NULL. */
static struct process *process_meant(const struct host *host, pid_t pid, uint64_t began)
{
	struct process *process = process_find(host, pid);

	return process && !process->ended && !process->passed_by && process->start <= began ? process : NULL;
}

static void sum_add(struct host *host, pid_t pid, uint64_t began, struct exits_sum more)
{
	struct process *process = process_meant(host, pid, began);
	struct exits_sum *sum = process ? &process->exits : unseen_get(host, pid);

	if (sum) {
		sum->threads_ns += more.threads_ns;
		sum->left_ns += more.left_ns;
		sum->began = sum->began && sum->began < began ? sum->began : began;
	} else {
		host->exits.given_up_ns += more.threads_ns + more.left_ns;
	}
}

static uint64_t ns_of(const struct host *host, uint64_t ticks)
{
	return ticks * (1000000000u / (uint64_t)host->ticks_per_s);
}

uint64_t exits_of(const struct host *host, const struct process *process)
{
	uint64_t own = ns_of(host, process->ticks);

	if (process->passed_by)
		return 0;
	/* CPU time in finer units, if it is known */
	own = process->ran_ns > own ? process->ran_ns : own;
	own = process->exits.threads_ns > own ? process->exits.threads_ns : own;
	return own + ns_of(host, process->before_ticks) + process->exits.left_ns;
}

/* Return the time that an ended process leaves to its parent: 0 if the process is in a task. */
static uint64_t process_end(struct host *host, pid_t pid, uint64_t began)
{
	struct process *process = process_meant(host, pid, began);
	struct exits_sum sum;
	uint64_t left;

	if (!process) {
		sum = exits_claim(host, pid);
		return sum.threads_ns + sum.left_ns;
	}
	process->ended = true;
	if (process->task != NO_TASK)
		return 0;
	left = exits_of(host, process);
	process->passed_by = true;
	return left;
}

void exits_begun(struct host *host, struct process *process)
{
	struct exits_sum sum = process->exits;

	if (!sum.began || sum.began >= process->start)
		return;
	process->exits = (struct exits_sum){ 0 };
	sum_add(host, process->pid, sum.began, sum);
}

void exits_pass_by(struct host *host, struct process *process)
{
	struct exits_sum sum = process->exits;
	bool waits = !process->passed_by && sum.threads_ns + sum.left_ns > 0;

	process->exits = (struct exits_sum){ 0 };
	process->passed_by = true;
	if (waits)
		sum_add(host, process->pid, UINT64_MAX, sum);
}

void exits_take(struct host *host, const struct taskstats_record *record)
{
	uint64_t left;

	sum_add(host, record->process, record->began, (struct exits_sum){ .threads_ns = record->cpu_ns });
	if (!record->last)
		return;
	left = process_end(host, record->process, record->began);
	if (left && record->parent > 1)
		sum_add(host, record->parent, record->began, (struct exits_sum){ .left_ns = left });
}

bool exits_are_used(const struct host *host)
{
	return host->second_meter == METER_TASKSTATS;
}

/*
 * Read all records. The loop ends, because forking and ending processes costs the whole machine,
 * whose list of processes has one lock, many times what reading a record costs.
 */
void exits_read(struct host *host)
{
	struct taskstats_record record;
	int n = 0;

	while (exits_are_used(host) && (n = taskstats_next(&host->exits.socket, &record)) != 0) {
		uint32_t lost = n < 0 ? taskstats_lost(&host->exits.socket) : 0;

		if (n > 0)
			exits_take(host, &record);
		host->exits.lost += lost;
		host->exits.has_lost |= lost > 0;
		if (n < 0 && !lost)
			meter_fail(host, n);
	}
}

void exits_begin(struct host *host)
{
	exits_read(host);
	while (host->exits.nunseen)
		unseen_remove(&host->exits, host->exits.nunseen - 1);
	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];

		process->exits = (struct exits_sum){ 0 };
		process->before_ticks = process->children_ticks;
		process->passed_by = false;
	}
}

/* Sums */

void exits_sum_up(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++)
		host->tasks[k].exits_ns = host->tasks[k].kept_exits_ns;
	for (size_t k = 0; k < host->nprocesses; k++)
		if (host->processes[k].task != NO_TASK)
			host->tasks[host->processes[k].task].exits_ns += exits_of(host, &host->processes[k]);
	for (size_t k = 0; k < host->ntasks && host->exits.has_lost; k++) {
		struct host_task *task = &host->tasks[k];
		uint64_t seen = ns_of(host, task->ticks);

		if (seen > task->exits_ns) {
			task->kept_exits_ns += seen - task->exits_ns;
			task->exits_ns = seen;
		}
	}
	host->exits.has_lost = false;
}

void exits_close(struct exits *exits)
{
	taskstats_close(&exits->socket);
	free(exits->unseen);
	ids_free(&exits->unseen_rows);
}
