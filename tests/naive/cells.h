/* SPDX-License-Identifier: Apache-2.0 */
/* Cells for tests: built by hand or at random, computed by the naive or the real implementation. */
#ifndef TESTS_NAIVE_CELLS_H
#define TESTS_NAIVE_CELLS_H

#include "tests/naive/naive.h"

/*
 * Create an empty cell for a number of jobs: 10000 share tree and functional tickets, CF 5, OFS,
 * installed weights, clock 1000000.
 */
struct naive_cell *cell_new(size_t jobs);
void naive_cell_free(struct naive_cell *cell);

/* Add an object and return its index. Names are copied. At most CELL_OBJECTS of a kind. */
#define CELL_OBJECTS 64
int cell_object(struct naive_cell *cell, int kind, const char *name, uint32_t fshare, uint32_t oticket, double usage);

/*
 * Add a job to the end of the list: sequential, submitted at its number, objects -1 for none. Its
 * tasks are 1..running, then the pending ones.
 */
struct naive_job *cell_job(struct naive_cell *cell, uint32_t number, int user, int project, uint32_t running,
			   uint32_t pending);
void job_free_tasks(struct naive_job *job);

/*
 * Create a random cell. The same seed gives the same cell. `size`: approximate maximum number of
 * jobs.
 */
struct naive_cell *cell_random(uint64_t seed, size_t size);

/* Return a number below n, n >= 1. */
uint64_t random_below(uint64_t *state, uint64_t n);

/* Return the seed of a randomised test, FAIRLEAD_SEED or the clock, and print it. */
uint64_t seed_get(const char *test);

/* Return the number of random cells: FAIRLEAD_CELLS or n. */
size_t cells_wanted(size_t n);

/*
 * Compute a run like naive_run(), with tickets/ and urgency/. Results are stored in the same
 * members. Return how many values were clamped.
 */
uint64_t real_run(struct naive_cell *cell);

/* Set the number of threads that compute from now on. The initial number is one. */
void real_workers(unsigned n);

/* Describe the first difference of two computed cells; false if they are equal to the last bit. */
bool cells_differ(const struct naive_cell *a, const struct naive_cell *b, char *text, size_t size);

#endif
