/* SPDX-License-Identifier: Apache-2.0 */
/* What is said where a segment did not get the memory that it needs: what there is, and a cure. */
#ifndef SCHED_ROOM_H
#define SCHED_ROOM_H

#include "conf/error.h"
#include "shm/segment.h"

#define ROOM_TO_BEGIN_BYTES (1u << 20)	/* a scheduler with a handful of jobs */

/* Is less than that left where the memory of this cell is to lie? */
bool room_is_short(const char *cell, uint64_t bytes);

/*
 * "no room in shared memory: ..." into `text`. `directory`: of the segment, "" if it has none.
 * Returns `text`.
 */
const char *room_text(char *text, size_t size, const char *directory, const struct segment_lack *lack);

#endif
