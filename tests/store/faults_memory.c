/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation in a short life of a store fails in turn. Afterwards the process is killed or
 * the power fails. The requirements are those for a failing disk, see faults.c.
 */
#include "tests/store/faulty_life.h"

static void test_failing_allocations_lose_no_data_and_leave_none(void **state)
{
	(void)state;
#ifdef CAN_FAIL
	uint32_t whole = test.transactions;
	unsigned n = 0;
	bool failed;

	counts_clear();
	test.transactions = 4;
	do {
		disk_watch(test.live, ++test.seed);
		memset(test.fate, 0, sizeof(test.fate));
		left = n++;
		live(1, test.transactions);
		failed = left < 0;
		left = -1;
		disk_images_check(test.image, image_check);
		disk_forget();
		directory_clear(test.live);
	} while (failed);
	test.transactions = whole;
	print_message(
		"%u allocations, each fails: %u images; transactions refused %u, unsure %u, stores not opened %u\n", n,
		test.images, test.refused, test.unsure, test.not_opened);
	assert_true(n > 200);
	check_nothing_wrong();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_allocations_lose_no_data_and_leave_none),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
