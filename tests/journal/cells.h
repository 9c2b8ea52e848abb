/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cells with random events, kept in a journal and computed again from it. Each order and all
 * published values are the same, with one worker and with two, from the beginning, from a later run
 * and from each part of the journal alone. FAIRLEAD_SEED=n sets the seed.
 */
#ifndef TESTS_JOURNAL_CELLS_H
#define TESTS_JOURNAL_CELLS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/journal/kept.h"
#include "tests/run/detached.h"

enum { CELLS = 6, RUNS = 20, PART_BYTES = 24 << 10 };

struct kind_of_cell {
	void (*make)(struct fixture *fixture);
	void (*go_on)(struct story *story);
	int (*setup)(void **state);
	bool values;			/* values of each run, not only of every second cell */
};

static inline uint64_t seed_given(void)
{
	const char *given = getenv("FAIRLEAD_SEED");

	return given ? strtoull(given, NULL, 10) : 1;
}

static inline unsigned cells_given(void)
{
	const char *given = getenv("FAIRLEAD_CELLS");

	return given ? (unsigned)atoi(given) : CELLS;
}

/* Keep a number of runs of a cell. */
static inline void kept_story(struct kept_runs *kept, const struct kind_of_cell *kind, struct fixture *fixture,
			      uint64_t seed, unsigned runs, uint64_t bytes, bool values)
{
	struct story story = { fixture, 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u, 0, NOW };

	kind->make(fixture);
	kept_begin(kept, fixture, bytes, values);
	for (unsigned k = 0; k < runs; k++) {
		kind->go_on(&story);
		kept_run(kept, story.now);
	}
	kept_end(kept);
}

static inline void kept_next(struct kept_runs *kept, const struct kind_of_cell *kind, void **state)
{
	kept_remove(kept);
	assert_int_equal(teardown(state), 0);
	assert_int_equal(kind->setup(state), 0);
}

static inline void runs_are_made_again(void **state, const struct kind_of_cell *kind)
{
	uint64_t seed = seed_given();

	for (unsigned cell = 0; cell < cells_given(); cell++, seed++) {
		struct kept_runs kept;
		char where[80];

		snprintf(where, sizeof(where), "FAIRLEAD_SEED=%" PRIu64, seed);
		kept_story(&kept, kind, *state, seed, RUNS, 0, kind->values || cell % 2);
		kept_same(&kept, 0, RUNS, 1, where);
		kept_same(&kept, 5, RUNS - 4, 2, where);
		kept_next(&kept, kind, state);
	}
}

/* Use parts of a size that makes a new one every few runs. */
static inline void parts_alone_lead_to_the_same(void **state, const struct kind_of_cell *kind)
{
	uint64_t seed = seed_given(), parts = 0;

	for (unsigned cell = 0; cell < cells_given(); cell++, seed++) {
		struct kept_runs kept;
		char where[80];

		snprintf(where, sizeof(where), "FAIRLEAD_SEED=%" PRIu64, seed);
		kept_story(&kept, kind, *state, seed, 2 * RUNS, JOURNAL_FILES * PART_BYTES, true);
		for (unsigned file = 0; file < JOURNAL_FILES; file++)
			parts += kept_same_alone(&kept, file, where) > 1;
		kept_same(&kept, 2 * RUNS, 1, 1, where);
		kept_next(&kept, kind, state);
	}
	assert_true(parts >= 2 * cells_given());
}

#endif
