/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders on their way to the qmaster: as many as it reads, never so many that it would be dropped
 * for them. What it has not acknowledged an interval after it was sent is sent once more; whoever
 * connects next is sent all that are kept.
 */
#ifndef SCHED_QMASTER_JSON_FEED_H
#define SCHED_QMASTER_JSON_FEED_H

#include <stdint.h>

#include "sched/process/output.h"
#include "sched/qmaster/json/source.h"
#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"

/* zero but for the first three at first, which are borrowed; feed_close() */
struct feed {
	struct source *source;
	struct orders *orders;
	struct mirror *mirror;
	uint64_t sent;		/* all up to this one were sent to the peer that is there */
	uint64_t ripe;		/* all up to this one were sent before the last tick */
	uint64_t again, again_end;	/* those behind `again` up to this one are due once more */
	struct out line;	/* the one that is written */
};

/*
 * As much as there is room for, new ones first. Nothing during a snapshot: who sends one does not
 * know of what was ordered before.
 */
void feed_send(struct feed *feed);

/* All that were not sent yet; with a patient source they all arrive. -ENOMEM */
int feed_finish(struct feed *feed);

/* An interval has passed. While something waits to be read, nothing is repeated. */
void feed_tick(struct feed *feed);

void feed_close(struct feed *feed);

/* The peer has gone: another one knows of nothing. */
void feed_restart(struct feed *feed);

#endif
