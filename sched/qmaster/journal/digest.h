/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of the results that a run has published (columns.h), 128 bits for each table. They use
 * XXH3, summed over the jobs, so that the rows of jobs do not matter. Schedulers with the same
 * results have the same digests. Different results have the same digests with a probability of
 * 2^-128. The digests do not protect against deliberate forgery.
 */
#ifndef SCHED_QMASTER_JOURNAL_DIGEST_H
#define SCHED_QMASTER_JOURNAL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/read.h"

struct result_digest { uint64_t low, high; };

enum { DIGEST_HEAD, DIGEST_JOBS, DIGEST_JOBS_OF_CYCLE, DIGEST_PARAMS, DIGEST_TABLES, DIGESTS = 40 };

struct digests {			/* zero: no results */
	/* DIGEST_TABLES + i is for result_tables[i]. */
	struct result_digest of[DIGESTS];
	/* Negotiation cycle of DIGEST_JOBS_OF_CYCLE and of some tables. */
	uint64_t cycle;
};

/* Compute the digests of the view's generation, whose section is open. -ENOMEM. */
int digests_make(struct digests *digests, const struct view *view);

/* Return the name, such as "jobs" or "share tree". NULL: no such digest. */
const char *digest_name(unsigned i);

/*
 * Return the first digest that differs, DIGESTS if none. `cycles`: include those of the last cycle.
 */
unsigned digests_compare(const struct digests *a, const struct digests *b, bool cycles);

#endif
