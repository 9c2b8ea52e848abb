/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/host/state.h"

#define PUT_OFF_MS 100			/* interval at which the kernel accepts levels of groups */
#define GUARD_MS 50			/* short enough that no other process gets a turn */
#define OFFENCE_REPORT_NS 60000000000ull

int host_open(struct host **result, const struct host_options *options, struct error *error)
{
	const char *proc = options->proc ? options->proc : "/proc";
	struct host *host = calloc(1, sizeof(*host));
	int rc;

	*result = NULL;
	if (!host)
		return error_set(error, -ENOMEM, "out of memory");
	host->ticks_per_s = sysconf(_SC_CLK_TCK);
	host->exits.socket.fd = -1;
	ptf_init(&host->ptf, options->ptf_min_priority, options->ptf_max_priority);
	rc = proc_open(&host->proc, proc);
	if (rc)
		rc = error_set(error, -EINVAL, "%s: %s", proc, strerror(-rc));
	else
		rc = lever_choose(host, options, error);
	if (rc) {
		host_close(host);
		return rc;
	}
	meter_choose(host, options);
	*result = host;
	return 0;
}

void host_close(struct host *host)
{
	if (!host)
		return;
	cgroup_close(&host->cgroup);
	exits_close(&host->exits);
	proc_close(&host->proc);
	tasks_free(host);
	ptf_free(&host->ptf);
	free(host->processes);
	free(host->sessions);
	ids_free(&host->process_rows);
	ids_free(&host->autogroup_rows);
	free(host);
}

/* Tasks */

int host_cgroup_make(struct host *host, uint32_t job, uint32_t task, char *path, size_t size)
{
	return host->meter == METER_CGROUP ? cgroup_make(&host->cgroup, job, task, path, size) : -ENOTSUP;
}

static int where_check(const struct host *host, const struct host_where *where)
{
	struct stat stat;

	if ((!where->cgroup && !where->session && !where->group) || (where->session && where->session < 2))
		return -EINVAL;
	if (where->session && task_of_session(host, where->session) != NO_TASK)
		return -EEXIST;
	if (where->group && task_of_group(host, where->group) != NO_TASK)
		return -EEXIST;
	if (where->cgroup && strlen(where->cgroup) >= CGROUP_PATH_BYTES)
		return -EINVAL;
	return where->cgroup && lstat(where->cgroup, &stat) ? -errno : 0;
}

/*
 * Find processes that are known but were not assigned to this task yet. The leader may have been
 * read before it had a session. It is read again now, so that a following signal finds it.
 */
static void known_find(struct host *host, const struct host_task *task)
{
	for (size_t k = 0; k < host->nprocesses; k++) {
		struct process *process = &host->processes[k];

		if (process->task != NO_TASK || process->dead || !process->start)
			continue;
		if (task->session && (process->pid == task->session || process->session == task->session))
			process_look(host, process);
		else if (task->group)
			process_call(host, process);
	}
}

int host_task_add(struct host *host, uint32_t job, uint32_t number, const struct host_where *where)
{
	struct host_task *task;
	int rc = task_find(host, job, number) ? -EEXIST : where_check(host, where);

	if (!rc)
		rc = task_add(host, job, number, where, &task);
	if (rc)
		return rc;
	task->cgroup_made = task->cgroup && cgroup_is_made(&host->cgroup, job, number, task->cgroup);
	known_find(host, task);
	return 0;
}

int host_tickets(struct host *host, uint32_t job, uint32_t number, double tickets)
{
	struct host_task *task = task_find(host, job, number);

	if (!task)
		return -ENOENT;
	tickets = tickets > 0 ? tickets : 0;
	task->setting.tickets = tickets < 1e15 ? tickets : 1e15;
	ptf_tickets(&host->ptf, job, tickets);
	host->noted = true;
	return 0;
}

int host_task_usage(const struct host *host, uint32_t job, uint32_t number, struct host_usage *usage)
{
	const struct host_task *task = task_find(host, job, number);

	if (!task)
		return -ENOENT;
	*usage = task->usage;
	return 0;
}

int host_task_setting(const struct host *host, uint32_t job, uint32_t number, struct host_setting *setting)
{
	const struct host_task *task = task_find(host, job, number);

	if (!task)
		return -ENOENT;
	*setting = task->setting;
	return 0;
}

/* Rounds */

static void usage_collect(struct host *host)
{
	for (size_t k = 0; k < host->ntasks; k++) {
		const struct host_task *task = &host->tasks[k];

		if (task->used)
			ptf_collect(&host->ptf, task->job, task->usage.cpu_s, task->usage.processes);
	}
	ptf_collected(&host->ptf);
}

int host_round(struct host *host, uint64_t now_ns)
{
	int rc;

	host->now_ns = now_ns;
	rc = find_processes(host);
	if (!rc && host->round == 1)
		exits_begin(host);
	exits_sweep(host);
	processes_settle(host);
	if (rc)
		return rc;
	usage_sum(host);
	usage_collect(host);
	levers_plan(host, now_ns);
	levers_move(host);
	processes_remove_dead(host);
	return 0;
}

void host_listen(struct host *host)
{
	exits_read(host);
}

void host_lost(const struct host *host, struct host_lost *lost)
{
	*lost = (struct host_lost){ host->exits.lost, (double)host->exits.given_up_ns / 1e9 };
}

unsigned host_waiting(const struct host *host)
{
	return host->waiting;
}

void host_retry(struct host *host)
{
	if (host->waiting || host->guard_rounds)
		groups_retry(host);
}

unsigned host_retry_ms(const struct host *host)
{
	return host->guard_rounds && host->is_admin ? GUARD_MS : host->waiting || host->guard_rounds ? PUT_OFF_MS : 0;
}

bool host_offence(struct host *host, struct host_offence *offence)
{
	for (size_t k = 0; k < host->ntasks; k++) {
		struct host_task *task = &host->tasks[k];

		if (!task->used || task->setting.changed == task->changed_reported ||
		    host->now_ns < task->next_report_ns)
			continue;
		*offence = (struct host_offence){ task->job, task->number,
						  task->setting.changed - task->changed_reported };
		task->changed_reported = task->setting.changed;
		task->next_report_ns = host->now_ns + OFFENCE_REPORT_NS;
		return true;
	}
	return false;
}

static void last_look(struct host *host, uint32_t row)
{
	for (size_t k = 0; k < host->nprocesses; k++)
		if (host->processes[k].task == row && !host->processes[k].dead)
			process_look(host, &host->processes[k]);
	processes_settle(host);
	usage_sum(host);
	processes_remove_dead(host);
}

int host_task_remove(struct host *host, uint32_t job, uint32_t number, struct host_usage *usage)
{
	struct host_task *task = task_find(host, job, number);
	uint32_t row;

	if (!task)
		return -ENOENT;
	row = task_row(host, task);
	last_look(host, row);
	if (usage)
		*usage = task->usage;
	for (size_t k = 0; k < host->nprocesses; k++)
		if (host->processes[k].task == row)
			process_disown(host, &host->processes[k]);
	if (task->cgroup_made)
		cgroup_remove(task->cgroup);
	task_remove(host, task);
	return 0;
}
