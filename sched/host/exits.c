/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/exits.h"

#include <stdlib.h>

#include "sched/host/state.h"

/* Those who were not met yet */

static void unseen_remove(struct exits *x, size_t row)
{
	ids_remove(&x->unseen_rows, (uint64_t)x->unseen[row].pid);
	x->nunseen--;
	if (row < x->nunseen) {
		x->unseen[row] = x->unseen[x->nunseen];
		/* it is there: can't fail */
		ids_put(&x->unseen_rows, (uint64_t)x->unseen[row].pid, (uint32_t)row);
	}
}

/* NULL: there are too many, or no memory. */
static struct exits_sum *unseen_get(struct host *h, pid_t pid)
{
	struct exits *x = &h->exits;
	uint32_t row = ids_find(&x->unseen_rows, (uint64_t)pid);

	if (row != IDS_NONE)
		return &x->unseen[row].sum;
	if (x->nunseen == EXITS_UNSEEN_MOST || array_grow((void **)&x->unseen, &x->unseen_room, x->nunseen, sizeof(*x->unseen)) ||
	    ids_put(&x->unseen_rows, (uint64_t)pid, (uint32_t)x->nunseen))
		return NULL;
	x->unseen[x->nunseen] = (struct exits_unseen){ .pid = pid, .round = h->round };
	return &x->unseen[x->nunseen++].sum;
}

struct exits_sum exits_claim(struct host *h, pid_t pid)
{
	struct exits *x = &h->exits;
	uint32_t row = x->nunseen ? ids_find(&x->unseen_rows, (uint64_t)pid) : IDS_NONE;
	struct exits_sum sum = { 0 };

	if (row == IDS_NONE)
		return sum;
	sum = x->unseen[row].sum;
	unseen_remove(x, row);
	return sum;
}

void exits_sweep(struct host *h)
{
	struct exits *x = &h->exits;

	for (size_t row = x->nunseen; row-- > 0;) {
		const struct exits_unseen *unseen = &x->unseen[row];

		if (h->round - unseen->round < EXITS_ROUNDS)
			continue;
		x->given_up_ns += unseen->sum.threads_ns + unseen->sum.left_ns;
		unseen_remove(x, row);
	}
}

/* Records */

/* The one that a record means, if it was met. */
static struct process *process_meant(const struct host *h, pid_t pid, uint64_t began)
{
	struct process *process = process_find(h, pid);

	return process && !process->ended && !process->passed_by && process->start <= began ? process : NULL;
}

static void sum_add(struct host *h, pid_t pid, uint64_t began, struct exits_sum more)
{
	struct process *process = process_meant(h, pid, began);
	struct exits_sum *sum = process ? &process->exits : unseen_get(h, pid);

	if (sum) {
		sum->threads_ns += more.threads_ns;
		sum->left_ns += more.left_ns;
		sum->began = sum->began && sum->began < began ? sum->began : began;
	} else {
		h->exits.given_up_ns += more.threads_ns + more.left_ns;
	}
}

static uint64_t ns_of(const struct host *h, uint64_t ticks)
{
	return ticks * (1000000000u / (uint64_t)h->ticks_per_s);
}

uint64_t exits_of(const struct host *h, const struct process *process)
{
	uint64_t own = ns_of(h, process->ticks);

	if (process->passed_by)
		return 0;
	/* the same, more finely, where it is known */
	own = process->ran_ns > own ? process->ran_ns : own;
	own = process->exits.threads_ns > own ? process->exits.threads_ns : own;
	return own + ns_of(h, process->before_ticks) + process->exits.left_ns;
}

/* What it leaves to its parent: nothing if it is a task's itself. */
static uint64_t process_end(struct host *h, pid_t pid, uint64_t began)
{
	struct process *process = process_meant(h, pid, began);
	struct exits_sum sum;
	uint64_t left;

	if (!process) {
		sum = exits_claim(h, pid);
		return sum.threads_ns + sum.left_ns;
	}
	process->ended = true;
	if (process->task != NO_TASK)
		return 0;
	left = exits_of(h, process);
	process->passed_by = true;
	return left;
}

void exits_begun(struct host *h, struct process *process)
{
	struct exits_sum sum = process->exits;

	if (!sum.began || sum.began >= process->start)
		return;
	process->exits = (struct exits_sum){ 0 };
	sum_add(h, process->pid, sum.began, sum);
}

void exits_pass_by(struct host *h, struct process *process)
{
	struct exits_sum sum = process->exits;
	bool waits = !process->passed_by && sum.threads_ns + sum.left_ns > 0;

	process->exits = (struct exits_sum){ 0 };
	process->passed_by = true;
	if (waits)
		sum_add(h, process->pid, UINT64_MAX, sum);
}

void exits_take(struct host *h, const struct taskstats_record *record)
{
	uint64_t left;

	sum_add(h, record->process, record->began, (struct exits_sum){ .threads_ns = record->cpu_ns });
	if (!record->last)
		return;
	left = process_end(h, record->process, record->began);
	if (left && record->parent > 1)
		sum_add(h, record->parent, record->began, (struct exits_sum){ .left_ns = left });
}

bool exits_are_told(const struct host *h)
{
	return h->second_meter == METER_TASKSTATS;
}

/*
 * This ends: to fork and to end costs a machine as a whole, whose list of processes has one lock,
 * many times what it costs to read a record.
 */
void exits_read(struct host *h)
{
	struct taskstats_record record;
	int n = 0;

	while (exits_are_told(h) && (n = taskstats_next(&h->exits.socket, &record)) != 0) {
		uint32_t lost = n < 0 ? taskstats_lost(&h->exits.socket) : 0;

		if (n > 0)
			exits_take(h, &record);
		h->exits.lost += lost;
		h->exits.has_lost |= lost > 0;
		if (n < 0 && !lost)
			meter_fail(h, n);
	}
}

void exits_begin(struct host *h)
{
	exits_read(h);
	while (h->exits.nunseen)
		unseen_remove(&h->exits, h->exits.nunseen - 1);
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];

		process->exits = (struct exits_sum){ 0 };
		process->before_ticks = process->children_ticks;
		process->passed_by = false;
	}
}

/* Sums */

void exits_sum_up(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++)
		h->tasks[k].exits_ns = h->tasks[k].kept_exits_ns;
	for (size_t k = 0; k < h->nprocesses; k++)
		if (h->processes[k].task != NO_TASK)
			h->tasks[h->processes[k].task].exits_ns += exits_of(h, &h->processes[k]);
	for (size_t k = 0; k < h->ntasks && h->exits.has_lost; k++) {
		struct host_task *task = &h->tasks[k];
		uint64_t seen = ns_of(h, task->ticks);

		if (seen > task->exits_ns) {
			task->kept_exits_ns += seen - task->exits_ns;
			task->exits_ns = seen;
		}
	}
	h->exits.has_lost = false;
}

void exits_close(struct exits *x)
{
	taskstats_close(&x->socket);
	free(x->unseen);
	ids_free(&x->unseen_rows);
}
