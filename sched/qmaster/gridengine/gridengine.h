/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The qmaster of a real Grid Engine 8.1.9, unmodified: it is spoken to with its own protocol
 * (sched/qmaster/gdi/), registered with as its scheduler, and sent orders.
 *
 *     gridengine.c     what the process calls: records in, orders out
 *     post.c           the connection: a thread of its own
 *     take.c           events into the mirror; known.c: versions that orders must name
 *     settlement.c     what was ordered, and what became of it; packed_*.c: orders as the qmaster reads them
 *     place.c          who is the scheduler: taking the place, giving it back, losing it
 *     shadow.c         beside the built-in scheduler, only watching; audit*.c: how its runs compare with ours
 */
#ifndef SCHED_QMASTER_GRIDENGINE_GRIDENGINE_H
#define SCHED_QMASTER_GRIDENGINE_GRIDENGINE_H

#include <stdbool.h>

#include "sched/qmaster/qmaster.h"

#define QMASTER_GRIDENGINE "qmaster:"	/* `where` of --qmaster; ROOT/CELL follows, or nothing */

struct gridengine_options {
	bool shadow;			/* compute everything, send nothing */
	const char *audit;		/* journal of the shadow; NULL: fairlead-audit in the cell */
	bool standby;			/* wait until the place is empty */
	bool again;			/* displaced: take it back */
	bool no_dispatch;		/* orders no starts */
};

qmaster_open gridengine_open;

#endif
