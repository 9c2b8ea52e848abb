/* SPDX-License-Identifier: Apache-2.0 */
/* Slots granted to a task: reported in events, and ordered. */
#ifndef SCHED_MIRROR_GRANT_H
#define SCHED_MIRROR_GRANT_H

#include <stddef.h>
#include <stdint.h>

struct granted {		/* entry of a started task's queue list */
	const char *queue;	/* instance, "all.q@host" */
	uint32_t slots;		/* >= 1 */
	/* The task's tickets there, in total and from each policy. Only in orders, otherwise 0. */
	double tickets, otickets, ftickets, stickets;
};

struct grants {
	const struct granted *items;	/* entry of the master task first */
	size_t n;
};

#endif
