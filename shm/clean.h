/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes away what ended schedulers leave in shared memory: their last runs, which stay readable
 * until then. What belongs to a scheduler that lives is known by the lock that it holds and not
 * touched.
 */
#ifndef SHM_CLEAN_H
#define SHM_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum clean_state {
	CLEAN_LIVES,		/* its scheduler runs */
	CLEAN_OTHERS,		/* another user's, who is not looked into */
	CLEAN_STRANGE,		/* there is a file in it that no scheduler makes, or it is no directory */
	CLEAN_ENDED,		/* taken away, or to be */
	CLEAN_FAILED,		/* `error` */
};

struct clean_place {
	const char *name;	/* of its directory in shared memory */
	enum clean_state state;
	uint64_t bytes;		/* of memory */
	uint32_t pid;		/* of its scheduler, 0: not known */
	uid_t owner;
	int error;		/* negative errno */
};

/*
 * Each directory of a cell in `shm`, or the one called `only`; told of when it has been dealt
 * with. `dry`: nothing is taken away. -errno: `shm` can't be read; -ENOMEM.
 */
int clean_cells(const char *shm, const char *only, bool dry,
		void (*tell)(void *context, const struct clean_place *place), void *context);

#endif
