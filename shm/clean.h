/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remove the shared memory that ended schedulers have left. Their last runs stay readable until
 * then. A live scheduler is recognized by the lock that it holds, and its files are not touched.
 */
#ifndef SHM_CLEAN_H
#define SHM_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum clean_state {
	CLEAN_LIVES,		/* scheduler is running */
	CLEAN_OTHERS,		/* directory of another user, not inspected */
	CLEAN_STRANGE,		/* has a file that no scheduler makes, or is not a directory */
	CLEAN_ENDED,		/* removed, or to be removed if `dry` */
	CLEAN_FAILED,		/* see `error` */
};

struct clean_place {
	const char *name;	/* name of the directory in shared memory */
	enum clean_state state;
	uint64_t bytes;		/* memory in use */
	uint32_t pid;		/* pid of its scheduler, 0 = unknown */
	uid_t owner;
	int error;		/* negative errno */
};

/*
 * Handle each directory of a cell in `shm`, or only the one called `only`, and call `tell` for each
 * one afterwards. With `dry` nothing is removed. Returns -ENOMEM, or -errno if `shm` cannot be
 * read.
 */
int clean_cells(const char *shm, const char *only, bool dry,
		void (*tell)(void *context, const struct clean_place *place), void *context);

#endif
