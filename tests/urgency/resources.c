/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"
#include "urgency/resources.h"

/* Check the same request and rule in both implementations. */
static void check_slots(const struct slot_range *ranges, size_t n, enum urgency_slots rule, const char *text,
			uint32_t pe_slots, uint32_t expected)
{
	struct naive_range naive[4];
	for (size_t i = 0; i < n; i++)
		naive[i] = (struct naive_range){ ranges[i].min, ranges[i].max, ranges[i].step,
						 ranges[i].max == SLOTS_OPEN };
	const struct slots_rule slots_rule = { rule, rule == URGENCY_SLOTS_NUMBER ? expected : 0, pe_slots };
	assert_int_equal(naive_assumed_slots(naive, n, text, pe_slots), expected);
	assert_int_equal(assumed_slots(ranges, n, &slots_rule), expected);
}

static void test_a_range_uses_the_slots_setting_of_the_environment(void **state)
{
	const struct slot_range range[] = { { 2, 8, 1 } };
	(void)state;
	check_slots(range, 1, URGENCY_SLOTS_MIN, "min", 16, 2);
	check_slots(range, 1, URGENCY_SLOTS_MAX, "max", 16, 8);
	check_slots(range, 1, URGENCY_SLOTS_AVG, "avg", 16, 5);
	check_slots(range, 1, URGENCY_SLOTS_NUMBER, "3", 16, 3);
}

static void test_open_range_ends_at_the_slots_of_the_environment(void **state)
{
	const struct slot_range range[] = { { 4, SLOTS_OPEN, 1 } }, recorded[] = { { 3, SLOTS_OPEN, 1 } };
	(void)state;
	check_slots(range, 1, URGENCY_SLOTS_MIN, "min", 16, 4);
	check_slots(range, 1, URGENCY_SLOTS_MAX, "max", 16, 16);
	check_slots(range, 1, URGENCY_SLOTS_AVG, "avg", 16, 10);
	check_slots(recorded, 1, URGENCY_SLOTS_AVG, "avg", 48, 25);
}

static void test_average_is_of_all_numbers_and_truncated(void **state)
{
	const struct slot_range list[] = { { 1, 1, 1 }, { 4, 4, 1 }, { 9, 9, 1 } },
				uneven[] = { { 2, 5, 1 }, { 9, 11, 1 } }, one_and_ten[] = { { 1, 1, 1 }, { 10, 19, 1 } };
	(void)state;
	check_slots(list, 3, URGENCY_SLOTS_AVG, "avg", 16, 4);
	check_slots(uneven, 2, URGENCY_SLOTS_AVG, "avg", 16, 6);
	check_slots(one_and_ten, 2, URGENCY_SLOTS_AVG, "avg", 25, 13);
	check_slots(uneven, 2, URGENCY_SLOTS_MAX, "max", 16, 11);
	check_slots(uneven, 2, URGENCY_SLOTS_MIN, "min", 16, 2);
}

/* Observed with 25 slots: for 10,20,30 the mean is that of 10 and 20. */
static void test_the_average_is_that_of_the_numbers_of_a_step(void **state)
{
	const struct slot_range three[] = { { 10, 30, 10 } }, two[] = { { 1, 8, 7 } },
				list[] = { { 2, 4, 2 }, { 9, SLOTS_OPEN, 1 } };
	(void)state;
	check_slots(three, 1, URGENCY_SLOTS_AVG, "avg", 25, 15);
	check_slots(two, 1, URGENCY_SLOTS_AVG, "avg", 25, 4);
	check_slots(two, 1, URGENCY_SLOTS_MAX, "max", 25, 8);
	check_slots(list, 2, URGENCY_SLOTS_AVG, "avg", 25, 15);
}

/* Observed: a closed range counts no further than the environment has slots. */
static void test_the_average_leaves_out_slots_that_the_environment_does_not_have(void **state)
{
	const struct slot_range range[] = { { 2, 8, 1 } }, list[] = { { 2, 8, 1 }, { 16, 16, 1 } },
				beyond[] = { { 8, 12, 1 } };
	(void)state;
	check_slots(range, 1, URGENCY_SLOTS_AVG, "avg", 6, 4);
	check_slots(list, 2, URGENCY_SLOTS_AVG, "avg", 6, 4);
	check_slots(beyond, 1, URGENCY_SLOTS_AVG, "avg", 6, 0);
}

static void test_single_number_is_itself_whatever_the_rule(void **state)
{
	const struct slot_range one[] = { { 6, 6, 1 } };
	(void)state;
	check_slots(one, 1, URGENCY_SLOTS_MIN, "min", 16, 6);
	const struct slots_rule number = { URGENCY_SLOTS_NUMBER, 3, 16 };
	assert_int_equal(assumed_slots(one, 1, &number), 6);
	assert_int_equal(assumed_slots(one, 1, NULL), 6);
}

static void test_sequential_job_and_unknown_environment_count_one_slot(void **state)
{
	const struct slot_range range[] = { { 2, 8, 1 } };
	(void)state;
	assert_int_equal(assumed_slots(NULL, 0, NULL), 1);
	assert_int_equal(assumed_slots(range, 1, NULL), 1);
}

/* A range of four thousand million ids is summed without a loop and without an overflow. */
static void test_average_of_a_huge_range(void **state)
{
	const struct slot_range huge[] = { { 1, SLOTS_OPEN - 1, 1 } };
	const struct slots_rule avg = { URGENCY_SLOTS_AVG, 0, SLOTS_OPEN - 1 };
	(void)state;
	assert_int_equal(assumed_slots(huge, 1, &avg), 2147483647);
}

static void check_contribution(double slots_urgency, uint32_t slots, const struct request *requests, size_t n,
			       double expected)
{
	struct naive_request naive[4] = { { 0 } };
	for (size_t i = 0; i < n; i++)
		naive[i] = (struct naive_request){ requests[i].value, requests[i].urgency, requests[i].is_numeric };
	CHECK(naive_rrcontr(slots_urgency, slots, naive, n), expected);
	CHECK(resource_contribution(slots_urgency, slots, requests, n), expected);
}

static void test_slots_alone_contribute_their_urgency(void **state)
{
	(void)state;
	check_contribution(1000, 1, NULL, 0, 1000);
	check_contribution(1000, 4, NULL, 0, 4000);
}

static void test_numbers_are_multiplied_by_slots_and_strings_are_not(void **state)
{
	const struct request string[] = { { 0, 100, false } }, number[] = { { 3, 10, true } };
	(void)state;
	check_contribution(1000, 4, string, 1, 4100);
	check_contribution(1000, 4, number, 1, 4120);
}

static void test_contributions_are_added_in_the_order_of_the_requests(void **state)
{
	const struct request one[] = { { 1, 0.1, true }, { 1, 1e16, true }, { 1, -1e16, true } };
	const struct request two[] = { { 1, 1e16, true }, { 1, -1e16, true }, { 1, 0.1, true } };
	(void)state;
	check_contribution(0, 1, one, 3, 0);
	check_contribution(0, 1, two, 3, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_range_uses_the_slots_setting_of_the_environment),
		cmocka_unit_test(test_open_range_ends_at_the_slots_of_the_environment),
		cmocka_unit_test(test_average_is_of_all_numbers_and_truncated),
		cmocka_unit_test(test_the_average_is_that_of_the_numbers_of_a_step),
		cmocka_unit_test(test_the_average_leaves_out_slots_that_the_environment_does_not_have),
		cmocka_unit_test(test_single_number_is_itself_whatever_the_rule),
		cmocka_unit_test(test_sequential_job_and_unknown_environment_count_one_slot),
		cmocka_unit_test(test_average_of_a_huge_range),
		cmocka_unit_test(test_slots_alone_contribute_their_urgency),
		cmocka_unit_test(test_numbers_are_multiplied_by_slots_and_strings_are_not),
		cmocka_unit_test(test_contributions_are_added_in_the_order_of_the_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
