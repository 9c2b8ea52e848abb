/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of a family and its test, in shared memory. Each waits for a step of the other instead
 * of a time.
 */
#ifndef TESTS_HOST_PROGRESS_H
#define TESTS_HOST_PROGRESS_H

#include <sys/mman.h>

#include "tests/host/family.h"

#define TRIES 6000		/* every 20 ms: two minutes */

static volatile struct {
	int done;		/* completed steps of the family */
	pid_t pid;		/* the process that made the last step */
	int rounds;		/* rounds of the test */
} *progress;

/* Set up a group of tests. */
static inline int progress_setup(void **state)
{
	(void)state;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return progress == MAP_FAILED ? -1 : 0;
}

/* Start a family whose processes call step_done(). */
static inline pid_t family_begin(void (*body)(void))
{
	progress->done = progress->rounds = 0;
	return family_start(body);
}

static inline void step_done(void)
{
	progress->pid = getpid();
	__atomic_add_fetch(&progress->done, 1, __ATOMIC_SEQ_CST);
}

static inline void wait_for_steps(int done)
{
	for (int k = 0; k < TRIES && progress->done < done; k++)
		doze(20);
	assert_int_equal(progress->done, done);
}

#endif
