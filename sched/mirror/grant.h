/* SPDX-License-Identifier: Apache-2.0 */
/* What a task was granted: told in events, and ordered. */
#ifndef SCHED_MIRROR_GRANT_H
#define SCHED_MIRROR_GRANT_H

#include <stddef.h>
#include <stdint.h>

struct granted {		/* one entry of a started task's queue list */
	const char *queue;	/* instance, "all.q@host" */
	uint32_t slots;		/* >= 1 */
	/* The task's tickets there, and of those what each policy gave: in orders only, else 0. */
	double tickets, otickets, ftickets, stickets;
};

struct grants {
	const struct granted *items;	/* that of the master task first */
	size_t n;
};

#endif
