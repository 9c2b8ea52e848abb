/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of values, compared with counting. FAIRLEAD_SEED=n sets the seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/dispatch/search/numbers.h"

enum { HOSTS = 600, VALUES = 400 };

static unsigned seed_of(const char *what)
{
	const char *text = getenv("FAIRLEAD_SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : 4711;

	print_message("%s: FAIRLEAD_SEED=%u\n", what, seed);
	srandom(seed);
	return seed;
}

static void numbers_agree(const struct numbers *numbers, const unsigned *hosts)
{
	uint32_t number = 0;

	for (unsigned v = 0; v < VALUES; v++) {
		assert_int_equal(numbers_of(numbers, v - 12.5), number);
		if (hosts[v] > 0)
			assert_float_equal(numbers_value(numbers, number++), v - 12.5, 0);
	}
	assert_true(numbers_value(numbers, number) == INFINITY && numbers_value(numbers, number + 7) == INFINITY);
}

static void test_equal_values_have_one_number_and_the_next_the_next(void **state)
{
	struct numbers numbers = { 0 };

	(void)state;
	seed_of("numbers");
	for (int life = 0; life < 20; life++) {
		unsigned hosts[VALUES] = { 0 }, value[HOSTS];

		assert_int_equal(numbers_begin(&numbers, VALUES), 0);
		for (int h = 0; h < HOSTS; h++) {
			value[h] = (unsigned)random() % VALUES;
			hosts[value[h]]++;
			numbers_add(&numbers, value[h] - 12.5);
		}
		for (int k = 0; k < 2000; k++) {
			int h = (int)(random() % HOSTS);

			numbers_agree(&numbers, hosts);
			hosts[value[h]]--;
			numbers_remove(&numbers, value[h] - 12.5);
			value[h] = (unsigned)random() % (life % 2 ? VALUES : 5);
			hosts[value[h]]++;
			numbers_add(&numbers, value[h] - 12.5);
		}
	}
	numbers_free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_values_have_one_number_and_the_next_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
