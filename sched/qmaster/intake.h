/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events go, from any qmaster: to the mirror; if they are about orders, to the queue of them;
 * config_changed to whoever reads the configuration, submitter_edit to the policy. And who decides
 * when to run hears of each.
 */
#ifndef SCHED_QMASTER_INTAKE_H
#define SCHED_QMASTER_INTAKE_H

#include <stdbool.h>

#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"

/* Who hears of each event that was taken, behind everybody else. */
struct intake_watch {
	void *context;
	void (*event)(void *context, const struct event *event);
};

struct intake {
	struct mirror *mirror;		/* borrowed */
	struct orders *orders;		/* borrowed; NULL: what is said of orders is passed over */
	/* Refused orders are no news: this was told before, and is told again. */
	bool silent;
	/* What was taken is safe only once a run has stored it: see qmaster.h, ran(). */
	bool keeps;
	void *context;
	/* config_changed; as sched_reload() */
	int (*reload)(void *context, struct error *error);
	/* submitter_edit; as sched_edit_customer(). NULL: nobody takes it */
	int (*edit)(void *context, const struct submitter_edit_event *edit, struct error *error);
	/* it was taken; NULL: nobody asks */
	void (*happened)(void *context, enum event_type type);
	struct intake_watch watch;	/* event NULL: nobody */
	/* a run is due at once; NULL: nobody asks */
	void (*hurry)(void *context);
	/*
	 * what somebody has changed in this turn is to be shown to readers; returns whether that
	 * comes at its end, and soon. NULL: there are none
	 */
	bool (*show)(void *context);
	/* a run at `now`, at once, as sched_run(); for one who compares. NULL: there is none */
	int (*run)(void *context, int64_t now, struct error *error);
	/* the process is to end, as the qmaster has been told to make it; NULL: it can't be */
	void (*end)(void *context);
};

/*
 * The event. 0; an error of mirror.h, of orders_acknowledge(), of sched_reload(): then nothing has
 * changed, and `error` says why. A snapshot's end makes all orders void.
 *
 * order_refused puts a task that was to start back among the pending ones. It changes nothing if
 * the order is void or was carried out already. -ENOENT: no such order was given, or not for this
 * task.
 */
int intake_event(struct intake *in, const struct event *event, struct error *error);

#endif
