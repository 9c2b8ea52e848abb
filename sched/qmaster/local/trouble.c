/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that does not take what it is given: a turn is undone, and told anew as it was before. A
 * probe tells whether the store takes anything at all. While it does not, requests are refused, and
 * nothing else is tried; when it does, what nobody asks for, ends and orders, waits for a pause
 * that grows as long as turns fail all the same.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/recover.h"
#include "sched/qmaster/local/tell.h"

#define PROBE_BYTES 16384	/* as much as a usual turn stores */
/* in vain, before requests are refused for a fault that may have been the disk's only one */
#define PROBES 5
/* after one that has failed, at least, and ten times as long as that one took */
#define PROBE_NS (SECOND_NS / 10)

/* With what nobody asks for: ends, and what the scheduler orders. */
bool trouble_waits(const struct local *local)
{
	return local->trouble.refusing.text[0] || clock_monotonic_ns() < local->trouble.retry_ns;
}

/*
 * Shepherds that are gone. While the store takes nothing nobody asks for them, and poll(2) is not
 * woken by them.
 */
static void ends_watch(struct local *local, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &local->ends };

	epoll_ctl(local->epoll_fd, EPOLL_CTL_MOD, local->ends.fd, &event);
}

/* `cost_ns`: of what was in vain. */
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

/* What is true, from the store. */
static int tell_anew(struct local *local, struct error *error)
{
	int rc = recover(local, error);

	if (rc == 0)
		rc = snapshot_tell(local, error);
	local->trouble.stale = rc != 0;
	if (rc)
		log_line(LOG_FAILURE, "what is true can't be told anew: %s; it is tried again", error->text);
	return rc;
}

/*
 * Something of no use, as large as a turn, and away with it: whether the store takes anything,
 * without that anything must be undone.
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
			 "the store can't take what is new: %s; running jobs go on, nothing else happens until it can",
			 why);
	local->trouble.failing = true;
}

/* What waited is tried at once. */
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

/* What could not be stored is looked at again. */
static void try_again(struct local *local)
{
	struct error error = { "" };
	uint64_t began_ns = clock_monotonic_ns();

	local->trouble.retry_ns = 0;
	if (local->trouble.stale && tell_anew(local, &error)) {
		refuse(local, error.text);
		trouble_pause(local, clock_monotonic_ns() - began_ns);
		return;
	}
	ends_watch(local, true);
	if (recover_look(local, &error))
		local_fail(local, &error);
}

/* While nobody asks: each second, so that what waits goes on soon after the disk is back. */
static void probe_if_due(struct local *local)
{
	struct error error;

	if (!local->trouble.refusing.text[0] || clock_monotonic_ns() < local->trouble.probe_ns + SECOND_NS)
		return;
	if (probe(local, &error))
		refuse_no_more(local);
}

/* What the scheduler was told in this turn is not true. */
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
	if (tell_anew(local, &error) || !probe(local, &error))
		refuse(local, why->text);
	trouble_pause(local, clock_monotonic_ns() - began_ns);
	/* it takes this and not that: the accounting can't be written, say */
	if (local->trouble.pause_ns > SECOND_NS && !local->trouble.failing) {
		log_line(LOG_FAILURE, "what has happened can't be stored: %s; it is tried again", why->text);
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
