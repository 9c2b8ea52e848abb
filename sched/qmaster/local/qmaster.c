/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the local cell for the scheduler's process. */
#include "sched/qmaster/qmaster.h"

#include "sched/qmaster/local/inside.h"

static struct local *of(struct qmaster *qmaster)
{
	return (struct local *)qmaster;
}

static const struct local *of_const(const struct qmaster *qmaster)
{
	return (const struct local *)qmaster;
}

static void qmaster_close(struct qmaster *qmaster)
{
	local_close(of(qmaster));
}

static int qmaster_begin(struct qmaster *qmaster, bool once, struct error *error)
{
	(void)once;
	return local_begin(of(qmaster), error);
}

static void qmaster_watch(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS])
{
	fds[0] = (struct pollfd){ .fd = of(qmaster)->epoll_fd, .events = POLLIN };
}

static uint64_t qmaster_due_ns(const struct qmaster *qmaster)
{
	return local_due_ns(of_const(qmaster));
}

static void qmaster_handle(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS])
{
	(void)fds;
	local_handle(of(qmaster));
}

static void qmaster_settle(struct qmaster *qmaster)
{
	local_settle(of(qmaster));
}

/* Store a run in the cell's own store. */
static void qmaster_ran(struct qmaster *qmaster, int64_t now, bool stored)
{
	(void)stored;
	local_ran(of(qmaster), now);
}

static void qmaster_reloaded(struct qmaster *qmaster)
{
	local_reloaded(of(qmaster));
}

static void qmaster_files(const struct qmaster *qmaster, struct qmaster_files *files)
{
	*files = (struct qmaster_files){ .state = of_const(qmaster)->state,
					 .accounting = of_const(qmaster)->accounting.path };
}

static uint64_t qmaster_settled(const struct qmaster *qmaster)
{
	const struct local *local = of_const(qmaster);

	return mirror_in_snapshot(local->intake->mirror) ? local->reported_before : local->reported;
}

const struct qmaster_methods local_methods = {
	.close = qmaster_close, .begin = qmaster_begin, .watch = qmaster_watch, .due_ns = qmaster_due_ns,
	.handle = qmaster_handle, .settle = qmaster_settle,
	.ran = qmaster_ran, .reloaded = qmaster_reloaded, .files = qmaster_files, .settled = qmaster_settled,
};
