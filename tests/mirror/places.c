/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool takes over the positions of another one, so that a process that resumes a state keeps the
 * positions of that state.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/mirror/pool.h"

static uint32_t hold(struct pool *pool, uint32_t key)
{
	bool is_new;

	return pool_hold(pool, &key, &is_new);
}

static void test_numbers_are_assigned_as_in_the_other_pool(void **state)
{
	struct pool live, again;

	(void)state;
	pool_create(&live, sizeof(uint32_t));
	pool_create(&again, sizeof(uint32_t));
	for (uint32_t key = 0; key < 100; key++)
		hold(&live, key);
	for (uint32_t key = 7; key < 90; key += 3)
		pool_drop(&live, (key * 37) % 100);
	assert_int_equal(pool_arrange(&again, live.n, live.free_ids, live.nfree), 0);
	pool_each(id, &live)
		assert_int_equal(hold(&again, *(const uint32_t *)pool_key(&live, id)), id);
	for (uint32_t key = 1000; key < 1100; key++)
		assert_int_equal(hold(&again, key), hold(&live, key));
	pool_destroy(&live);
	pool_destroy(&again);
}

static void test_places_that_cannot_be_are_refused(void **state)
{
	const uint32_t beyond[] = { 1, 4 }, twice[] = { 2, 2 };
	struct pool pool;

	(void)state;
	pool_create(&pool, sizeof(uint32_t));
	assert_int_equal(pool_arrange(&pool, 4, beyond, 2), -EINVAL);
	assert_int_equal(pool_arrange(&pool, 4, twice, 2), -EINVAL);
	assert_int_equal(pool_arrange(&pool, 1, twice, 2), -EINVAL);
	assert_int_equal(hold(&pool, 5), 0);
	assert_int_equal(pool_arrange(&pool, 4, beyond, 1), -EINVAL);
	pool_destroy(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_assigned_as_in_the_other_pool),
		cmocka_unit_test(test_places_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
