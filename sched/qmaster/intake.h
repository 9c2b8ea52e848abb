/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events go, whatever qmaster tells them: to the mirror, to the queue of orders, to whoever
 * reads the configuration; and what has happened to whoever decides when to run.
 */
#ifndef SCHED_QMASTER_INTAKE_H
#define SCHED_QMASTER_INTAKE_H

#include <stdbool.h>

#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"

struct intake {
	struct mirror *mirror;		/* borrowed */
	struct orders *orders;		/* borrowed; NULL: what is said of orders is passed over */
	/* What was taken is safe only once a run has stored it: see qmaster.h, ran(). */
	bool keeps;
	void *context;
	/* config_changed; as sched_reload() */
	int (*reload)(void *context, struct error *error);
	void (*happened)(void *context, enum event_type type);	/* it was taken; NULL: nobody asks */
};

/*
 * The event. 0; an error of mirror.h, of orders_acknowledge(), of sched_reload(): then nothing has
 * changed, and `error` says why. A snapshot's end makes all orders void.
 *
 * An order that is refused is of no account when it is void or was carried out; a task that was to
 * start is pending again. -ENOENT: there is no such order, or it is not about this task.
 */
int intake_event(struct intake *in, const struct event *event, struct error *error);

#endif
