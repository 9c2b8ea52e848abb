/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies where a cell's segment should be, for the messages of readers that can't attach: a look
 * without mapping anything or waiting for anybody.
 */
#ifndef SHM_LOOK_H
#define SHM_LOOK_H

#include <stdint.h>

#include "shm/place.h"

enum look_found {
	LOOK_FAILED,		/* nothing can be said */
	LOOK_NO_SHM,		/* FAIRLEAD_SHM, or /dev/shm, is no directory */
	LOOK_NOTHING,		/* nobody has ever published there */
	LOOK_ELSEWHERE,		/* nor there, but FAIRLEAD_SHM is set, and in /dev/shm there is one */
	LOOK_STARTING,		/* a writer lives and has not published yet */
	LOOK_ENDED,		/* one has ended before it published */
	LOOK_NO_FILE,		/* in its place is no plain file */
	LOOK_EMPTY,		/* an empty one */
	LOOK_SWAPPED,		/* of a machine with the other order of bytes */
	LOOK_NO_SEGMENT,	/* no segment */
	LOOK_OTHER_VERSION,	/* `version` or `records` differ from ours */
	LOOK_DAMAGED,		/* one, but of another length than it says */
	LOOK_SEGMENT,		/* nothing is wrong with it */
};

struct segment_sight {
	enum look_found found;
	char shm[SEGMENT_PATH_BYTES];	/* FAIRLEAD_SHM, or /dev/shm */
	struct segment_paths paths;
	uint32_t version, records;	/* as the header has them */
	uint64_t bytes;			/* of the file */
};

/* Of the cell in `directory`, for a reader of this version of records. */
void segment_look(struct segment_sight *look, const char *directory, uint32_t records);

#endif
