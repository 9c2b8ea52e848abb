/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find out why a reader cannot attach to a cell's segment, for its messages. Maps nothing and never
 * waits.
 */
#ifndef SHM_LOOK_H
#define SHM_LOOK_H

#include <stdint.h>

#include "shm/place.h"

enum look_found {
	LOOK_FAILED,		/* state cannot be determined */
	LOOK_NO_SHM,		/* FAIRLEAD_SHM or /dev/shm is not a directory */
	LOOK_NOTHING,		/* no segment was ever published here */
	/* no segment here, but FAIRLEAD_SHM is set and /dev/shm has a segment */
	LOOK_ELSEWHERE,
	LOOK_STARTING,		/* a writer is alive and has not published yet */
	LOOK_ENDED,		/* a writer ended before it published */
	LOOK_NO_FILE,		/* the state file is not a regular file */
	LOOK_EMPTY,		/* the state file is empty */
	LOOK_SWAPPED,		/* segment of a machine with the other byte order */
	LOOK_NO_SEGMENT,	/* not a segment */
	LOOK_OTHER_VERSION,	/* `version` or `records` differs from ours */
	LOOK_DAMAGED,		/* segment whose length differs from the length that it states */
	LOOK_SEGMENT,		/* valid segment */
};

struct segment_sight {
	enum look_found found;
	char shm[SEGMENT_PATH_BYTES];	/* FAIRLEAD_SHM or /dev/shm */
	struct segment_paths paths;
	uint32_t version, records;	/* versions in the header */
	uint64_t bytes;			/* size of the file */
};

/* Inspect the segment of the cell in `directory` for a reader of this version of records. */
void segment_look(struct segment_sight *look, const char *directory, uint32_t records);

#endif
