/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a number (of a process, a session, a job and its task) to the row that has it. Open
 * addressing, linear probing.
 */
#ifndef SCHED_HOST_IDS_H
#define SCHED_HOST_IDS_H

#include <stddef.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct ids_slot {
	uint64_t id;
	uint32_t row;			/* IDS_NONE: free */
};

struct ids {			/* zero-initialise */
	struct ids_slot *slots;
	size_t size;			/* power of two, 0 before the first insertion */
	size_t used;
};

/* IDS_NONE when nobody has the id. */
uint32_t ids_find(const struct ids *x, uint64_t id);
/* Puts it in, or gives it another row. -ENOMEM; not when it was there. */
int ids_put(struct ids *x, uint64_t id, uint32_t row);
/* No-op when it is not there. */
void ids_remove(struct ids *x, uint64_t id);
void ids_free(struct ids *x);

#endif
