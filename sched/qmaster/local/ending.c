/* SPDX-License-Identifier: Apache-2.0 */
/*
 * End of tasks. The shepherd records it. Without a record the shepherd was killed, or the machine
 * went down.
 *
 * The rules are Grid Engine's. After exit status 99 the task is pending again. After exit status
 * 100, or a failure before the command ran, the task is pending again and the job is in the error
 * state. Otherwise the task has ended. A DRMAA job is never in the error state, because a program
 * waits for it: it ends. As in HTCondor, a task that had to give way is pending again however it
 * ended, unless it ended by itself before its signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/after_ok.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/report.h"
#include "sched/qmaster/local/reserved.h"

#define EXIT_REQUEUE 99
#define EXIT_JOB_ERROR 100

/* Meaning of the record */

enum attempt_failed ending_failed(const struct attempt_exit *exit)
{
	return exit->failed == FAILED_NOT && exit->signal ? FAILED_AFTER_JOB : exit->failed;
}

bool ending_is_void(enum attempt_failed failed, int exit_status)
{
	switch (failed) {
	case FAILED_NOT:
		return exit_status == EXIT_REQUEUE || exit_status == EXIT_JOB_ERROR;
	case FAILED_LOST:
	case FAILED_LIMIT:
	case FAILED_AFTER_JOB:
		return false;
	default:
		return true;
	}
}

bool ending_is_void_for(const struct local_job *job, enum attempt_failed failed, int exit_status)
{
	bool by_wish = failed == FAILED_RESCHEDULED || (failed == FAILED_NOT && exit_status == EXIT_REQUEUE);

	return ending_is_void(failed, exit_status) && (by_wish || !job_ends_on_error(job));
}

/* Return the reason of the error state; NULL: no error. */
static const char *error_of(enum attempt_failed failed, const struct attempt_exit *exit)
{
	if (failed == FAILED_NOT)
		return exit->exit_status == EXIT_JOB_ERROR ? "the job requested it with exit status 100" : NULL;
	return failed == FAILED_RESCHEDULED ? NULL : exit->text;
}

static bool may_run_again(const struct local_job *job)
{
	return job->execution.rerun == SAID_YES;
}

/* Make an exit for a shepherd that has ended without a record. */
static void exit_lost(const struct local_task *task, struct attempt_exit *exit, bool again)
{
	*exit = (struct attempt_exit){ .failed = again ? FAILED_RESCHEDULED : FAILED_LOST,
				       .exit_status = 137,
				       .signal = SIGKILL,
				       .start_time = (double)task->start_time,
				       .end_time = (double)clock_date() };
	if (exit->end_time < exit->start_time)
		exit->end_time = exit->start_time;
	exit->usage.ru_wallclock = exit->end_time - exit->start_time;
	snprintf(exit->text, sizeof(exit->text), "its shepherd or the machine went down");
}

/* Make an exit for a task that was deleted, or had to give way, before it began. */
static void exit_prevented(const struct local_task *task, struct attempt_exit *exit)
{
	bool deleted = task->removal != REMOVAL_NONE;

	exit_lost(task, exit, !deleted);
	if (deleted)
		exit->failed = FAILED_BEFORE_JOB;
	snprintf(exit->text, sizeof(exit->text), "it %s before it had begun",
		 deleted ? "was deleted" : "had to give way");
}

/*
 * Make an exit for a task whose shepherd was killed, by us or by others. No process of the task
 * remains afterwards.
 */
static void exit_make(struct local *local, struct local_task *task, const struct local_job *job,
		      struct attempt *attempt)
{
	bool leaves = task->leave.is_due && local_task_is_leaving(task);

	if (strcmp(task->boot, local->boot) == 0)
		steer_kill(local, task, &attempt->leader);
	exit_lost(task, &attempt->exit, (leaves || may_run_again(job)) && task->removal == REMOVAL_NONE);
	attempt->exit.vacated = leaves ? ATTEMPT_VACATED_HARD : ATTEMPT_NOT_VACATED;
	if (task->removal == REMOVAL_NONE && !leaves)
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u: %s", task->id, task->job_number, attempt->exit.text);
}

/*
 * Set the usage that the scheduler books, and the usage in `usage` that is written to accounting.
 */
static void usage_settle(struct local *local, struct local_task *task, struct attempt_usage *usage)
{
	bool reserved = reserved_in_share_tree(local);
	struct host_usage seen = { 0 }, booked;

	if (task->steered)
		host_task_remove(local->host, task->job_number, task->is_array ? task->id : 0, &seen);
	task->steered = false;
	seen.cpu_s = fmax(seen.cpu_s, usage->cpu_s);
	seen.mem_gbs = fmax(seen.mem_gbs, usage->mem_gbs);
	seen.io_gb = fmax(seen.io_gb, usage->io_gb);
	usage->maxvmem_bytes = fmax(usage->maxvmem_bytes, (double)seen.maxvmem_bytes);
	booked = seen;
	if (reserved)
		reserved_usage(task, usage->ru_wallclock, &booked);
	local_task_used(task, booked.cpu_s, booked.mem_gbs, booked.io_gb);
	if (!reserved)	/* an earlier scheduler may have seen more */
		seen = task->usage;
	if (reserved_in_accounting(local)) {
		reserved_usage(task, usage->ru_wallclock, &seen);
		usage->maxvmem_bytes = task->reserved.vmem_bytes;
	}
	usage->cpu_s = seen.cpu_s;
	usage->mem_gbs = seen.mem_gbs;
	usage->io_gb = seen.io_gb;
}

static void unwatch(struct local *local, struct local_task *task)
{
	struct task_shepherd *shepherd = &task->shepherd;

	if (shepherd->unwatched)
		waitid(P_PID, (id_t)shepherd->unwatched, &(siginfo_t){ 0 }, WEXITED | WNOHANG);
	shepherd->unwatched = 0;
	if (shepherd->fd < 0)
		return;
	epoll_ctl(local->ends.fd, EPOLL_CTL_DEL, shepherd->fd, NULL);
	waitid(P_PIDFD, (id_t)shepherd->fd, &(siginfo_t){ 0 }, WEXITED | WNOHANG);
	close(shepherd->fd);
	shepherd->fd = -1;
}

/* End */

static int job_wait_again(struct local *local, struct local_job *job, const struct local_task *task, const char *why,
			  struct error *error)
{
	/*
	 * a task in the error state is not restarted: it stays Eqw, and its state has no R after
	 * the error is cleared
	 */
	bool ran = !why && (task->ending.failed == FAILED_NOT || task->ending.failed == FAILED_RESCHEDULED);
	int rc = job_put_back(job, task->id, ran);

	if (rc == 0 && why)
		rc = job_fail(job, task->id, why);
	/* the owner expects the error now, not after the next run */
	local->turn.asked |= why != NULL;
	if (rc)
		return error_set(error, rc, "out of memory");
	rc = why   ? report_known(report_holds(local, job, error), error, job->number)
	     : ran ? report_known(report_enrolled(local, job, error), error, job->number)
		   : 0;
	return rc ? rc : job_save(local, job, error);
}

/* Remove the holds of a task that was held while it ran and has now ended for good. */
static int holds_drop(struct local *local, struct local_job *job, const struct local_task *task, struct error *error)
{
	struct ranges one = { 0 };
	int rc = strchr(task->letters, 'h') ? ranges_add(&one, task->id) : -EALREADY;

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		rc = ids_subtract(&job->hold[k], &job->hold[k], &one);
	ranges_free(&one);
	if (rc == -EALREADY)
		return 0;
	return rc ? error_set(error, rc, "out of memory") : job_save(local, job, error);
}

/*
 * Return whether the task has given way and was not deleted in the meantime. It may also have been
 * lost on the way.
 */
static bool end_vacated(const struct local_task *task, const struct attempt_exit *exit)
{
	return task->removal == REMOVAL_NONE &&
	       (exit->vacated != ATTEMPT_NOT_VACATED || (task->leave.is_due && exit->failed == FAILED_RESCHEDULED));
}

/*
 * Return whether the task was requested to run again (reschedule.c). A task that ended successfully
 * just before does not run again.
 */
static bool end_rescheduled(const struct local_task *task, const struct attempt_exit *exit)
{
	return strchr(task->letters, 'R') && (exit->failed != FAILED_NOT || exit->signal || exit->exit_status);
}

/* Handle a task that has not succeeded: other jobs may depend on its success. */
static int success_missed(struct local *local, const struct local_task *task, struct error *error)
{
	char how[80] = "was deleted";

	if (task->ending.requeue ||
	    (task->ending.failed == FAILED_NOT && !task->ending.signal && task->ending.exit_status == 0))
		return 0;
	if (task->removal == REMOVAL_NONE)
		snprintf(how, sizeof(how),
			 task->ending.signal ? "has failed by signal %d" : "has failed with exit status %d",
			 task->ending.signal ? task->ending.signal : task->ending.exit_status);
	return after_ok_fail(local, task->job_number, how, error);
}

static int end_task(struct local *local, struct local_task *task, struct local_job *job, struct attempt_exit *exit,
		    struct error *error)
{
	static const enum vacated_how how[] = {
		[ATTEMPT_NOT_VACATED] = VACATED_UNSAID,
		[ATTEMPT_VACATED_SOFT] = VACATED_SOFT,
		[ATTEMPT_VACATED_HARD] = VACATED_HARD,
	};
	bool vacated = end_vacated(task, exit), rescheduled = end_rescheduled(task, exit), waits;
	enum attempt_failed failed;
	int rc;

	if (vacated || rescheduled)
		exit->failed = FAILED_RESCHEDULED;
	failed = ending_failed(exit);
	waits = (task->removal == REMOVAL_NONE || rescheduled) && ending_is_void_for(job, failed, exit->exit_status);
	usage_settle(local, task, &exit->usage);
	task->ending = (struct task_ending){ .failed = (int)exit->failed,
					     .exit_status = exit->exit_status,
					     .signal = exit->signal,
					     .wallclock_s = exit->usage.ru_wallclock,
					     .requeue = waits,
					     .vacated = vacated,
					     .how = how[exit->vacated],
					     .start_time = exit->start_time,
					     .end_time = exit->end_time,
					     .utime_s = exit->usage.ru_utime,
					     .stime_s = exit->usage.ru_stime,
					     .maxvmem_bytes = exit->usage.maxvmem_bytes };
	snprintf(task->ending.owner, sizeof(task->ending.owner), "%s", job->owner);
	snprintf(task->ending.text, sizeof(task->ending.text), "%s", exit->text);
	task->commit.ended = true;
	local_task_becomes(task, TASK_ENDED);
	local_task_due(local, task);
	unwatch(local, task);
	rc = report_known(report_end(local, task, error), error, job->number);
	if (rc == 0)
		rc = accounting_add(local, task, job, exit, error);
	if (rc == 0 && task->ending.requeue)
		rc = job_wait_again(local, job, task, error_of(failed, exit), error);
	else if (rc == 0)
		rc = holds_drop(local, job, task, error);
	if (rc == 0)
		rc = success_missed(local, task, error);
	return rc ? rc : local_task_save(local, task, error);
}

/*
 * Start a task again that has not begun. After more than LAUNCHES_MAX unsuccessful starts it ends.
 */
static int launch_again(struct local *local, struct local_task *task, struct local_job *job, struct error *error)
{
	struct attempt_exit never = { .failed = FAILED_BEFORE_JOB,
				      .start_time = (double)task->start_time,
				      .end_time = (double)task->start_time };
	int rc;

	if (++task->shepherd.launches > LAUNCHES_MAX) {
		snprintf(never.text, sizeof(never.text), "its shepherd ends before the task begins");
		return end_task(local, task, job, &never, error);
	}
	unwatch(local, task);
	task->commit.void_attempt = task->attempt;
	rc = launch_prepare(local, task, job, error);
	if (launch_is_hopeless(rc)) {
		snprintf(never.text, sizeof(never.text), "%s", error->text);
		return end_task(local, task, job, &never, error);
	}
	if (rc)
		return rc;
	local_task_becomes(task, TASK_STARTING);
	local_task_due(local, task);
	return local_task_save(local, task, error);
}

/* Inspection */

enum found { FOUND_RUNNING, FOUND_ENDED, FOUND_LOST, FOUND_NEVER, FOUND_UNKNOWN };

/*
 * Find the state of an attempt. An attempt of another boot of the machine may have run, even if the
 * disk has lost the files.
 */
static enum found attempt_found(const struct local *local, const struct local_task *task, int dir_fd,
				struct attempt *attempt, struct error *error)
{
	bool same_boot = strcmp(task->boot, local->boot) == 0;
	int rc = attempt_look(dir_fd, attempt, error);

	if (rc && rc != -EUCLEAN)
		return FOUND_UNKNOWN;
	if (attempt->exited)
		return FOUND_ENDED;
	if (attempt->begun == ATTEMPT_BY_SHEPHERD)
		return attempt->lock_held && same_boot ? FOUND_RUNNING : FOUND_LOST;
	if (attempt->begun == ATTEMPT_VOID)
		return same_boot ? FOUND_NEVER : FOUND_LOST;
	rc = attempt_void(dir_fd, error);
	if (rc == -EEXIST)
		return attempt_found(local, task, dir_fd, attempt, error);
	return rc ? FOUND_UNKNOWN : same_boot ? FOUND_NEVER : FOUND_LOST;
}

static enum found task_look(const struct local *local, const struct local_task *task, struct attempt *a,
			    struct error *error)
{
	char name[DIRECTORY_BYTES];
	enum found found;
	int fd;

	local_task_directory(task, name);
	fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		int rc = error_set(error, -errno, "%s/%s: %m", local->active_path, name);

		return rc == -ENOENT || rc == -ENOTDIR ? FOUND_LOST : FOUND_UNKNOWN;
	}
	found = attempt_found(local, task, fd, a, error);
	close(fd);
	return found;
}

/* Settle a task. Call only after its shepherd has ended. */
static int ending_settle(struct local *local, struct local_task *task, enum found found, struct attempt *attempt,
			 struct error *error)
{
	struct local_job job;
	int rc = job_load(local, task->job_number, &job, error);

	if (rc == 0 && found == FOUND_NEVER && task->removal == REMOVAL_NONE && !task->leave.is_due) {
		rc = launch_again(local, task, &job, error);
	} else if (rc == 0) {
		if (found == FOUND_NEVER)
			exit_prevented(task, &attempt->exit);
		else if (found != FOUND_ENDED)
			exit_make(local, task, &job, attempt);
		rc = end_task(local, task, &job, &attempt->exit, error);
	}
	job_free(&job);
	return rc;
}

bool ending_take(struct local *local, struct local_task *task, struct attempt_process *shepherd)
{
	struct error error = { "" };
	struct attempt attempt = { 0 };
	enum found found = task_look(local, task, &attempt, &error);

	if (task->deadlines.kill == KILL_GIVEN_UP && found != FOUND_ENDED)
		found = FOUND_LOST;
	if (found == FOUND_RUNNING || found == FOUND_UNKNOWN) {
		if (found == FOUND_UNKNOWN)
			log_event(LOG_FAILURE, LOG_TASK(task->job_number, task->id),
				  "task %u of job %u: %s", task->id, task->job_number, error.text);
		*shepherd = found == FOUND_RUNNING ? attempt.shepherd : (struct attempt_process){ 0 };
		return false;
	}
	local_changed(local);
	if (ending_settle(local, task, found, &attempt, &error))
		local_fail(local, &error);
	return true;
}

/* Inspect the task in the next turn in which the store accepts data. */
static void look_soon(struct local *local, struct local_task *task)
{
	local_task_becomes(task, TASK_SOUGHT);
	local->due.look_ns = 0;
}

void ending_prevent(struct local *local, struct local_task *task)
{
	struct error error = { "" };
	char name[DIRECTORY_BYTES];
	int fd;

	local_task_directory(task, name);
	fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (attempt_void(fd, &error) == 0) {
		/* the shepherd may wait forever; its end is awaited */
		if (task->shepherd.fd >= 0)
			pidfd_send_signal(task->shepherd.fd, SIGKILL, NULL, 0);
		else
			look_soon(local, task);
	}
	close(fd);
}

void ending_forget(struct local *local, struct local_task *task)
{
	if (task->deadlines.kill != KILL_GIVEN_UP)
		log_event(LOG_ODD, LOG_TASK(task->job_number, task->id),
			  "task %u of job %u cannot be killed and is considered ended; its remaining processes "
			  "continue", task->id, task->job_number);
	task->deadlines.kill = KILL_GIVEN_UP;
	look_soon(local, task);
}

/* After the run that has booked the tasks */

static int job_settle(struct local *local, uint32_t job_number, struct error *error)
{
	struct stored_job stored;
	size_t first = local_task_first(local, job_number);
	int rc;

	for (size_t i = first; i < local->tasks.n && local->tasks.items[i]->job_number == job_number; i++)
		if (local->tasks.items[i]->life != TASK_BOOKED)
			return 0;
	rc = store_job_find(local->store, job_number, &stored, error);
	if (rc || (stored.waiting && *stored.waiting))
		return rc;
	return job_remove(local, job_number, error);
}

/* Remove booked tasks from the store, with their jobs if nothing else is left of these. */
int endings_booked(struct local *local, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; i < local->tasks.n; i++)
		if (local_task_has_ended(local->tasks.items[i]))
			local_task_becomes(local->tasks.items[i], TASK_BOOKED);
	for (size_t i = 0; rc == 0 && i < local->tasks.n; i++)
		if (local->tasks.items[i]->life == TASK_BOOKED) {
			rc = store_task_remove(local->store, local->tasks.items[i]->job_number,
					       local->tasks.items[i]->id, error);
			if (rc == 0 && (i + 1 == local->tasks.n ||
					local->tasks.items[i + 1]->job_number != local->tasks.items[i]->job_number ||
					local->tasks.items[i + 1]->life != TASK_BOOKED))
				rc = job_settle(local, local->tasks.items[i]->job_number, error);
		}
	return rc;
}

void endings_forget(struct local *local)
{
	for (size_t i = local->tasks.n; i-- > 0; )
		if (local->tasks.items[i]->life == TASK_BOOKED)
			local_task_forget(local, local->tasks.items[i]);
}
