/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The intake passes the events of any qmaster on to the parts of the scheduler. Events about orders
 * go to the queue of orders, config_changed to the reader of the configuration, submitter_edit to
 * the policy, and all others to the mirror. The part that decides when to run is notified of each
 * event.
 */
#ifndef SCHED_QMASTER_INTAKE_H
#define SCHED_QMASTER_INTAKE_H

#include <stdbool.h>

#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"

/* Observer of each event that was taken, called after all other parts. */
struct intake_watch {
	void *context;
	void (*event)(void *context, const struct event *event);
};

struct intake {
	struct mirror *mirror;		/* borrowed */
	struct orders *orders;		/* borrowed; NULL: events about orders are ignored */
	/*
	 * Do not log refused orders, because this is a replay of events that were reported before.
	 */
	bool silent;
	/* Events are safe only after a run has stored them. See ran() in qmaster.h. */
	bool keeps;
	void *context;
	/* Handle config_changed, like sched_reload(). */
	int (*reload)(void *context, struct error *error);
	/* Handle submitter_edit, like sched_edit_customer(). NULL: such events are refused. */
	int (*edit)(void *context, const struct submitter_edit_event *edit, struct error *error);
	/* Note that an event was taken. NULL: not needed. */
	void (*happened)(void *context, enum event_type type);
	struct intake_watch watch;	/* event NULL: no observer */
	/* Make a run due at once. NULL: not needed. */
	void (*hurry)(void *context);
	/*
	 * Show the changes of this turn to readers. Returns whether they are shown at the end of
	 * the turn, and soon. NULL: no readers.
	 */
	bool (*show)(void *context);
	/* Make a run at `now` at once, like sched_run(), for a comparison. NULL: not available. */
	int (*run)(void *context, int64_t now, struct error *error);
	/* End the process on an order of the qmaster. NULL: not possible. */
	void (*end)(void *context);
};

/*
 * Take in an event. Returns 0, or an error of mirror.h, orders_acknowledge() or sched_reload().
 * After an error nothing has changed, and `error` holds the reason. The end of a snapshot makes all
 * orders void.
 *
 * order_refused makes a task whose start was ordered pending again. It changes nothing if the order
 * is void or was carried out already. -ENOENT: no such order was issued, or it is for another task.
 */
int intake_event(struct intake *in, const struct event *event, struct error *error);

#endif
