/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/calendars.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/mail.h"
#include "sched/qmaster/local/recover.h"
#include "sched/qmaster/local/steer.h"
#include "sched/qmaster/local/report.h"
#include "sched/store/usage.h"

#define LOAD_INTERVAL_NS (10 * SECOND_NS)
#define SPAWN_RETRY_NS SECOND_NS
#define EVENTS 2048 /* more than the limit of clients, so that none is skipped in a turn */
#define FAILED_ALONE_MOST 3

/* Turn */

void local_changed(struct local *local)
{
	local->turn.changed = true;
	local->instances.due = true;
}

void local_fail(struct local *local, const struct error *error)
{
	local->turn.changed = true;
	if (!local->turn.failure.text[0])
		error_set(&local->turn.failure, 0, "%s", error->text[0] ? error->text : "out of memory");
}

static void ends_handle(struct local *local)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(local->ends.fd, events, EVENTS, 0);
	struct attempt_process shepherd;

	for (int i = 0; i < n; i++) {
		struct local_task *task = events[i].data.ptr;

		if (local_task_runs(task) && !ending_take(local, task, &shepherd) && shepherd.pid == 0)
			trouble_pause(local, 0);	/* for example, no descriptors */
	}
}

/* Search tasks that may or may not still run. */
static void tasks_seek(struct local *local)
{
	struct attempt_process shepherd;

	if (clock_monotonic_ns() < local->due.look_ns)
		return;
	local->due.look_ns = NEVER_NS;
	for (size_t i = 0; i < local->tasks.n; i++)
		if (local->tasks.items[i]->life == TASK_SOUGHT && !ending_take(local, local->tasks.items[i], &shepherd))
			local->due.look_ns = clock_monotonic_ns() + SECOND_NS;
}

static void watched_handle(struct local *local, void *what)
{
	switch (*(const enum watched *)what) {
	case WATCHED_LISTENER:
		clients_accept(local);
		break;
	case WATCHED_CLIENT:
		client_handle(local, what);
		break;
	case WATCHED_ERRAND:
		errand_ended(local, what);
		break;
	case WATCHED_ENDS:
		if (!trouble_waits(local))
			ends_handle(local);
		break;
	}
}

static void load_report_if_due(struct local *local)
{
	struct error error;

	if (clock_monotonic_ns() < local->due.load_ns)
		return;
	local->due.load_ns = clock_monotonic_ns() + LOAD_INTERVAL_NS;
	if (report_load(local, &error))
		log_line(LOG_ODD, "the scheduler refused the load of this machine: %s", error.text);
}

void local_handle(struct local *local)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(local->epoll_fd, events, EVENTS, 0);

	trouble_look(local);
	for (int i = 0; i < n; i++)
		watched_handle(local, events[i].data.ptr);
	clients_serve(local);
	clients_sweep(local);
	signals_due(local);
	steer_go_on(local);
	if (!trouble_waits(local))
		tasks_seek(local);
	if (!trouble_waits(local))
		advances_due(local);
	load_report_if_due(local);
	errands_due(local);
}

/* End of the turn */

static int commit(struct local *local, struct error *error)
{
	int rc;

	if (local->turn.failure.text[0])
		return error_set(error, -ECANCELED, "%s", local->turn.failure.text);
	rc = accounting_write(local, error);
	if (rc == 0 && local->turn.edited)
		rc = store_rows_save(local->store, error);
	return rc ? rc : store_commit(local->store, error);
}

static void task_spawn(struct local *local, struct local_task *task)
{
	struct error error = { "" };

	if (launch_spawn(local, task, &error) == 0) {
		local_task_becomes(task, TASK_WATCHED);
		return;
	}
	local_task_becomes(task, TASK_UNSPAWNED);
	log_event(LOG_FAILURE, LOG_TASK(task->job_number, task->id),
		  "the shepherd of task %u of job %u could not be started: %s; it is tried again",
		  task->id, task->job_number, error.text);
	local->due.spawn_ns = clock_monotonic_ns() + SPAWN_RETRY_NS;
}

static void task_begin(struct local *local, struct local_task *task)
{
	struct error error = { "" };

	/* the scheduler already knows a task that begins again */
	if (task->shepherd.launches == 0 && report_start(local, task, &error))
		log_event(LOG_FAILURE, LOG_TASK(task->job_number, task->id),
			  "the scheduler refused the start of task %u of job %u: %s",
			  task->id, task->job_number, error.text);
	if (task->shepherd.launches == 0)
		diary_start(local, task);
	if (task->stopped)
		signal_send(task, SIGSTOP);
	if (task->shepherd.launches == 0)
		mail_begun(local, task);
	task_spawn(local, task);
}

static void task_settle(struct local *local, struct local_task *task)
{
	const struct task_commit commit = task->commit;

	task->commit = (struct task_commit){ 0 };
	task->committed_removal = task->removal;
	if (commit.void_attempt)
		attempt_remove(local, task, commit.void_attempt);
	if (commit.signal) {
		if (commit.signal == SIGSTOP)
			signal_stop(local, task);
		else
			signal_send(task, commit.signal);
		task->stopped = commit.signal == SIGSTOP;
		mail_suspended(local, task, task->stopped);
	}
	if (commit.ended) {
		diary_end(task);
		mail_ended(local, task);
	}
	if (local_task_has_ended(task))
		attempt_remove(local, task, task->attempt);
	if (task->life == TASK_STARTING)
		task_begin(local, task);
	if (local_task_runs(task) && task->removal != REMOVAL_NONE)
		signal_end(local, task);
}

static void tasks_settle(struct local *local)
{
	if (local->tasks.ndue == 0)
		return;
	local->tasks.ndue = 0;
	for (size_t i = 0; i < local->tasks.n; i++)
		if (local->tasks.items[i]->commit.due)
			task_settle(local, local->tasks.items[i]);
}

static void tasks_spawn_again(struct local *local)
{
	if (clock_monotonic_ns() < local->due.spawn_ns)
		return;
	local->due.spawn_ns = NEVER_NS;
	for (size_t i = 0; i < local->tasks.n; i++)
		if (local->tasks.items[i]->life == TASK_UNSPAWNED)
			task_spawn(local, local->tasks.items[i]);
}

/* Finish a turn that is committed, or that had nothing to commit. */
static void turn_settle(struct local *local)
{
	/* including what had waited */
	bool whole = local->turn.changed && !trouble_waits(local);

	if (whole && local->trouble.failing)
		log_line(LOG_NOTE, "the store accepts data again");
	local->trouble.failing = local->trouble.failing && !whole;
	local->trouble.pause_ns = whole ? 0 : local->trouble.pause_ns;
	accounting_settled(local);
	clients_answer(local, local->turn.asked && local->intake->show && local->intake->show(local->intake->context));
	follow_settle(local);
	tasks_settle(local);
	local->turn.changed = local->turn.edited = local->turn.asked = false;
}

/*
 * Try each request of an undone turn alone, because a single request may be at fault. Only requests
 * that fail again are refused.
 */
static void requests_alone(struct local *local, struct error *why)
{
	unsigned failed = 0;
	struct client *client;

	clients_set_aside(local, why->text);
	while ((client = clients_aside(local)) != NULL) {
		if (local->trouble.refusing.text[0] || failed == FAILED_ALONE_MOST) {
			client_refuse(local, client, why->text);
			continue;
		}
		client_serve(local, client);
		if (!local->turn.changed || commit(local, why) == 0) {
			turn_settle(local);
			failed = 0;
			continue;
		}
		client_refuse(local, client, why->text);
		trouble_undo(local, why);
		failed++;
	}
	clients_answer(local, false);
}

void local_settle(struct local *local)
{
	struct error error = { "" };

	if (!trouble_waits(local)) {
		orders_carry_out(local);
		suspension_update(local);
	}
	if (local->turn.changed && commit(local, &error)) {
		trouble_undo(local, &error);
		requests_alone(local, &error);
	} else {
		turn_settle(local);
	}
	local->turn.changed = false;
	tasks_spawn_again(local);
	if (local->turn.ran)
		steer_round(local);
	local->turn.ran = false;
}

/* Runs */

void local_ran(struct local *local, int64_t now)
{
	struct error error = { "" }, again = { "" };
	bool booked = sched_unbooked(local->sched) == 0;
	int rc;

	if (local->trouble.stale)		/* the run was based on a wrong state */
		return;
	rc = booked ? endings_booked(local, &error) : 0;
	if (rc == 0)
		rc = steer_save(local, &error);
	if (rc == 0)
		rc = store_usage_save(local->store, now, &error);
	if (rc == 0)
		rc = store_commit(local->store, &error);
	if (rc == 0) {
		if (booked)
			endings_forget(local);
		steer_saved(local);
	} else {
		store_rollback(local->store);
		if (jobs_count(local, &again))	/* jobs that were to be removed exist again */
			log_line(LOG_ODD, "cannot count the bytes of jobs: %s", again.text);
	}
	if (rc && !local->unsaved)
		log_line(LOG_FAILURE, "cannot store usage: %s; it is tried again after each run", error.text);
	local->unsaved = rc != 0;
	local->turn.ran = true;
	local->ran_at = now;
}

uint64_t local_due_ns(const struct local *local)
{
	uint64_t due = local->due.load_ns < local->due.spawn_ns ? local->due.load_ns : local->due.spawn_ns;

	if (trouble_due_ns(local) < due)
		due = trouble_due_ns(local);
	if (local->due.levers_ns < due)
		due = local->due.levers_ns;
	if (turns_wait(&local->clients.turns))	/* at once */
		due = 0;
	if (local->clients.paused_ns && local->clients.paused_ns < due)
		due = local->clients.paused_ns;
	if (local->due.look_ns < due)
		due = local->due.look_ns;
	if (!trouble_waits(local) && calendars_due_ns(local) < due)
		due = calendars_due_ns(local);
	if (signals_next_ns(local) < due)
		due = signals_next_ns(local);
	if (advances_due_ns(local) < due)
		due = advances_due_ns(local);
	if (errands_due_ns(local) < due)
		due = errands_due_ns(local);
	return due;
}

/*
 * Apply a changed cell. If no queue is left for this machine, running jobs continue and no others
 * are started.
 */
void local_reloaded(struct local *local)
{
	struct error error = { "" }, again = { "" };
	int rc = machine_look(&local->machine, sched_cell(local->sched), &error);

	if (rc == 0 || rc == -ENOENT)
		rc = suspension_look(local, &again);
	if (rc == 0)
		rc = report_snapshot(local, &again);
	if (error.text[0])
		log_line(LOG_ODD, "%s", error.text);
	if (rc)
		log_line(LOG_FAILURE, "cannot report the queues to the scheduler: %s", again.text);
}

int local_begin(struct local *local, struct error *error)
{
	int rc = report_snapshot(local, error);

	if (rc == 0)
		rc = recover_look(local, error);
	if (rc == 0) {
		diary_found(local);
		local_settle(local);
	}
	return rc;
}
