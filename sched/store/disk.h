/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as SQLite has them, through a layer of ours over its own: pages get their checksums when
 * they are written and show them when they are read, and a commit that failed leaves nothing in the
 * log. See the argument in disk.c. For sched/store/ and its tests only.
 */
#ifndef SCHED_STORE_DISK_H
#define SCHED_STORE_DISK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define DISK_VFS "fairlead"

/* Over what is SQLite's default now. Once before each sqlite3_open_v2() with DISK_VFS. */
int disk_register(void);

/*
 * What has become of the last transaction that wrote to the log, as soon as it is no longer open.
 */
enum disk_outcome {
	DISK_NOTHING,		/* nothing was written */
	DISK_STANDS,		/* it stands in the log, for readers and for the next process */
	DISK_CUT,		/* it is in the log no more, and never will be */
	DISK_UNSURE,		/* only the disk knows, and from now on nothing can be written */
};

enum disk_outcome disk_outcome(sqlite3 *db);

/* Do pages of the file have checksums? Of a new one: as soon as it has pages. */
bool disk_has_sums(sqlite3 *db);
/* The page that was last found damaged; 0: none was. */
uint32_t disk_damaged_page(sqlite3 *db);
/* Pages that do not fit their checksums are given out nevertheless, to find out what they were. */
void disk_tolerate(sqlite3 *db);

#endif
