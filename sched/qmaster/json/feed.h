/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The feed sends orders to the qmaster, but never so many that the connection would be dropped
 * because of them. An order that is not acknowledged within one interval is sent once more. A
 * qmaster that connects is sent all orders that are kept.
 */
#ifndef SCHED_QMASTER_JSON_FEED_H
#define SCHED_QMASTER_JSON_FEED_H

#include <stdint.h>

#include "sched/process/output.h"
#include "sched/qmaster/json/source.h"
#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"

/* Set the first three members, which are borrowed, and zero the others. Free with feed_close(). */
struct feed {
	struct source *source;
	struct orders *orders;
	struct mirror *mirror;
	uint64_t sent;		/* last order sent to the connected peer */
	uint64_t ripe;		/* last order sent before the last tick */
	/* Orders after `again`, up to `again_end`, are due once more. */
	uint64_t again, again_end;
	struct out line;	/* line being written */
};

/*
 * Send as many orders as there is room for, new ones first. No order is sent during a snapshot,
 * because its sender does not know the orders issued before.
 */
void feed_send(struct feed *feed);

/* Send all orders that were not sent yet. With a patient source all of them arrive. -ENOMEM. */
int feed_finish(struct feed *feed);

/* Note that an interval has passed. While any line waits to be read, no order is repeated. */
void feed_tick(struct feed *feed);

void feed_close(struct feed *feed);

/* Note that the peer has gone. The next one knows none of the orders. */
void feed_restart(struct feed *feed);

#endif
