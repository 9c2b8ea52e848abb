/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/host/state.h"

#define PUT_OFF_MS 100			/* as often as the kernel takes levels of groups */
#define GUARD_MS 50			/* often enough that nobody else gets a turn */
#define OFFENCE_TOLD_NS 60000000000ull

int host_open(struct host **result, const struct host_options *options, struct error *error)
{
	const char *proc = options->proc ? options->proc : "/proc";
	struct host *h = calloc(1, sizeof(*h));
	int rc;

	*result = NULL;
	if (!h)
		return error_set(error, -ENOMEM, "no memory");
	h->ticks_per_s = sysconf(_SC_CLK_TCK);
	h->exits.socket.fd = -1;
	ptf_init(&h->ptf, options->ptf_min_priority, options->ptf_max_priority);
	rc = proc_open(&h->proc, proc);
	if (rc)
		rc = error_set(error, -EINVAL, "%s: %s", proc, strerror(-rc));
	else
		rc = lever_choose(h, options, error);
	if (rc) {
		host_close(h);
		return rc;
	}
	meter_choose(h, options);
	*result = h;
	return 0;
}

void host_close(struct host *h)
{
	if (!h)
		return;
	cgroup_close(&h->cgroup);
	exits_close(&h->exits);
	proc_close(&h->proc);
	tasks_free(h);
	ptf_free(&h->ptf);
	free(h->processes);
	free(h->sessions);
	ids_free(&h->process_rows);
	ids_free(&h->autogroup_rows);
	free(h);
}

/* Tasks */

int host_cgroup_make(struct host *h, uint32_t job, uint32_t task, char *path, size_t size)
{
	return h->meter == METER_CGROUP ? cgroup_make(&h->cgroup, job, task, path, size) : -ENOTSUP;
}

static int where_check(const struct host *h, const struct host_where *where)
{
	struct stat stat;

	if ((!where->cgroup && !where->session && !where->group) || (where->session && where->session < 2))
		return -EINVAL;
	if (where->session && task_of_session(h, where->session) != NO_TASK)
		return -EEXIST;
	if (where->group && task_of_group(h, where->group) != NO_TASK)
		return -EEXIST;
	if (where->cgroup && strlen(where->cgroup) >= CGROUP_PATH_BYTES)
		return -EINVAL;
	return where->cgroup && lstat(where->cgroup, &stat) ? -errno : 0;
}

/*
 * It is known already who is there, but not that they are this task's. Its leader may be known from
 * before it had a session: it is looked at now, so that a signal that comes next finds it.
 */
static void known_find(struct host *h, const struct host_task *task)
{
	for (size_t k = 0; k < h->nprocesses; k++) {
		struct process *process = &h->processes[k];

		if (process->task != NO_TASK || process->dead || !process->start)
			continue;
		if (task->session && (process->pid == task->session || process->session == task->session))
			process_look(h, process);
		else if (task->group)
			process_call(h, process);
	}
}

int host_task_add(struct host *h, uint32_t job, uint32_t number, const struct host_where *where)
{
	struct host_task *task;
	int rc = task_find(h, job, number) ? -EEXIST : where_check(h, where);

	if (!rc)
		rc = task_add(h, job, number, where, &task);
	if (rc)
		return rc;
	task->cgroup_made = task->cgroup && cgroup_is_made(&h->cgroup, job, number, task->cgroup);
	known_find(h, task);
	return 0;
}

int host_tickets(struct host *h, uint32_t job, uint32_t number, double tickets)
{
	struct host_task *task = task_find(h, job, number);

	if (!task)
		return -ENOENT;
	tickets = tickets > 0 ? tickets : 0;
	task->setting.tickets = tickets < 1e15 ? tickets : 1e15;
	ptf_tickets(&h->ptf, job, tickets);
	h->noted = true;
	return 0;
}

int host_task_usage(const struct host *h, uint32_t job, uint32_t number, struct host_usage *usage)
{
	const struct host_task *task = task_find(h, job, number);

	if (!task)
		return -ENOENT;
	*usage = task->usage;
	return 0;
}

int host_task_setting(const struct host *h, uint32_t job, uint32_t number, struct host_setting *setting)
{
	const struct host_task *task = task_find(h, job, number);

	if (!task)
		return -ENOENT;
	*setting = task->setting;
	return 0;
}

/* Rounds */

static void usage_tell(struct host *h)
{
	for (size_t k = 0; k < h->ntasks; k++) {
		const struct host_task *task = &h->tasks[k];

		if (task->used)
			ptf_collect(&h->ptf, task->job, task->usage.cpu_s, task->usage.processes);
	}
	ptf_collected(&h->ptf);
}

int host_round(struct host *h, uint64_t now_ns)
{
	int rc;

	h->now_ns = now_ns;
	rc = find_processes(h);
	if (!rc && h->round == 1)
		exits_begin(h);
	exits_sweep(h);
	processes_settle(h);
	if (rc)
		return rc;
	usage_sum(h);
	usage_tell(h);
	levers_plan(h, now_ns);
	levers_move(h);
	processes_remove_dead(h);
	return 0;
}

void host_listen(struct host *h)
{
	exits_read(h);
}

void host_lost(const struct host *h, struct host_lost *lost)
{
	*lost = (struct host_lost){ h->exits.lost, (double)h->exits.given_up_ns / 1e9 };
}

unsigned host_waiting(const struct host *h)
{
	return h->waiting;
}

void host_retry(struct host *h)
{
	if (h->waiting || h->guard_rounds)
		groups_retry(h);
}

unsigned host_retry_ms(const struct host *h)
{
	return h->guard_rounds && h->is_admin ? GUARD_MS : h->waiting || h->guard_rounds ? PUT_OFF_MS : 0;
}

bool host_offence(struct host *h, struct host_offence *offence)
{
	for (size_t k = 0; k < h->ntasks; k++) {
		struct host_task *task = &h->tasks[k];

		if (!task->used || task->setting.changed == task->changed_told || h->now_ns < task->next_told_ns)
			continue;
		*offence = (struct host_offence){ task->job, task->number, task->setting.changed - task->changed_told };
		task->changed_told = task->setting.changed;
		task->next_told_ns = h->now_ns + OFFENCE_TOLD_NS;
		return true;
	}
	return false;
}

static void last_look(struct host *h, uint32_t row)
{
	for (size_t k = 0; k < h->nprocesses; k++)
		if (h->processes[k].task == row && !h->processes[k].dead)
			process_look(h, &h->processes[k]);
	processes_settle(h);
	usage_sum(h);
	processes_remove_dead(h);
}

int host_task_remove(struct host *h, uint32_t job, uint32_t number, struct host_usage *usage)
{
	struct host_task *task = task_find(h, job, number);
	uint32_t row;

	if (!task)
		return -ENOENT;
	row = task_row(h, task);
	last_look(h, row);
	if (usage)
		*usage = task->usage;
	for (size_t k = 0; k < h->nprocesses; k++)
		if (h->processes[k].task == row)
			process_disown(h, &h->processes[k]);
	if (task->cgroup_made)
		cgroup_remove(task->cgroup);
	task_remove(h, task);
	return 0;
}
