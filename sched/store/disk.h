/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File layer between SQLite and its own files. Pages get their checksums when they are written, and
 * the checksums are checked when pages are read. A failed commit leaves nothing in the log. disk.c
 * gives the reasons. For sched/store/ and its tests only.
 */
#ifndef SCHED_STORE_DISK_H
#define SCHED_STORE_DISK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define DISK_VFS "fairlead"

/*
 * Register the layer over SQLite's current default. Call once before each sqlite3_open_v2() with
 * DISK_VFS.
 */
int disk_register(void);

/* Result of the last transaction that wrote to the log, as soon as it is no longer open. */
enum disk_outcome {
	DISK_NOTHING,		/* no write */
	DISK_STANDS,		/* in the log, for readers and for the next process */
	DISK_CUT,		/* not in the log, and never will be */
	/* the content of the disk is unknown; no further writes are possible */
	DISK_UNSURE,
};

enum disk_outcome disk_outcome(sqlite3 *db);

/* Return whether pages of the file have checksums. A new file: as soon as it has pages. */
bool disk_has_sums(sqlite3 *db);
/* Return the page that was last found damaged. 0: none. */
uint32_t disk_damaged_page(sqlite3 *db);
/* Return pages that do not match their checksums anyway, to find out what they contained. */
void disk_tolerate(sqlite3 *db);

#endif
