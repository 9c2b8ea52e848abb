/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table from a number (of a process, a session, or a job and its task) to a row. */
#ifndef SCHED_HOST_IDS_H
#define SCHED_HOST_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/index.h"

#define IDS_NONE INDEX_NONE

struct ids {			/* Zero-initialized. */
	struct index index;
	uint64_t *ids;			/* ids in the order of rows */
	uint32_t *hashes;
	size_t rows;			/* capacity of both arrays */
};

/* Return the row of an id, or IDS_NONE. */
uint32_t ids_find(const struct ids *ids, uint64_t id);
/*
 * Insert an id, or move it to another row. A row has one id: before a row is reused, its old id
 * must be removed or moved. Returns -ENOMEM, but never if the id already was in this row or in a
 * higher one.
 */
int ids_put(struct ids *ids, uint64_t id, uint32_t row);
/* Remove an id, if it exists. */
void ids_remove(struct ids *ids, uint64_t id);
void ids_free(struct ids *ids);

#endif
