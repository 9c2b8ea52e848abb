/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell as the scheduler's process sees it. */
#include "sched/qmaster/qmaster.h"

#include "sched/qmaster/local/inside.h"

static struct local *of(struct qmaster *q)
{
	return (struct local *)q;
}

static const struct local *of_const(const struct qmaster *q)
{
	return (const struct local *)q;
}

static void qmaster_close(struct qmaster *q)
{
	local_close(of(q));
}

static int qmaster_begin(struct qmaster *q, bool once, struct error *error)
{
	(void)once;
	return local_begin(of(q), error);
}

static void qmaster_watch(struct qmaster *q, struct pollfd fds[QMASTER_FDS])
{
	fds[0] = (struct pollfd){ .fd = of(q)->epoll_fd, .events = POLLIN };
}

static uint64_t qmaster_due_ns(const struct qmaster *q)
{
	return local_due_ns(of_const(q));
}

static void qmaster_handle(struct qmaster *q, const struct pollfd fds[QMASTER_FDS])
{
	(void)fds;
	local_handle(of(q));
}

static void qmaster_settle(struct qmaster *q)
{
	local_settle(of(q));
}

/* It has a store of its own, which takes the run now. */
static void qmaster_ran(struct qmaster *q, int64_t now, bool stored)
{
	(void)stored;
	local_ran(of(q), now);
}

static void qmaster_reloaded(struct qmaster *q)
{
	local_reloaded(of(q));
}

static void qmaster_files(const struct qmaster *q, struct qmaster_files *files)
{
	*files = (struct qmaster_files){ .state = of_const(q)->state, .accounting = of_const(q)->accounting.path };
}

static uint64_t qmaster_settled(const struct qmaster *q)
{
	const struct local *l = of_const(q);

	return mirror_in_snapshot(l->intake->mirror) ? l->told_before : l->told;
}

const struct qmaster_methods local_methods = {
	.close = qmaster_close, .begin = qmaster_begin, .watch = qmaster_watch, .due_ns = qmaster_due_ns, .handle = qmaster_handle, .settle = qmaster_settle,
	.ran = qmaster_ran, .reloaded = qmaster_reloaded, .files = qmaster_files, .settled = qmaster_settled,
};
