/* SPDX-License-Identifier: Apache-2.0 */
/* The local cell as the scheduler's process sees it. */
#include <errno.h>
#include <stdlib.h>

#include "sched/qmaster/json/order.h"
#include "sched/qmaster/local/local.h"

struct local_qmaster {
	struct qmaster qmaster;
	struct local *local;
	struct events events;
};

static struct local_qmaster *of(struct qmaster *q)
{
	return (struct local_qmaster *)q;
}

static const struct local_qmaster *of_const(const struct qmaster *q)
{
	return (const struct local_qmaster *)q;
}

static void qmaster_close(struct qmaster *q)
{
	local_close(of(q)->local);
	events_destroy(&of(q)->events);
	free(q);
}

static int qmaster_begin(struct qmaster *q, bool once, struct error *error)
{
	(void)once;
	return local_begin(of(q)->local, error);
}

static void qmaster_watch(struct qmaster *q, struct pollfd fds[QMASTER_FDS])
{
	fds[0] = (struct pollfd){ .fd = local_fd(of(q)->local), .events = POLLIN };
	for (int i = 1; i < QMASTER_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
}

static uint64_t qmaster_due_ns(const struct qmaster *q)
{
	return local_due_ns(of_const(q)->local);
}

static void qmaster_handle(struct qmaster *q, const struct pollfd fds[QMASTER_FDS])
{
	(void)fds;
	local_handle(of(q)->local);
}

static void qmaster_settle(struct qmaster *q)
{
	local_settle(of(q)->local);
}

/* It has a store of its own, which takes the run now. */
static void qmaster_ran(struct qmaster *q, int64_t now, bool stored)
{
	(void)stored;
	local_ran(of(q)->local, now);
}

static void qmaster_reloaded(struct qmaster *q)
{
	local_reloaded(of(q)->local);
}

static uint64_t qmaster_settled(const struct qmaster *q)
{
	return events_settled(&of_const(q)->events);
}

static const struct qmaster_methods methods = {
	.limits = &order_line_limits, .close = qmaster_close, .begin = qmaster_begin, .watch = qmaster_watch, .due_ns = qmaster_due_ns,
	.handle = qmaster_handle, .settle = qmaster_settle, .ran = qmaster_ran, .reloaded = qmaster_reloaded, .settled = qmaster_settled,
};

int local_qmaster_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	struct local_qmaster *made = calloc(1, sizeof(*made));
	int rc;

	if (!made)
		return error_set(error, -ENOMEM, "out of memory");
	made->qmaster.methods = &methods;
	made->events = (struct events){ .intake = setup->intake };
	rc = local_open(&made->local, setup->sched, &made->events, setup->options, error);
	if (rc)
		qmaster_close(&made->qmaster);
	else
		*q = &made->qmaster;
	return rc;
}
