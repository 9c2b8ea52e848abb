/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of sessions that share a task's weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/host/weights.h"

static uint64_t sum_of(struct levels split, uint32_t sessions)
{
	return (uint64_t)split.better * level_weight(split.level) +
	       (uint64_t)(sessions - split.better) * level_weight(split.level + 1);
}

static void test_a_single_session_has_its_tasks_level(void **state)
{
	(void)state;
	for (int level = LEVEL_BEST; level <= LEVEL_WEAKEST; level++) {
		assert_int_equal(levels_split(level, 1).level, level);
		assert_int_equal(levels_split(level, 1).better, 1);
		assert_int_equal(levels_split(level, 0).level, level);
	}
}

/* No level would bring the sum closer: the difference is at most half a step of one session. */
static void test_sessions_together_weigh_as_much_as_their_task(void **state)
{
	unsigned floors = 0;

	(void)state;
	for (int level = LEVEL_BEST; level <= LEVEL_WEAKEST; level++) {
		for (uint32_t n = 1; n <= 6000; n = n < 200 ? n + 1 : n + 97) {
			struct levels split = levels_split(level, n);
			int64_t whole = level_weight(level), sum = (int64_t)sum_of(split, n), step;

			assert_true(split.level >= level && split.level <= LEVEL_WEAKEST && split.better <= n);
			if ((int64_t)n * level_weight(LEVEL_WEAKEST) >= whole) {
				floors++;
				assert_int_equal(sum, (int64_t)n * level_weight(LEVEL_WEAKEST));
				continue;
			}
			step = (int64_t)level_weight(split.level) - level_weight(split.level + 1);
			assert_true(2 * llabs(sum - whole) <= step);
		}
	}
	assert_true(floors > 0);
}

static void test_more_sessions_never_get_better_levels(void **state)
{
	(void)state;
	for (int level = LEVEL_BEST; level <= LEVEL_WEAKEST; level++) {
		struct levels before = levels_split(level, 1);

		for (uint32_t n = 2; n < 3000; n++) {
			struct levels split = levels_split(level, n);

			assert_true(split.level >= before.level);
			before = split;
		}
	}
}

static void test_levels_have_the_weights_of_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(level_weight(0), 1024);
	assert_int_equal(level_weight(-20), 88761);
	assert_int_equal(level_weight(8), 172);
	assert_int_equal(level_weight(19), 15);
	assert_int_equal(level_weight(20), 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_single_session_has_its_tasks_level),
		cmocka_unit_test(test_sessions_together_weigh_as_much_as_their_task),
		cmocka_unit_test(test_more_sessions_never_get_better_levels),
		cmocka_unit_test(test_levels_have_the_weights_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
