/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many bytes of the store each user's jobs take: a running sum, so that one more job is held
 * against it at no cost. A job counts until the store has it no more. What is counted follows the
 * store's changes; after a rollback it is counted anew.
 */
#ifndef SCHED_QMASTER_LOCAL_FOOTPRINT_H
#define SCHED_QMASTER_LOCAL_FOOTPRINT_H

#include <stdint.h>

#include "conf/index.h"

struct footprints {		/* zero: of nothing. Rows of jobs have no order */
	uint32_t *numbers, *owners, *bytes;	/* of jobs; an owner is a row of the users */
	size_t n, capacity;
	struct index by_number;
	uint32_t *uids;		/* of users */
	uint64_t *sums;
	size_t nusers, users_capacity;
	struct index by_uid;
};

/* A job takes so many bytes now, whatever it took before. -ENOMEM: nothing has changed. */
int footprint_set(struct footprints *footprints, uint32_t number, uint32_t uid, uint32_t bytes);
void footprint_drop(struct footprints *footprints, uint32_t number);	/* no-op if it is not there */
uint32_t footprint_of_job(const struct footprints *footprints, uint32_t number);
uint64_t footprint_of_user(const struct footprints *footprints, uint32_t uid);
/* Return how many jobs a user has. The numbers of the first `most` that are found are written, in no order. */
size_t footprint_jobs(const struct footprints *footprints, uint32_t uid, uint32_t *numbers, size_t most);
void footprints_free(struct footprints *footprints);	/* it is of nothing then, and as usable as before */

#endif
