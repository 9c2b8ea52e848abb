/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for a segment that did not get the memory it needs: memory available, and a remedy. */
#ifndef SCHED_ROOM_H
#define SCHED_ROOM_H

#include "conf/base/error.h"
#include "shm/segment.h"

#define ROOM_TO_BEGIN_BYTES (1u << 20)	/* enough for a scheduler with few jobs */

/* Return whether less than `bytes` is left on the file system of the cell's shared memory. */
bool room_is_short(const char *cell, uint64_t bytes);

/*
 * Write "no room in shared memory: ..." into `text`. `directory` is the segment's directory, or ""
 * if it has none. Returns `text`.
 */
const char *room_text(char *text, size_t size, const char *directory, const struct segment_lack *lack);

#endif
