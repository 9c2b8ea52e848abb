/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery of tasks that ran when the previous scheduler ended, for whatever reason, and of the
 * state before a transaction that could not be committed. The store knows which tasks were to
 * start. The directory of each attempt has the rest: shepherd/record.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/mail.h"
#include "sched/qmaster/local/recover.h"
#include "sched/qmaster/local/reserved.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/vacate.h"

#define LOOKS 100

struct row_reading {
	struct local *l;
	struct error *error;
};

static int task_each(void *context, const struct stored_task *stored)
{
	struct row_reading *reading = context;

	return local_task_read(reading->l, stored, reading->error);
}

static int job_facts(struct local *local, struct local_task *task, struct error *error)
{
	struct local_job job;
	int rc = job_load(local, task->job_number, &job, error);

	if (rc == 0) {
		task->is_array = job.is_array;
		if (local_task_runs(task) && task->deadlines.kill_ns == NEVER_NS)
			signal_limit(local, task, &job);
		signal_of_job(local, task, &job);
		mail_of_job(task, &job);
		reserved_of_job(local, task, &job);
		if (local_task_runs(task) && !task->leave.is_due)
			vacate_recover(local, task);
	}
	job_free(&job);
	return rc;
}

/*
 * Watch the shepherd of a task. A process with its pid may be a different one, so the start time is
 * compared.
 */
static int adopt(struct local *local, struct local_task *task, const struct attempt_process *shepherd,
		 struct error *error)
{
	int fd = shepherd->pid > 1 ? (int)syscall(SYS_pidfd_open, shepherd->pid, 0) : -1, rc;

	if (fd >= 0 && attempt_process_start(shepherd->pid) != shepherd->start) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return 0;
	rc = local_task_watch(local, task, fd, error);
	if (rc)
		return rc;
	local_task_becomes(task, TASK_WATCHED);
	/* the previous scheduler may or may not have sent it */
	task->stopped = suspension_holds(local, task) && !local_task_is_leaving(task);
	signal_send(task, task->stopped ? SIGSTOP : SIGCONT);
	vacate_wake(task);
	return 0;
}

/*
 * Find the state of a task. A running shepherd may end before it is watched; then the next
 * inspection finds its result.
 */
static int look_after(struct local *local, struct local_task *task, struct error *error)
{
	struct attempt_process shepherd;
	int rc;

	for (int i = 0; i < LOOKS; i++) {
		if (ending_take(local, task, &shepherd))
			return 0;
		rc = adopt(local, task, &shepherd, error);
		if (rc)
			return rc;
		if (task->life == TASK_WATCHED)
			break;
	}
	if (task->life == TASK_SOUGHT) {
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u: it is unknown whether it runs; it is inspected again every second",
			  task->id, task->job_number);
		local->due.look_ns = 0;
	}
	if (task->removal != REMOVAL_NONE && task->deadlines.kill_ns == NEVER_NS)
		signal_end(local, task);
	return 0;
}

static bool is_needed(const struct local *local, const char *name)
{
	unsigned job_number, id, attempt;
	const struct local_task *task;

	if (sscanf(name, "%u.%u.%u", &job_number, &id, &attempt) != 3)
		return true;	/* not our directory */
	task = local_task_find(local, job_number, id);
	return task && task->attempt == attempt && !local_task_has_ended(task);
}

static void sweep_one(struct local *local, const char *name)
{
	int fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct attempt attempt = { 0 };
	struct error error;
	bool taken = false;

	if (fd >= 0) {
		taken = attempt_look(fd, &attempt, &error) == 0 && restored_adopt(local, name, fd, &attempt);
		close(fd);
	}
	if (taken)
		return;
	if (attempt.lock_held && !attempt.exited)
		log_line(LOG_ODD, "%s/%s: a task runs there that the store does not know; it is left unchanged",
			 local->active_path, name);
	else
		launch_sweep(local, name);
}

/* Remove directories of uncommitted transactions, and of tasks whose end was committed. */
static void sweep(struct local *local)
{
	int fd = openat(local->active_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (*entry->d_name != '.' && !is_needed(local, entry->d_name))
			sweep_one(local, entry->d_name);
	if (directory)
		closedir(directory);
}

int recover(struct local *local, struct error *error)
{
	struct row_reading reading = { local, error };
	int rc = store_tasks_each(local->store, task_each, &reading, error);

	if (rc)
		return rc;
	sweep(local);
	for (size_t i = 0; rc == 0 && i < local->tasks.n; i++)
		rc = job_facts(local, local->tasks.items[i], error);
	return rc;
}

/* Find shepherds after their tasks were reported to the scheduler. */
int recover_look(struct local *local, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < local->tasks.n; i++)
		if (local->tasks.items[i]->life == TASK_SOUGHT)
			rc = look_after(local, local->tasks.items[i], error);
	return rc;
}
