/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publish the pending reasons of a run in the segment. The names in it are held until after the
 * next generation is published. Most names occur again in that generation, so they keep their ids
 * and their memory.
 */
#ifndef SCHED_DISPATCH_PUBLISH_WHY_H
#define SCHED_DISPATCH_PUBLISH_WHY_H

#include "conf/cell.h"
#include "sched/dispatch/why/why.h"
#include "sched/run/publication.h"

struct why_names {			/* string ids of the reasons' names, held */
	uint32_t *ids;
	size_t n, capacity;
};

struct published_why {			/* zero-initialise */
	const struct why *why;		/* borrowed: reasons of the last run */
	struct strings *strings;	/* borrowed */
	/* names of the published generation, and of the generation that is being built */
	struct why_names shown, next;
};

void publish_why_free(struct published_why *published);
/* Return the publisher of the tables of pending reasons. */
struct publisher publish_why_publisher(struct published_why *published);
/* Return the unit of `wanted` and `had`. */
enum why_unit why_unit(const struct cell *cell, unsigned kind, const char *subject);

#endif
