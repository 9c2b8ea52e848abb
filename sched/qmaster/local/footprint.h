/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of the store that the jobs of each user occupy, as running sums, so that a new job can be
 * checked cheaply.
 *
 * A job counts until it is removed from the store. The sums follow the changes of the store; after
 * a rollback they are counted again.
 */
#ifndef SCHED_QMASTER_LOCAL_FOOTPRINT_H
#define SCHED_QMASTER_LOCAL_FOOTPRINT_H

#include <stdint.h>

#include "conf/base/index.h"

struct footprints {		/* Zero-initialized: empty. Rows of jobs are unordered. */
	uint32_t *numbers, *owners, *bytes;	/* rows of jobs; an owner is a row of the users */
	size_t n, capacity;
	struct index by_number;
	uint32_t *uids;		/* rows of users */
	uint64_t *sums;
	size_t nusers, users_capacity;
	struct index by_uid;
};

/* Set the bytes of a job. On -ENOMEM nothing has changed. */
int footprint_set(struct footprints *footprints, uint32_t number, uint32_t uid, uint32_t bytes);
/* Remove a job. No effect if the job is not counted. */
void footprint_drop(struct footprints *footprints, uint32_t number);
uint32_t footprint_of_job(const struct footprints *footprints, uint32_t number);
uint64_t footprint_of_user(const struct footprints *footprints, uint32_t uid);
/*
 * Return the number of jobs of a user. The numbers of the first `most` that are found are written,
 * in no order.
 */
size_t footprint_jobs(const struct footprints *footprints, uint32_t uid, uint32_t *numbers, size_t most);
void footprints_free(struct footprints *footprints);	/* empty and usable afterwards */

#endif
