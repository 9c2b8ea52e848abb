/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures of the store. A turn that cannot be stored is undone, and the scheduler gets a snapshot
 * of the state before it.
 *
 * A probe finds out whether the store accepts any data. If it does not, requests are refused, and
 * nothing else is tried. If it does, ends and orders wait for a pause, which grows while turns
 * continue to fail.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/recover.h"
#include "sched/qmaster/local/report.h"

#define PROBE_BYTES 16384	/* size of a usual turn */
/*
 * unsuccessful probes before requests are refused, because a single failure of the disk may be
 * transient
 */
#define PROBES 5
/* shortest pause after a failed probe; at least ten times its duration */
#define PROBE_NS (SECOND_NS / 10)

/* Return whether ends and orders wait. */
bool trouble_waits(const struct local *local)
{
	return local->trouble.refusing.text[0] || clock_monotonic_ns() < local->trouble.retry_ns;
}

/*
 * Watch the ends of shepherds, or stop watching them. While the store accepts no data, they cannot
 * be handled and must not wake poll(2).
 */
static void ends_watch(struct local *local, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &local->ends };

	epoll_ctl(local->epoll_fd, EPOLL_CTL_MOD, local->ends.fd, &event);
}

/* Start or prolong the pause; `cost_ns`: duration of the failed attempt. */
void trouble_pause(struct local *local, uint64_t cost_ns)
{
	local->trouble.pause_ns = local->trouble.pause_ns ? 2 * local->trouble.pause_ns : RETRY_NS;
	if (local->trouble.pause_ns < 10 * cost_ns)
		local->trouble.pause_ns = 10 * cost_ns;
	if (local->trouble.pause_ns > RETRY_MOST_NS)
		local->trouble.pause_ns = RETRY_MOST_NS;
	local->trouble.retry_ns = clock_monotonic_ns() + local->trouble.pause_ns;
	ends_watch(local, false);
}

/* Read the state from the store again and report it. */
static int report_again(struct local *local, struct error *error)
{
	int rc = recover(local, error);

	if (rc == 0)
		rc = report_snapshot(local, error);
	local->trouble.stale = rc != 0;
	if (rc)
		log_line(LOG_FAILURE, "cannot report the state to the scheduler again: %s; it is tried again",
			 error->text);
	return rc;
}

/*
 * Store and remove data of no use, of the size of a turn, to find out whether the store accepts
 * anything. Nothing has to be undone if this fails.
 */
static int probe_once(struct local *local, struct error *error)
{
	static char text[PROBE_BYTES];
	int rc;

	memset(text, 'x', sizeof(text) - 1);
	rc = store_meta_put(local->store, "probe", text, error);
	rc = rc ? rc : store_commit(local->store, error);
	if (rc || store_meta_put(local->store, "probe", "", NULL) || store_commit(local->store, NULL))
		store_rollback(local->store);
	return rc;
}

static bool probe(struct local *local, struct error *error)
{
	uint64_t began_ns = clock_monotonic_ns(), took_ns;
	int rc = -EIO;

	for (int i = 0; i < PROBES && rc && rc != -EBUSY; i++)
		rc = probe_once(local, error);
	took_ns = clock_monotonic_ns() - began_ns;
	local->trouble.probe_ns = began_ns + took_ns + (10 * took_ns > PROBE_NS ? 10 * took_ns : PROBE_NS);
	return rc == 0;
}

static void refuse(struct local *local, const char *why)
{
	error_set(&local->trouble.refusing, 0, "%s", why[0] ? why : "out of memory");
	if (!local->trouble.failing)
		log_line(LOG_FAILURE,
			 "the store accepts no data: %s; running jobs continue, everything else waits until it does",
			 why);
	local->trouble.failing = true;
}

/* Accept requests again. Waiting work is tried at once. */
static void refuse_no_more(struct local *local)
{
	local->trouble.refusing.text[0] = '\0';
	local->trouble.retry_ns = clock_monotonic_ns();
}

bool trouble_is_over(struct local *local)
{
	struct error error;

	if (local->trouble.refusing.text[0] && clock_monotonic_ns() >= local->trouble.probe_ns &&
	    !local->trouble.stale && !store_is_open_transaction(local->store) && probe(local, &error))
		refuse_no_more(local);
	return !local->trouble.refusing.text[0];
}

/* Try again what could not be stored. */
static void try_again(struct local *local)
{
	struct error error = { "" };
	uint64_t began_ns = clock_monotonic_ns();

	local->trouble.retry_ns = 0;
	if (local->trouble.stale && report_again(local, &error)) {
		refuse(local, error.text);
		trouble_pause(local, clock_monotonic_ns() - began_ns);
		return;
	}
	ends_watch(local, true);
	if (recover_look(local, &error))
		local_fail(local, &error);
}

/*
 * Probe the store each second without requests, so that waiting work continues soon after the disk
 * is available again.
 */
static void probe_if_due(struct local *local)
{
	struct error error;

	if (!local->trouble.refusing.text[0] || clock_monotonic_ns() < local->trouble.probe_ns + SECOND_NS)
		return;
	if (probe(local, &error))
		refuse_no_more(local);
}

/* Undo a turn whose reports to the scheduler were wrong. */
void trouble_undo(struct local *local, const struct error *why)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error error = { "" };

	local->turn.failure.text[0] = '\0';
	local->turn.changed = false;
	store_rollback(local->store);
	if (local->turn.edited)
		sched_unedit_customers(local->sched);
	local->turn.edited = false;
	accounting_undo(local);
	local_tasks_undo(local);
	if (report_again(local, &error) || !probe(local, &error))
		refuse(local, why->text);
	trouble_pause(local, clock_monotonic_ns() - began_ns);
	/*
	 * some data is accepted and other data is not, for example if the accounting file cannot be
	 * written
	 */
	if (local->trouble.pause_ns > SECOND_NS && !local->trouble.failing) {
		log_line(LOG_FAILURE, "cannot store what has happened: %s; it is tried again", why->text);
		local->trouble.failing = true;
	}
}

void trouble_look(struct local *local)
{
	probe_if_due(local);
	if (local->trouble.retry_ns && !trouble_waits(local))
		try_again(local);
}

uint64_t trouble_due_ns(const struct local *local)
{
	if (local->trouble.refusing.text[0])
		return local->trouble.probe_ns + SECOND_NS;
	return local->trouble.retry_ns ? local->trouble.retry_ns : NEVER_NS;
}
