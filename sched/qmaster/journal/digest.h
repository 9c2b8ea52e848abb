/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of all that a run has published (columns.h), 128 bits for each table: XXH3, summed over
 * the jobs, so that it does not matter at which row a job stands. Two schedulers that have computed
 * the same have the same ones; one that has computed something else has them by chance with a
 * probability of 2^-128. They are no defence against somebody who means to deceive.
 */
#ifndef SCHED_QMASTER_JOURNAL_DIGEST_H
#define SCHED_QMASTER_JOURNAL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/read.h"

struct result_digest { uint64_t low, high; };

enum { DIGEST_HEAD, DIGEST_JOBS, DIGEST_JOBS_OF_CYCLE, DIGEST_PARAMS, DIGEST_TABLES, DIGESTS = 40 };

struct digests {			/* all zero: of nothing */
	/* DIGEST_TABLES + i: of result_tables[i] */
	struct result_digest of[DIGESTS];
	/* of negotiation, which DIGEST_JOBS_OF_CYCLE and some tables are of */
	uint64_t cycle;
};

/* Of the view's generation, whose section is open. -ENOMEM. */
int digests_make(struct digests *digests, const struct view *view);

/* "jobs", "share tree"; NULL: there is none with this number. */
const char *digest_name(unsigned i);
/* Is it about the last negotiation cycle, which may be older than the run? */
bool digest_is_of_cycle(unsigned i);

/* The first one that differs; DIGESTS: none. `cycles`: those of the last cycle count, too. */
unsigned digests_compare(const struct digests *a, const struct digests *b, bool cycles);

#endif
