/* SPDX-License-Identifier: Apache-2.0 */
/* From a number (of a process, a session, a job and its task) to the row that has it. */
#ifndef SCHED_HOST_IDS_H
#define SCHED_HOST_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "conf/index.h"

#define IDS_NONE INDEX_NONE

struct ids {			/* zero-initialise */
	struct index index;
	uint64_t *ids;			/* by row */
	uint32_t *hashes;
	size_t rows;			/* capacity of both */
};

/* IDS_NONE when nobody has the id. */
uint32_t ids_find(const struct ids *ids, uint64_t id);
/*
 * Puts it in, or gives it another row. A row has one id: the one that had it is removed, or given
 * another row, first. -ENOMEM; not when it was there, in this row or one behind it.
 */
int ids_put(struct ids *ids, uint64_t id, uint32_t row);
/* No-op when it is not there. */
void ids_remove(struct ids *ids, uint64_t id);
void ids_free(struct ids *ids);

#endif
