/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of each user's jobs: the running sum equals a sum over all jobs after any events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/qmaster/local/footprint.h"

#define JOBS 200
#define USERS 20
#define STEPS 20000

static uint32_t owner[JOBS], bytes[JOBS];

static void compare(const struct footprints *footprints)
{
	uint32_t numbers[3 * JOBS] = { 0 };

	for (uint32_t uid = 0; uid < USERS; uid++) {
		size_t n = footprint_jobs(footprints, uid, numbers, JOBS),
		       some = footprint_jobs(footprints, uid, numbers + JOBS, 3);
		uint64_t sum = 0;

		assert_int_equal(some, n);
		assert_int_equal(numbers[JOBS + 3], 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(owner[numbers[k]], uid);

		for (uint32_t number = 0; number < JOBS; number++)
			sum += owner[number] == uid ? bytes[number] : 0;
		assert_int_equal(footprint_of_user(footprints, uid), sum);
	}
	for (uint32_t number = 0; number < JOBS; number++)
		assert_int_equal(footprint_of_job(footprints, number), bytes[number]);
}

static void test_sums_are_those_of_the_existing_jobs(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	struct footprints footprints = { 0 };

	(void)state;
	print_message("SEED=%u\n", seed);
	for (int step = 0; step < STEPS; step++) {
		uint32_t number = (uint32_t)rand_r(&seed) % JOBS;

		if (rand_r(&seed) % 3 == 0) {
			footprint_drop(&footprints, number);
			bytes[number] = 0;
		} else {
			owner[number] = (uint32_t)rand_r(&seed) % USERS;
			bytes[number] = (uint32_t)rand_r(&seed) % (1 << 20);
			assert_int_equal(footprint_set(&footprints, number, owner[number], bytes[number]), 0);
		}
		if (step % 100 == 0)
			compare(&footprints);
		if (step == STEPS / 2) {
			footprints_free(&footprints);
			memset(bytes, 0, sizeof(bytes));
		}
	}
	compare(&footprints);
	footprints_free(&footprints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_those_of_the_existing_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
