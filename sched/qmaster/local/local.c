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
#include "sched/qmaster/local/tell.h"
#include "sched/store/usage.h"

#define LOAD_INTERVAL_NS (10 * SECOND_NS)
#define SPAWN_RETRY_NS SECOND_NS
#define EVENTS 2048		/* more than there are clients: nobody is overlooked in a turn */
#define FAILED_ALONE_MOST 3

/* The turn */

void local_changed(struct local *l)
{
	l->turn.changed = true;
	l->instances.due = true;
}

void local_fail(struct local *l, const struct error *error)
{
	l->turn.changed = true;
	if (!l->turn.failure.text[0])
		error_set(&l->turn.failure, 0, "%s", error->text[0] ? error->text : "out of memory");
}

static void ends_handle(struct local *l)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(l->ends.fd, events, EVENTS, 0);
	struct attempt_process shepherd;

	for (int i = 0; i < n; i++) {
		struct local_task *t = events[i].data.ptr;

		if (local_task_runs(t) && !ending_take(l, t, &shepherd) && shepherd.pid == 0)
			trouble_pause(l, 0);	/* no descriptors, say */
	}
}

/* Those of which nobody knows whether they still run. */
static void tasks_seek(struct local *l)
{
	struct attempt_process shepherd;

	if (clock_monotonic_ns() < l->due.look_ns)
		return;
	l->due.look_ns = NEVER_NS;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->life == TASK_SOUGHT && !ending_take(l, l->tasks.items[i], &shepherd))
			l->due.look_ns = clock_monotonic_ns() + SECOND_NS;
}

static void watched_handle(struct local *l, void *what)
{
	switch (*(const enum watched *)what) {
	case WATCHED_LISTENER:
		clients_accept(l);
		break;
	case WATCHED_CLIENT:
		client_handle(l, what);
		break;
	case WATCHED_ERRAND:
		errand_ended(l, what);
		break;
	case WATCHED_ENDS:
		if (!trouble_waits(l))
			ends_handle(l);
		break;
	}
}

static void load_tell_if_due(struct local *l)
{
	struct error error;

	if (clock_monotonic_ns() < l->due.load_ns)
		return;
	l->due.load_ns = clock_monotonic_ns() + LOAD_INTERVAL_NS;
	if (load_tell(l, &error))
		log_line(LOG_ODD, "the load of this machine was not taken: %s", error.text);
}

void local_handle(struct local *l)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(l->epoll_fd, events, EVENTS, 0);

	trouble_look(l);
	for (int i = 0; i < n; i++)
		watched_handle(l, events[i].data.ptr);
	clients_serve(l);
	clients_sweep(l);
	signals_due(l);
	steer_go_on(l);
	if (!trouble_waits(l))
		tasks_seek(l);
	if (!trouble_waits(l))
		advances_due(l);
	load_tell_if_due(l);
	errands_due(l);
}

/* Its end */

static int commit(struct local *l, struct error *error)
{
	int rc;

	if (l->turn.failure.text[0])
		return error_set(error, -ECANCELED, "%s", l->turn.failure.text);
	rc = accounting_write(l, error);
	if (rc == 0 && l->turn.edited)
		rc = store_rows_save(l->store, error);
	return rc ? rc : store_commit(l->store, error);
}

static void task_spawn(struct local *l, struct local_task *t)
{
	struct error error = { "" };

	if (launch_spawn(l, t, &error) == 0) {
		local_task_becomes(t, TASK_WATCHED);
		return;
	}
	local_task_becomes(t, TASK_UNSPAWNED);
	log_line(LOG_FAILURE, "task %u of job %u is tried again, since its shepherd could not be started: %s", t->id, t->job_number, error.text);
	l->due.spawn_ns = clock_monotonic_ns() + SPAWN_RETRY_NS;
}

static void task_begin(struct local *l, struct local_task *t)
{
	struct error error = { "" };

	/* of one that begins again the scheduler knows */
	if (t->shepherd.launches == 0 && tell_start(l, t, &error))
		log_line(LOG_FAILURE, "the start of task %u of job %u was not taken: %s", t->id, t->job_number, error.text);
	if (t->shepherd.launches == 0)
		diary_start(l, t);
	if (t->stopped)
		signal_send(t, SIGSTOP);
	if (t->shepherd.launches == 0)
		mail_begun(l, t);
	task_spawn(l, t);
}

static void task_settle(struct local *l, struct local_task *t)
{
	const struct task_commit commit = t->commit;

	t->commit = (struct task_commit){ 0 };
	t->committed_removal = t->removal;
	if (commit.void_attempt)
		attempt_remove(l, t, commit.void_attempt);
	if (commit.signal) {
		if (commit.signal == SIGSTOP)
			signal_stop(t);
		else
			signal_send(t, commit.signal);
		t->stopped = commit.signal == SIGSTOP;
		mail_suspended(l, t, t->stopped);
	}
	if (commit.ended) {
		diary_end(t);
		mail_ended(l, t);
	}
	if (local_task_has_ended(t))
		attempt_remove(l, t, t->attempt);
	if (t->life == TASK_STARTING)
		task_begin(l, t);
	if (local_task_runs(t) && t->removal != REMOVAL_NONE)
		signal_end(l, t);
}

static void tasks_settle(struct local *l)
{
	if (l->tasks.ndue == 0)
		return;
	l->tasks.ndue = 0;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->commit.due)
			task_settle(l, l->tasks.items[i]);
}

static void tasks_spawn_again(struct local *l)
{
	if (clock_monotonic_ns() < l->due.spawn_ns)
		return;
	l->due.spawn_ns = NEVER_NS;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->life == TASK_UNSPAWNED)
			task_spawn(l, l->tasks.items[i]);
}

/* It is committed, or there was nothing to be. */
static void turn_settle(struct local *l)
{
	bool whole = l->turn.changed && !trouble_waits(l);	/* with whatever had waited */

	if (whole && l->trouble.failing)
		log_line(LOG_NOTE, "the store takes what is new again");
	l->trouble.failing = l->trouble.failing && !whole;
	l->trouble.pause_ns = whole ? 0 : l->trouble.pause_ns;
	accounting_settled(l);
	clients_answer(l, l->turn.asked && l->intake->show && l->intake->show(l->intake->context));
	follow_settle(l);
	tasks_settle(l);
	l->turn.changed = l->turn.edited = l->turn.asked = false;
}

/*
 * A turn was undone for what may be the fault of a single request: each is tried alone, and only
 * those that fail again are refused.
 */
static void requests_alone(struct local *l, struct error *why)
{
	unsigned failed = 0;
	struct client *c;

	clients_set_aside(l, why->text);
	while ((c = clients_aside(l)) != NULL) {
		if (l->trouble.refusing.text[0] || failed == FAILED_ALONE_MOST) {
			client_refuse(l, c, why->text);
			continue;
		}
		client_serve(l, c);
		if (!l->turn.changed || commit(l, why) == 0) {
			turn_settle(l);
			failed = 0;
			continue;
		}
		client_refuse(l, c, why->text);
		trouble_undo(l, why);
		failed++;
	}
	clients_answer(l, false);
}

void local_settle(struct local *l)
{
	struct error error = { "" };

	if (!trouble_waits(l)) {
		orders_carry_out(l);
		suspension_update(l);
	}
	if (l->turn.changed && commit(l, &error)) {
		trouble_undo(l, &error);
		requests_alone(l, &error);
	} else {
		turn_settle(l);
	}
	l->turn.changed = false;
	tasks_spawn_again(l);
	if (l->turn.ran)
		steer_round(l);
	l->turn.ran = false;
}

/* Runs */

void local_ran(struct local *l, int64_t now)
{
	struct error error = { "" }, again = { "" };
	bool booked = sched_unbooked(l->sched) == 0;
	int rc;

	if (l->trouble.stale)		/* this run was about what is not true */
		return;
	rc = booked ? endings_booked(l, &error) : 0;
	if (rc == 0)
		rc = steer_save(l, &error);
	if (rc == 0)
		rc = store_usage_save(l->store, now, &error);
	if (rc == 0)
		rc = store_commit(l->store, &error);
	if (rc == 0) {
		if (booked)
			endings_forget(l);
		steer_saved(l);
	} else {
		store_rollback(l->store);
		if (jobs_count(l, &again))	/* jobs that were to go are there again */
			log_line(LOG_ODD, "the bytes of jobs can't be counted: %s", again.text);
	}
	if (rc && !l->unsaved)
		log_line(LOG_FAILURE, "usage can't be stored: %s; it is tried again after each run", error.text);
	l->unsaved = rc != 0;
	l->turn.ran = true;
	l->ran_at = now;
}

uint64_t local_due_ns(const struct local *l)
{
	uint64_t due = l->due.load_ns < l->due.spawn_ns ? l->due.load_ns : l->due.spawn_ns;

	if (trouble_due_ns(l) < due)
		due = trouble_due_ns(l);
	if (l->due.levers_ns < due)
		due = l->due.levers_ns;
	if (turns_wait(&l->clients.turns))	/* at once */
		due = 0;
	if (l->clients.paused_ns && l->clients.paused_ns < due)
		due = l->clients.paused_ns;
	if (l->due.look_ns < due)
		due = l->due.look_ns;
	if (!trouble_waits(l) && calendars_due_ns(l) < due)
		due = calendars_due_ns(l);
	if (signals_next_ns(l) < due)
		due = signals_next_ns(l);
	if (advances_due_ns(l) < due)
		due = advances_due_ns(l);
	if (errands_due_ns(l) < due)
		due = errands_due_ns(l);
	return due;
}

/* Where no queue is left for this machine what runs goes on, and nothing else is started. */
void local_reloaded(struct local *l)
{
	struct error error = { "" }, again = { "" };
	int rc = machine_look(&l->machine, sched_cell(l->sched), &error);

	if (rc == 0 || rc == -ENOENT)
		rc = suspension_look(l, &again);
	if (rc == 0)
		rc = snapshot_tell(l, &again);
	if (error.text[0])
		log_line(LOG_ODD, "%s", error.text);
	if (rc)
		log_line(LOG_FAILURE, "the scheduler can't be told of the queues: %s", again.text);
}

int local_begin(struct local *l, struct error *error)
{
	int rc = snapshot_tell(l, error);

	if (rc == 0)
		rc = recover_look(l, error);
	if (rc == 0) {
		diary_found(l);
		local_settle(l);
	}
	return rc;
}
