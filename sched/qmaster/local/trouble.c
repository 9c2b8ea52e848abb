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
bool trouble_waits(const struct local *l)
{
	return l->trouble.refusing.text[0] || clock_monotonic_ns() < l->trouble.retry_ns;
}

/*
 * Shepherds that are gone. While the store takes nothing nobody asks for them, and poll(2) is not
 * woken by them.
 */
static void ends_watch(struct local *l, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &l->ends };

	epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, l->ends.fd, &event);
}

/* `cost_ns`: of what was in vain. */
void trouble_pause(struct local *l, uint64_t cost_ns)
{
	l->trouble.pause_ns = l->trouble.pause_ns ? 2 * l->trouble.pause_ns : RETRY_NS;
	if (l->trouble.pause_ns < 10 * cost_ns)
		l->trouble.pause_ns = 10 * cost_ns;
	if (l->trouble.pause_ns > RETRY_MOST_NS)
		l->trouble.pause_ns = RETRY_MOST_NS;
	l->trouble.retry_ns = clock_monotonic_ns() + l->trouble.pause_ns;
	ends_watch(l, false);
}

/* What is true, from the store. */
static int tell_anew(struct local *l, struct error *error)
{
	int rc = recover(l, error);

	if (rc == 0)
		rc = snapshot_tell(l, error);
	l->trouble.stale = rc != 0;
	if (rc)
		log_line(LOG_FAILURE, "what is true can't be told anew: %s; it is tried again", error->text);
	return rc;
}

/*
 * Something of no use, as large as a turn, and away with it: whether the store takes anything,
 * without that anything must be undone.
 */
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
	l->trouble.probe_ns = began_ns + took_ns + (10 * took_ns > PROBE_NS ? 10 * took_ns : PROBE_NS);
	return rc == 0;
}

static void refuse(struct local *l, const char *why)
{
	error_set(&l->trouble.refusing, 0, "%s", why[0] ? why : "out of memory");
	if (!l->trouble.failing)
		log_line(LOG_FAILURE, "the store can't take what is new: %s; running jobs go on, nothing else happens until it can", why);
	l->trouble.failing = true;
}

/* What waited is tried at once. */
static void refuse_no_more(struct local *l)
{
	l->trouble.refusing.text[0] = '\0';
	l->trouble.retry_ns = clock_monotonic_ns();
}

bool trouble_is_over(struct local *l)
{
	struct error error;

	if (l->trouble.refusing.text[0] && clock_monotonic_ns() >= l->trouble.probe_ns && !l->trouble.stale && !store_is_open_transaction(l->store) && probe(l, &error))
		refuse_no_more(l);
	return !l->trouble.refusing.text[0];
}

/* What could not be stored is looked at again. */
static void try_again(struct local *l)
{
	struct error error = { "" };
	uint64_t began_ns = clock_monotonic_ns();

	l->trouble.retry_ns = 0;
	if (l->trouble.stale && tell_anew(l, &error)) {
		refuse(l, error.text);
		trouble_pause(l, clock_monotonic_ns() - began_ns);
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

	if (!l->trouble.refusing.text[0] || clock_monotonic_ns() < l->trouble.probe_ns + SECOND_NS)
		return;
	if (probe(l, &error))
		refuse_no_more(l);
}

/* What the scheduler was told in this turn is not true. */
void trouble_undo(struct local *l, const struct error *why)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error error = { "" };

	l->turn.failure.text[0] = '\0';
	l->turn.changed = false;
	store_rollback(l->store);
	if (l->turn.edited)
		sched_unedit_customers(l->sched);
	l->turn.edited = false;
	accounting_undo(l);
	local_tasks_undo(l);
	if (tell_anew(l, &error) || !probe(l, &error))
		refuse(l, why->text);
	trouble_pause(l, clock_monotonic_ns() - began_ns);
	/* it takes this and not that: the accounting can't be written, say */
	if (l->trouble.pause_ns > SECOND_NS && !l->trouble.failing) {
		log_line(LOG_FAILURE, "what has happened can't be stored: %s; it is tried again", why->text);
		l->trouble.failing = true;
	}
}

void trouble_look(struct local *l)
{
	probe_if_due(l);
	if (l->trouble.retry_ns && !trouble_waits(l))
		try_again(l);
}

uint64_t trouble_due_ns(const struct local *l)
{
	if (l->trouble.refusing.text[0])
		return l->trouble.probe_ns + SECOND_NS;
	return l->trouble.retry_ns ? l->trouble.retry_ns : NEVER_NS;
}
