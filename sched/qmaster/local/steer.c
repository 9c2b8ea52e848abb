/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as an execution host: usage and shares of tasks. See sched/host/host.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/report.h"
#include "sched/qmaster/local/reserved.h"
#include "sched/shepherd/file.h"

#define KILL_LOOKS 100

static uint32_t host_id(const struct local_task *task)
{
	return task->is_array ? task->id : 0;
}

/* Processes of a task */

/*
 * Read the configuration of an attempt. It is trusted, because this process empties and removes the
 * cgroup that it names.
 */
const struct value *attempt_config(int dir_fd, struct values *values)
{
	const struct value *config = NULL;
	struct error why;
	size_t length;
	char *text;

	*values = (struct values){ 0 };
	if (file_read(dir_fd, "config", ATTEMPT_CONFIG_BYTES, &text, &length) == 0)
		config = values_read(values, text, length, &why);
	free(text);
	return config;
}

uint32_t attempt_uid(int dir_fd)
{
	struct values values;
	uint32_t uid = (uint32_t)member_integer(attempt_config(dir_fd, &values), "uid");

	values_destroy(&values);
	return uid;
}

/*
 * Return the cgroup that was made for the task, from the configuration of its shepherd. NULL: none.
 */
char *attempt_cgroup(int dir_fd)
{
	struct values values;
	const char *cgroup = member_text(attempt_config(dir_fd, &values), "cgroup");
	char *copy = cgroup ? strdup(cgroup) : NULL;

	values_destroy(&values);
	return copy;
}

/* Find the processes of a task that has begun, whose leader has a session of its own. */
static void steer_find(struct local *local, struct local_task *task)
{
	struct attempt a = { 0 };
	char name[DIRECTORY_BYTES];
	struct error error;
	int fd;

	local_task_directory(task, name);
	fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (attempt_look(fd, &a, &error) == 0 && a.begun == ATTEMPT_BY_SHEPHERD && !a.exited && a.leader.pid > 1 &&
	    attempt_process_start(a.leader.pid) == a.leader.start) {
		char *cgroup = attempt_cgroup(fd);
		const struct host_where where = { .cgroup = cgroup,
						  .session = a.leader.pid,
						  .session_start = a.leader.start };

		task->steered = host_task_add(local->host, task->job_number, host_id(task), &where) == 0;
		free(cgroup);
		/* the task was to be suspended before it began; pending signals have precedence */
		if (task->steered && task->stopped && task->deadlines.signal_ns == NEVER_NS &&
		    task->deadlines.then_ns == NEVER_NS && !local_task_is_leaving(task))
			signal_send(task, SIGSTOP);
	}
	close(fd);
}

/* Rounds */

int steer_usage(const struct local *local, const struct local_task *task, struct host_usage *usage)
{
	return task->steered ? host_task_usage(local->host, task->job_number, host_id(task), usage) : -ENOENT;
}

static void usage_look(struct local *local, struct local_task *task)
{
	struct host_usage usage;
	struct error error;

	if (steer_usage(local, task, &usage))
		return;
	reserved_so_far(local, task, &usage);
	if (!local_task_used(task, usage.cpu_s, usage.mem_gbs, usage.io_gb))
		return;
	task->usage_unsaved = true;
	if (report_usage(local, task, &error))
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u: the scheduler refused its usage: %s",
			  task->id, task->job_number, error.text);
}

int steer_save(struct local *local, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < local->tasks.n; i++) {
		struct local_task *task = local->tasks.items[i];

		if (task->usage_unsaved && local_task_runs(task))
			rc = local_task_save(local, task, error);
	}
	return rc;
}

void steer_saved(struct local *local)
{
	for (size_t i = 0; i < local->tasks.n; i++)
		local->tasks.items[i]->usage_unsaved = false;
}

/*
 * Schedule a retry for settings that the kernel accepts only later and for settings that a task
 * changes back.
 */
static void steer_put_off(struct local *local)
{
	unsigned ms = host_retry_ms(local->host);

	local->due.levers_ns = ms ? clock_monotonic_ns() + ms * (SECOND_NS / 1000) : NEVER_NS;
}

static void offences_log(struct local *local)
{
	struct host_offence offence;

	while (host_offence(local->host, &offence))
		log_event(
			LOG_ODD,
			LOG_TASK(offence.job, offence.task ? offence.task : 1),
			"task %u of job %u has improved the levels of its sessions %llu times; they were restored",
			offence.task ? offence.task : 1, offence.job, (unsigned long long)offence.times);
}

void steer_go_on(struct local *local)
{
	if (clock_monotonic_ns() < local->due.levers_ns)
		return;
	host_retry(local->host);
	steer_put_off(local);
}

static void meter_log(struct local *local)
{
	const char *reason;
	enum meter meter = host_meter(local->host, &reason);

	if (!local->meter_logged)
		log_line(meter == METER_PROC ? LOG_ODD : LOG_NOTE, "CPU time of tasks is measured by %s: %s",
			 meter_name(meter), reason);
	local->meter_logged = true;
}

void steer_round(struct local *local)
{
	meter_log(local);
	for (size_t i = 0; i < local->tasks.n; i++)
		if (local_task_runs(local->tasks.items[i]) && !local->tasks.items[i]->steered)
			steer_find(local, local->tasks.items[i]);
	host_round(local->host, clock_monotonic_ns());
	steer_put_off(local);
	offences_log(local);
	for (size_t i = 0; i < local->tasks.n; i++)
		if (local->tasks.items[i]->steered && local_task_runs(local->tasks.items[i]))
			usage_look(local, local->tasks.items[i]);
}

void steer_tickets(struct local *local, const struct order_tickets *tickets)
{
	for (size_t i = 0; i < tickets->n; i++) {
		const struct order_ticket *ticket = &tickets->items[i];
		const struct local_task *task = local_task_find(local, ticket->job_number, ticket->task);

		if (task && task->steered)
			host_tickets(local->host, task->job_number, host_id(task), ticket->tickets);
	}
}

/* Signals */

bool steer_signal(struct local *local, struct local_task *task, int signal)
{
	int rc = -ESRCH;

	if (!task->steered)
		steer_find(local, task);
	if (task->steered)
		rc = host_task_signal(local->host, task->job_number, host_id(task), signal);
	return rc != -EAGAIN && rc != -ESRCH;
}

/* Kill all processes, with a limit, because the kernel may be unable to end a process. */
static void kill_all(struct local *local, const struct local_task *task)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0;
	     i < KILL_LOOKS && host_task_signal(local->host, task->job_number, host_id(task), SIGKILL) != -ESRCH; i++)
		nanosleep(&pause, NULL);
}

/*
 * Kill the processes of a lost task, which has no shepherd. Sessions that its leader has started
 * are found through the leader.
 */
void steer_kill(struct local *local, struct local_task *task, const struct attempt_process *leader)
{
	char name[DIRECTORY_BYTES], *cgroup;
	int fd;

	local_task_directory(task, name);
	fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	cgroup = fd < 0 ? NULL : attempt_cgroup(fd);
	if (fd >= 0)
		close(fd);
	if (!task->steered && (cgroup || (leader->pid > 1 && attempt_process_start(leader->pid) == leader->start))) {
		const struct host_where where = { .cgroup = cgroup,
						  .session = leader->pid,
						  .session_start = leader->start };

		task->steered = host_task_add(local->host, task->job_number, host_id(task), &where) == 0;
	}
	free(cgroup);
	if (!task->steered)
		return;
	host_round(local->host, clock_monotonic_ns());
	kill_all(local, task);
}
