/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The qmaster of an unmodified Grid Engine 8.1.9. This process speaks its protocol
 * (sched/qmaster/gdi/), registers as its scheduler, and sends it orders.
 *
 *     gridengine.c     functions called by the process: takes records, sends orders
 *     post.c           the connection, in a thread of its own
 *     take.c           converts events for the mirror; known.c: versions that orders must name
 *     settlement.c     orders and their results; packed_*.c: orders in the qmaster's format
 *     place.c          the scheduler role: taking it, giving it back, losing it
 *     shadow.c         observes the built-in scheduler; audit*.c: compares its runs with ours
 */
#ifndef SCHED_QMASTER_GRIDENGINE_GRIDENGINE_H
#define SCHED_QMASTER_GRIDENGINE_GRIDENGINE_H

#include <stdbool.h>

#include "sched/qmaster/qmaster.h"

#define QMASTER_GRIDENGINE "qmaster:"	/* prefix of --qmaster; ROOT/CELL follows, or nothing */

struct gridengine_options {
	bool shadow;			/* compute everything, send nothing */
	/* Journal of the shadow; NULL: fairlead-audit in the cell. */
	const char *audit;
	bool standby;			/* wait until the scheduler role is free */
	bool again;			/* take the role back after a displacement */
	bool no_dispatch;		/* order no starts */
};

qmaster_open gridengine_open;

#endif
