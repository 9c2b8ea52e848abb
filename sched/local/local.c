/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "sched/daemon/clock.h"
#include "sched/daemon/log.h"
#include "sched/local/work.h"
#include "sched/store/usage.h"

#define LOAD_INTERVAL_NS (10 * SECOND_NS)
#define SPAWN_RETRY_NS SECOND_NS
#define EVENTS 64
#define PROBE_BYTES 16384	/* as much as a usual turn stores */
#define PROBES 5		/* in vain, before requests are refused for a fault that may have been the disk's only one */
#define PROBE_NS (SECOND_NS / 10)	/* after one that has failed, at least, and ten times as long as that one took */
#define FAILED_ALONE_MOST 3

/* ---- the turn -------------------------------------------------------------------------------------------------------- */

void local_changed(struct local *l)
{
	l->changed = true;
}

void local_fail(struct local *l, const struct error *error)
{
	l->changed = true;
	if (!l->failure.text[0])
		error_set(&l->failure, 0, "%s", error->text[0] ? error->text : "out of memory");
}

/* With what nobody asks for: ends, and what the scheduler orders. */
static bool is_waiting(const struct local *l)
{
	return l->refusing.text[0] || clock_monotonic_ns() < l->retry_ns;
}

/* Shepherds that are gone. While the store takes nothing nobody asks for them, and poll(2) is not woken by them. */
static void ends_watch(struct local *l, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &l->ends };

	epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, l->ends.fd, &event);
}

/* `cost_ns`: of what was in vain. */
static void pause_trying(struct local *l, uint64_t cost_ns)
{
	l->pause_ns = l->pause_ns ? 2 * l->pause_ns : RETRY_NS;
	if (l->pause_ns < 10 * cost_ns)
		l->pause_ns = 10 * cost_ns;
	if (l->pause_ns > RETRY_MOST_NS)
		l->pause_ns = RETRY_MOST_NS;
	l->retry_ns = clock_monotonic_ns() + l->pause_ns;
	ends_watch(l, false);
}

static void ends_handle(struct local *l)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(l->ends.fd, events, EVENTS, 0);
	struct attempt_process shepherd;

	for (int i = 0; i < n; i++) {
		struct local_task *t = events[i].data.ptr;

		if (t->state == LOCAL_RUNNING && !ending_take(l, t, &shepherd) && shepherd.pid == 0)
			pause_trying(l, 0);	/* no descriptors, say */
	}
}

/* Those that a restarted scheduler has found and can't watch. */
static void doubtful_look(struct local *l)
{
	struct attempt_process shepherd;

	if (clock_monotonic_ns() < l->look_ns)
		return;
	l->look_ns = UINT64_MAX;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->doubtful && l->tasks.items[i]->state == LOCAL_RUNNING && !ending_take(l, l->tasks.items[i], &shepherd))
			l->look_ns = clock_monotonic_ns() + SECOND_NS;
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
	case WATCHED_ENDS:
		if (!is_waiting(l))
			ends_handle(l);
		break;
	}
}

/* What is true, from the store. */
static int tell_anew(struct local *l, struct error *error)
{
	int rc = recover(l, error);

	if (rc == 0)
		rc = snapshot_tell(l, error);
	l->stale = rc != 0;
	if (rc)
		log_line(LOG_FAILURE, "what is true can't be told anew: %s; it is tried again", error->text);
	return rc;
}

/* Something of no use, as large as a turn, and away with it: whether the store takes anything, without that anything must be undone. */
static int probe_once(struct local *l, struct error *error)
{
	static char text[PROBE_BYTES];
	int rc;

	memset(text, 'x', sizeof(text) - 1);
	rc = store_meta_put(l->store, "probe", text, error);
	rc = rc ? rc : store_commit(l->store, error);
	if (rc || store_meta_put(l->store, "probe", "", NULL) || store_commit(l->store, NULL))
		store_rollback(l->store);
	return rc;
}

static bool probe(struct local *l, struct error *error)
{
	uint64_t began_ns = clock_monotonic_ns(), took_ns;
	int rc = -EIO;

	for (int i = 0; i < PROBES && rc && rc != -EBUSY; i++)
		rc = probe_once(l, error);
	took_ns = clock_monotonic_ns() - began_ns;
	l->probe_ns = began_ns + took_ns + (10 * took_ns > PROBE_NS ? 10 * took_ns : PROBE_NS);
	return rc == 0;
}

static void refuse(struct local *l, const char *why)
{
	error_set(&l->refusing, 0, "%s", why[0] ? why : "out of memory");
	if (!l->failing)
		log_line(LOG_FAILURE, "the store can't take what is new: %s; running jobs go on, nothing else happens until it can", why);
	l->failing = true;
}

/* What waited is tried at once. */
static void refuse_no_more(struct local *l)
{
	l->refusing.text[0] = '\0';
	l->retry_ns = clock_monotonic_ns();
}

bool local_takes(struct local *l)
{
	struct error error;

	if (l->refusing.text[0] && clock_monotonic_ns() >= l->probe_ns && !l->stale && !store_is_open_transaction(l->store) && probe(l, &error))
		refuse_no_more(l);
	return !l->refusing.text[0];
}

/* What could not be stored is looked at again. */
static void try_again(struct local *l)
{
	struct error error = { "" };
	uint64_t began_ns = clock_monotonic_ns();

	l->retry_ns = 0;
	if (l->stale && tell_anew(l, &error)) {
		refuse(l, error.text);
		pause_trying(l, clock_monotonic_ns() - began_ns);
		return;
	}
	ends_watch(l, true);
	if (recover_look(l, &error))
		local_fail(l, &error);
}

/* While nobody asks: each second, so that what waits goes on soon after the disk is back. */
static void probe_if_due(struct local *l)
{
	struct error error;

	if (!l->refusing.text[0] || clock_monotonic_ns() < l->probe_ns + SECOND_NS)
		return;
	if (probe(l, &error))
		refuse_no_more(l);
}

static void load_tell_if_due(struct local *l)
{
	struct error error;

	if (clock_monotonic_ns() < l->load_ns)
		return;
	l->load_ns = clock_monotonic_ns() + LOAD_INTERVAL_NS;
	if (load_tell(l, &error))
		log_line(LOG_ODD, "the load of this machine was not taken: %s", error.text);
}

void local_handle(struct local *l)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(l->epoll_fd, events, EVENTS, 0);

	probe_if_due(l);
	if (l->retry_ns && !is_waiting(l))
		try_again(l);
	for (int i = 0; i < n; i++)
		watched_handle(l, events[i].data.ptr);
	clients_sweep(l);
	signals_due(l);
	steer_go_on(l);
	if (!is_waiting(l))
		doubtful_look(l);
	load_tell_if_due(l);
}

/* ---- its end ----------------------------------------------------------------------------------------------------------- */

static int commit(struct local *l, struct error *error)
{
	int rc;

	if (l->failure.text[0])
		return error_set(error, -ECANCELED, "%s", l->failure.text);
	rc = accounting_write(l, error);
	return rc ? rc : store_commit(l->store, error);
}

/* What the scheduler was told in this turn is not true. */
static void undo(struct local *l, const struct error *why)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error error = { "" };

	l->failure.text[0] = '\0';
	l->changed = false;
	store_rollback(l->store);
	accounting_undo(l);
	l->fresh = 0;
	if (tell_anew(l, &error) || !probe(l, &error))
		refuse(l, why->text);
	pause_trying(l, clock_monotonic_ns() - began_ns);
	if (l->pause_ns > SECOND_NS && !l->failing) {	/* it takes this and not that: the accounting can't be written, say */
		log_line(LOG_FAILURE, "what has happened can't be stored: %s; it is tried again", why->text);
		l->failing = true;
	}
}

static void task_spawn(struct local *l, struct local_task *t)
{
	struct error error = { "" };

	t->unspawned = launch_spawn(l, t, &error) != 0;
	if (!t->unspawned)
		return;
	log_line(LOG_FAILURE, "task %u of job %u is tried again, since its shepherd could not be started: %s", t->id, t->job_number, error.text);
	l->spawn_ns = clock_monotonic_ns() + SPAWN_RETRY_NS;
}

static void task_begin(struct local *l, struct local_task *t)
{
	struct error error = { "" };

	t->state = LOCAL_RUNNING;
	if (!t->told && tell_start(l, t, &error))
		log_line(LOG_FAILURE, "the start of task %u of job %u was not taken: %s", t->id, t->job_number, error.text);
	t->told = true;
	task_spawn(l, t);
}

static void task_settle(struct local *l, struct local_task *t)
{
	t->fresh = false;
	if (t->void_attempt)
		attempt_remove(l, t, t->void_attempt);
	t->void_attempt = 0;
	if (t->suspend)
		signal_send(t, t->suspend);
	t->suspend = 0;
	if (t->state == LOCAL_ENDED)
		attempt_remove(l, t, t->attempt);
	if (t->state == LOCAL_STARTING)
		task_begin(l, t);
	if (t->state == LOCAL_RUNNING && t->deleted)
		signal_end(l, t);
}

static void tasks_settle(struct local *l)
{
	if (l->fresh == 0)
		return;
	l->fresh = 0;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->fresh)
			task_settle(l, l->tasks.items[i]);
}

static void tasks_spawn_again(struct local *l)
{
	if (clock_monotonic_ns() < l->spawn_ns)
		return;
	l->spawn_ns = UINT64_MAX;
	for (size_t i = 0; i < l->tasks.n; i++)
		if (l->tasks.items[i]->state == LOCAL_RUNNING && l->tasks.items[i]->unspawned)
			task_spawn(l, l->tasks.items[i]);
}

/* It is committed, or there was nothing to be. */
static void turn_settle(struct local *l)
{
	bool whole = l->changed && !is_waiting(l);	/* with whatever had waited */

	if (whole && l->failing)
		log_line(LOG_NOTE, "the store takes what is new again");
	l->failing = l->failing && !whole;
	l->pause_ns = whole ? 0 : l->pause_ns;
	accounting_settled(l);
	clients_answer(l);
	follow_settle(l);
	tasks_settle(l);
	l->changed = false;
}

/* A turn was undone for what may be the fault of a single request: each is tried alone, and only those that fail again are refused. */
static void requests_alone(struct local *l, struct error *why)
{
	unsigned failed = 0;
	struct client *c;

	clients_set_aside(l);
	while ((c = clients_aside(l)) != NULL) {
		if (l->refusing.text[0] || failed == FAILED_ALONE_MOST) {
			client_refuse(l, c, why->text);
			continue;
		}
		client_again(l, c);
		if (!l->changed || commit(l, why) == 0) {
			turn_settle(l);
			failed = 0;
			continue;
		}
		client_refuse(l, c, why->text);
		undo(l, why);
		failed++;
	}
	clients_answer(l);
}

void local_settle(struct local *l)
{
	struct error error = { "" };

	if (!is_waiting(l))
		orders_carry_out(l);
	if (l->changed && commit(l, &error)) {
		undo(l, &error);
		requests_alone(l, &error);
	} else {
		turn_settle(l);
	}
	l->changed = false;
	tasks_spawn_again(l);
	if (l->ran)
		steer_round(l);
	l->ran = false;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

void local_ran(struct local *l, int64_t now)
{
	struct error error = { "" }, again = { "" };
	int rc;

	if (l->stale)		/* this run was about what is not true */
		return;
	rc = sched_unbooked(l->sched) ? 0 : endings_booked(l, &error);
	if (rc == 0)
		rc = steer_save(l, &error);
	if (rc == 0)
		rc = store_usage_save(l->store, l->sched, now, &error);
	if (rc == 0)
		rc = store_commit(l->store, &error);
	if (rc == 0) {
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
	l->ran = true;
	l->ran_at = now;
}

int local_fd(const struct local *l)
{
	return l->epoll_fd;
}

uint64_t local_due_ns(const struct local *l)
{
	uint64_t due = l->load_ns < l->spawn_ns ? l->load_ns : l->spawn_ns;

	if (l->refusing.text[0] && l->probe_ns + SECOND_NS < due)
		due = l->probe_ns + SECOND_NS;
	if (!l->refusing.text[0] && l->retry_ns && l->retry_ns < due)
		due = l->retry_ns;
	if (l->put_off_ns < due)
		due = l->put_off_ns;
	if (l->clients.paused_ns && l->clients.paused_ns < due)
		due = l->clients.paused_ns;
	if (l->look_ns < due)
		due = l->look_ns;
	if (signals_next_ns(l) < due)
		due = signals_next_ns(l);
	return due;
}

/* Where no queue is left for this machine what runs goes on, and nothing else is started. */
void local_reloaded(struct local *l)
{
	struct error error = { "" }, again = { "" };
	int rc = machine_look(&l->machine, sched_cell(l->sched), &error);

	if (rc == 0 || rc == -ENOENT)
		rc = snapshot_tell(l, &again);
	if (error.text[0])
		log_line(LOG_ODD, "%s", error.text);
	if (rc)
		log_line(LOG_FAILURE, "the scheduler can't be told of the queues: %s", again.text);
}

int local_begin(struct local *l, struct error *error)
{
	int rc = snapshot_tell(l, error);

	for (size_t i = 0; i < l->tasks.n; i++)
		l->tasks.items[i]->told = true;
	if (rc == 0)
		rc = recover_look(l, error);
	if (rc == 0)
		local_settle(l);
	return rc;
}
