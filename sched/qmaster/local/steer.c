/* SPDX-License-Identifier: Apache-2.0 */
/* This machine as an execution host: what tasks use and how much they get. sched/host/host.h */
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
#include "sched/qmaster/local/tell.h"
#include "sched/shepherd/file.h"

#define KILL_LOOKS 100

static uint32_t host_id(const struct local_task *t)
{
	return t->is_array ? t->id : 0;
}

/* Finding a task's processes */

/* What it says is done as us: the cgroup that it names is emptied and removed. */
json_t *attempt_config(int dir_fd)
{
	json_t *config = NULL;
	size_t length;
	char *text;

	if (file_read(dir_fd, "config", ATTEMPT_CONFIG_BYTES, &text, &length) == 0)
		config = json_loadb(text, length, 0, NULL);
	free(text);
	return config;
}

uint32_t attempt_uid(int dir_fd)
{
	json_t *config = attempt_config(dir_fd), *uid = json_object_get(config, "uid");
	uint32_t found = json_is_integer(uid) ? (uint32_t)json_integer_value(uid) : 0;

	json_decref(config);
	return found;
}

/* The cgroup that was made for it stands in what its shepherd was given. NULL: none. */
char *attempt_cgroup(int dir_fd)
{
	json_t *config = attempt_config(dir_fd);
	const char *cgroup = json_string_value(json_object_get(config, "cgroup"));
	char *copy = cgroup ? strdup(cgroup) : NULL;

	json_decref(config);
	return copy;
}

/* It has begun, and its leader is a session of its own. */
static void steer_find(struct local *l, struct local_task *t)
{
	struct attempt a = { 0 };
	char name[DIRECTORY_BYTES];
	struct error error;
	int fd;

	local_task_directory(t, name);
	fd = openat(l->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (attempt_look(fd, &a, &error) == 0 && a.begun == ATTEMPT_BY_SHEPHERD && !a.exited && a.leader.pid > 1 &&
	    attempt_process_start(a.leader.pid) == a.leader.start) {
		char *cgroup = attempt_cgroup(fd);
		const struct host_where where = { .cgroup = cgroup, .session = a.leader.pid, .session_start = a.leader.start };

		t->steered = host_task_add(l->host, t->job_number, host_id(t), &where) == 0;
		free(cgroup);
		/* it was to be suspended before it had begun; what is still to be sent will tell */
		if (t->steered && t->stopped && t->deadlines.signal_ns == NEVER_NS && t->deadlines.then_ns == NEVER_NS && !local_task_is_leaving(t))
			signal_send(t, SIGSTOP);
	}
	close(fd);
}

/* Rounds */

int steer_usage(const struct local *l, const struct local_task *t, struct host_usage *usage)
{
	return t->steered ? host_task_usage(l->host, t->job_number, host_id(t), usage) : -ENOENT;
}

static void usage_look(struct local *l, struct local_task *t)
{
	struct host_usage usage;
	struct error error;

	if (steer_usage(l, t, &usage) || !local_task_used(t, usage.cpu_s, usage.mem_gbs, usage.io_gb))
		return;
	t->usage_unsaved = true;
	if (tell_usage(l, t, &error))
		log_line(LOG_ODD, "task %u of job %u: its usage was not taken: %s", t->id, t->job_number, error.text);
}

int steer_save(struct local *l, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->tasks.n; i++) {
		struct local_task *t = l->tasks.items[i];

		if (t->usage_unsaved && local_task_runs(t))
			rc = local_task_save(l, t, error);
	}
	return rc;
}

void steer_saved(struct local *l)
{
	for (size_t i = 0; i < l->tasks.n; i++)
		l->tasks.items[i]->usage_unsaved = false;
}

/* Values that the kernel does not take so soon, and those that a task changes back. */
static void steer_put_off(struct local *l)
{
	unsigned ms = host_retry_ms(l->host);

	l->due.levers_ns = ms ? clock_monotonic_ns() + ms * (SECOND_NS / 1000) : NEVER_NS;
}

static void offences_tell(struct local *l)
{
	struct host_offence offence;

	while (host_offence(l->host, &offence))
		log_line(LOG_ODD, "task %u of job %u has given its sessions better levels than they are due, %llu times; they were put back",
			 offence.task ? offence.task : 1, offence.job, (unsigned long long)offence.times);
}

void steer_go_on(struct local *l)
{
	if (clock_monotonic_ns() < l->due.levers_ns)
		return;
	host_retry(l->host);
	steer_put_off(l);
}

static void meter_tell(struct local *l)
{
	const char *reason;
	enum meter meter = host_meter(l->host, &reason);

	if (!l->meter_told)
		log_line(meter == METER_PROC ? LOG_ODD : LOG_NOTE, "CPU time of tasks is found by %s: %s", meter_name(meter), reason);
	l->meter_told = true;
}

void steer_round(struct local *l)
{
	meter_tell(l);
	for (size_t i = 0; i < l->tasks.n; i++)
		if (local_task_runs(l->tasks.items[i]) && !l->tasks.items[i]->steered)
			steer_find(l, l->tasks.items[i]);
	host_round(l->host, clock_monotonic_ns());
	steer_put_off(l);
	offences_tell(l);
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->steered && local_task_runs(l->tasks.items[i]))
			usage_look(l, l->tasks.items[i]);
}

void steer_tickets(struct local *l, const struct order_tickets *tickets)
{
	for (size_t i = 0; i < tickets->n; i++) {
		const struct order_ticket *ticket = &tickets->items[i];
		const struct local_task *t = local_task_find(l, ticket->job_number, ticket->task);

		if (t && t->steered)
			host_tickets(l->host, t->job_number, host_id(t), ticket->tickets);
	}
}

/* Signals */

bool steer_signal(struct local *l, struct local_task *t, int signal)
{
	int rc = -ESRCH;

	if (!t->steered)
		steer_find(l, t);
	if (t->steered)
		rc = host_task_signal(l->host, t->job_number, host_id(t), signal);
	return rc != -EAGAIN && rc != -ESRCH;
}

/*
 * Until nothing is left of it, but not for ever: nobody waits for what the kernel does not let go.
 */
static void kill_all(struct local *l, const struct local_task *t)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0; i < KILL_LOOKS && host_task_signal(l->host, t->job_number, host_id(t), SIGKILL) != -ESRCH; i++)
		nanosleep(&pause, NULL);
}

/*
 * A lost one's processes, which nobody watches. What its leader has started in sessions of their
 * own is found by way of it.
 */
void steer_kill(struct local *l, struct local_task *t, const struct attempt_process *leader)
{
	char name[DIRECTORY_BYTES], *cgroup;
	int fd;

	local_task_directory(t, name);
	fd = openat(l->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	cgroup = fd < 0 ? NULL : attempt_cgroup(fd);
	if (fd >= 0)
		close(fd);
	if (!t->steered && (cgroup || (leader->pid > 1 && attempt_process_start(leader->pid) == leader->start))) {
		const struct host_where where = { .cgroup = cgroup, .session = leader->pid, .session_start = leader->start };

		t->steered = host_task_add(l->host, t->job_number, host_id(t), &where) == 0;
	}
	free(cgroup);
	if (!t->steered)
		return;
	host_round(l->host, clock_monotonic_ns());
	kill_all(l, t);
}
