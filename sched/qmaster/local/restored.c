/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery if the store was restored from a backup and is older than the files beside it.
 *
 * The accounting file then has lines, and active_jobs has tasks, that the store does not know. At
 * the start this information is used as far as it goes. Numbers that were used since the backup are
 * not used again. Running tasks are taken over, and ended tasks are not run again. Jobs that were
 * submitted since the backup, and their usage, are lost.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/recover.h"

struct ended_look {
	struct local *l;
	struct error *error;
	int rc;
	bool older;
	size_t ended;
};

static uint32_t id_of(const struct ended_line *line)
{
	return line->task ? line->task : 1;
}

/* Accounting */

/*
 * Find out whether a line after the end known to the store shows that the store is older. A line of
 * an uncommitted transaction has a task that is started in the store and still has its directory,
 * which is removed after the commit. If the directory was lost, the line has FAILED_LOST or
 * FAILED_RESCHEDULED.
 */
static void line_look(void *context, const struct ended_line *line)
{
	struct ended_look *looking = context;
	struct stored_task task;
	struct stat st;
	int rc;

	if (looking->rc || looking->older)
		return;
	rc = store_task_find(looking->l->store, line->job_number, id_of(line), &task, looking->error);
	if (rc && rc != -ENOENT)
		looking->rc = rc;
	else
		looking->older = rc == -ENOENT || task.state == STORED_ENDED ||
				 (fstatat(looking->l->active_fd, task.directory, &st, AT_SYMLINK_NOFOLLOW) &&
				  line->failed != FAILED_LOST && line->failed != FAILED_RESCHEDULED);
}

int restored_look(struct local *local, int64_t from, bool *older, struct error *error)
{
	struct ended_look looking = { .l = local, .error = error };
	int rc = accounting_lines(local, from, line_look, &looking);

	*older = looking.older;
	return rc ? error_set(error, rc, "%.90s/accounting: %s", local->state, strerror(-rc)) : looking.rc;
}

/* Numbers */

static void number_take(void *context, const struct ended_line *line)
{
	struct ended_look *looking = context;

	if (looking->rc == 0)
		looking->rc = store_job_number_taken(looking->l->store, line->job_number, looking->error);
}

int restored_numbers(struct local *local, int64_t from, struct error *error)
{
	int64_t last =
		local->accounting.end > ACCOUNTING_LOOK_BYTES ? local->accounting.end - ACCOUNTING_LOOK_BYTES : 0;
	struct ended_look looking = { .l = local, .error = error };
	int rc = accounting_lines(local, from < last ? from : last, number_take, &looking);

	return rc ? error_set(error, rc, "%.90s/accounting: %s", local->state, strerror(-rc)) : looking.rc;
}

int restored_attempts(struct local *local, struct error *error)
{
	int fd = openat(local->active_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	unsigned job_number, id, attempt;
	const struct dirent *entry;

	if (!directory)
		return error_set(error, -errno, "%.90s: %m", local->active_path);
	while (rc == 0 && (entry = readdir(directory))) {
		if (sscanf(entry->d_name, "%u.%u.%u", &job_number, &id, &attempt) != 3)
			continue;
		if (attempt > local->attempt)
			local->attempt = attempt;
		rc = store_job_number_taken(local->store, job_number, error);
	}
	closedir(directory);
	return rc ? rc : store_commit(local->store, error);
}

/* Tasks that have ended since */

static bool has_directory(const struct local *local, const struct local_task *task)
{
	char name[DIRECTORY_BYTES];
	struct stat st;

	local_task_directory(task, name);
	return fstatat(local->active_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int ended_settle(struct local *local, struct local_job *job, uint32_t id, size_t *ended, struct error *error)
{
	struct local_task *task = local_task_find(local, job->number, id);
	bool waits = !task && ranges_contain(&job->waiting, id),
	     ran = task && local_task_runs(task) && !has_directory(local, task);
	size_t first;
	int rc = 0;

	if (!waits && !ran)
		return 0;
	++*ended;
	local_changed(local);
	if (ran) {
		rc = store_task_remove(local->store, job->number, id, error);
		local_task_forget(local, task);
	} else if (job_take_out(job, id)) {
		rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (rc)
		return rc;
	first = local_task_first(local, job->number);
	if (job->waiting.n == 0 && (first == local->tasks.n || local->tasks.items[first]->job_number != job->number))
		return job_remove(local, job->number, error);
	return job_save(local, job, error);
}

static void line_settle(void *context, const struct ended_line *line)
{
	struct ended_look *looking = context;
	struct local_job job;
	int rc;

	if (looking->rc)
		return;
	rc = job_load(looking->l, line->job_number, &job, looking->error);
	if (rc == 0 && job.submission_time == line->submission_time && strcmp(job.owner, line->owner) == 0 &&
	    !ending_is_void_for(&job, line->failed, line->exit_status))
		rc = ended_settle(looking->l, &job, id_of(line), &looking->ended, looking->error);
	looking->rc = rc == -ENOENT ? 0 : rc;
	job_free(&job);
}

int restored_settle(struct local *local, int64_t from, struct error *error)
{
	struct ended_look looking = { .l = local, .error = error };
	int rc = accounting_lines(local, from, line_settle, &looking);

	if (rc)
		return error_set(error, rc, "%.90s/accounting: %s", local->state, strerror(-rc));
	log_line(
		LOG_ODD,
		"the store is older than %s/accounting: %zu tasks that have ended since are not run again; jobs and "
		"usage since then are lost",
		local->state, looking.ended);
	return looking.rc;
}

/* Tasks that were started since and may run */

/* Get what was granted from the environment of the task. Returns 0, -EINVAL or -ENOMEM. */
static int granted_of(const struct value *environment, struct task_granted *granted)
{
	const char *queue = member_text(environment, "QUEUE"), *host = member_text(environment, "HOSTNAME");
	const char *slots = member_text(environment, "NSLOTS");
	unsigned long n = slots ? strtoul(slots, NULL, 10) : 0;
	char instance[600];
	const struct granted one = { .queue = instance, .slots = n > UINT32_MAX ? 0 : (uint32_t)n };

	if (!queue || !host || n < 1)
		return -EINVAL;
	snprintf(instance, sizeof(instance), "%s@%s", queue, host);
	return granted_take(granted, &(struct grants){ &one, 1 }, member_text(environment, "PE"));
}

static int task_take(struct local *local, struct local_job *job, struct local_task *task, const struct value *config,
		     int dir_fd, const struct attempt *attempt, struct error *error)
{
	const struct value *environment = value_member(config, "environment");
	struct stat st = { 0 };

	task->is_array = job->is_array;
	strcpy(task->boot, local->boot);
	fstat(dir_fd, &st);
	task->start_time = attempt->exited ? (int64_t)attempt->exit.start_time : (int64_t)st.st_mtime;
	if (granted_of(environment, &task->granted) || job_take_out(job, task->id))
		return error_set(error, -EINVAL, "its granted resources are unknown");
	if (job_save(local, job, error) || local_task_save(local, task, error))
		return -EIO;
	local_changed(local);
	return 0;
}

bool restored_adopt(struct local *local, const char *name, int dir_fd, const struct attempt *a)
{
	struct error error = { "" };
	struct local_task *task = NULL;
	struct local_job job = { 0 };
	unsigned number, id, attempt;
	const struct value *config;
	struct values values = { 0 };
	bool taken = false;

	if ((!a->exited && a->begun != ATTEMPT_BY_SHEPHERD) || sscanf(name, "%u.%u.%u", &number, &id, &attempt) != 3 ||
	    local_task_find(local, number, id))
		return false;
	if (job_load(local, number, &job, &error) == 0 && ranges_contain(&job.waiting, id) &&
	    (config = attempt_config(dir_fd, &values)) != NULL &&
	    member_integer(config, "uid") == (int64_t)job.uid &&
	    (task = local_task_new(local, number, id, TASK_SOUGHT)) != NULL) {
		task->attempt = attempt;
		taken = task_take(local, &job, task, config, dir_fd, a, &error) == 0;
		log_line(LOG_ODD, "%s/%s: the task was started after the last change of the store%s%s",
			 local->active_path, name,
			 taken ? ", and is taken over" : ": ", error.text);
		if (!taken)
			local_task_forget(local, task);
	}
	values_destroy(&values);
	job_free(&job);
	return taken;
}
