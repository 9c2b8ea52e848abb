/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "urgency/multifactor.h"

#define EQUAL(value, expected) equal_at(__FILE__, __LINE__, #value, value, expected)

static void equal_at(const char *file, int line, const char *what, double value, double expected)
{
	if (value == expected)
		return;
	print_error("%s:%d: %s is %.17g, not %.17g\n", file, line, what, value, expected);
	_fail(file, line);
}

/* Age */

static void test_age_grows_to_one_at_max_age(void **state)
{
	(void)state;
	EQUAL(age_factor(1030, 1000, 120), 0.25);
	EQUAL(age_factor(1119, 1000, 120), 119.0 / 120);
	EQUAL(age_factor(1120, 1000, 120), 1);
	EQUAL(age_factor(1LL << 60, 1000, UINT32_MAX), 1);
	EQUAL(age_factor(INT64_MAX, INT64_MIN, 120), 1);
}

static void test_age_is_zero_before_it_begins(void **state)
{
	(void)state;
	EQUAL(age_factor(1000, 0, 120), 0);
	EQUAL(age_factor(1000, 1001, 120), 0);
	EQUAL(age_factor(1000, 0, 0), 0);
}

static void test_no_max_age_makes_all_old_at_once(void **state)
{
	(void)state;
	EQUAL(age_factor(1000, 1000, 0), 1);
	/* Slurm 22.05.8 gives this factor to a job that begins in an hour. */
	EQUAL(age_factor(1000, 4600, 0), 1);
}

/* Size: 16 nodes of 8 cpus */

static double size(struct size_rule rule, uint32_t nodes, uint64_t cpus, uint32_t minutes)
{
	rule.nodes = 16;
	rule.cpus = 128;
	return size_factor(&rule, &(struct job_size){ nodes, cpus, minutes });
}

static void test_size_is_the_mean_of_nodes_and_cpus(void **state)
{
	const struct size_rule large = { 0 }, small = { .favor_small = true };
	(void)state;
	EQUAL(size(large, 1, 20, 60), 0.109375);
	EQUAL(size(large, 16, 128, 60), 1);
	EQUAL(size(small, 1, 20, 60), 1 - 0.109375);
	EQUAL(size(small, 16, 128, 60), 0);
	EQUAL(size(small, 1, 1, 60), (15.0 / 16 + 127.0 / 128) / 2);
}

static void test_size_is_that_of_nodes_when_cpus_are_unknown_and_in_2009(void **state)
{
	const struct size_rule large = { 0 }, small = { .favor_small = true };
	const struct size_rule large_2009 = { .nodes_only = true },
			       small_2009 = { .nodes_only = true, .favor_small = true };
	(void)state;
	EQUAL(size(large, 4, 0, 60), 0.25);
	EQUAL(size(small, 4, 0, 60), 0.75);
	EQUAL(size(large_2009, 4, 128, 60), 0.25);
	EQUAL(size(small_2009, 4, 128, 60), 0.75);
}

/* Numbers of a real Slurm, whose weight was 2000. */
static void test_size_relative_to_time_equals_the_recorded_values(void **state)
{
	const struct size_rule large = { .relative_to_time = true },
			       small = { .relative_to_time = true, .favor_small = true };
	(void)state;
	EQUAL(2000 * size(large, 1, 1, 60), 2.0833333333333335);
	EQUAL(2000 * size(small, 1, 1, 60), 1997.9166666666665);
}

static void test_size_relative_to_time_uses_the_larger_of_nodes_and_cpus(void **state)
{
	const struct size_rule rule = { .relative_to_time = true };
	(void)state;
	EQUAL(size(rule, 2, 3, 1), 0.125);
	EQUAL(size(rule, 2, 32, 1), 0.25);
	EQUAL(size(rule, 2, 0, 2), 0.0625);
	EQUAL(size(rule, 2, 0, 0), 0.125);
}

static void test_jobs_larger_than_the_cluster_stay_within_the_range(void **state)
{
	(void)state;
	for (int k = 0; k < 8; k++) {
		const struct size_rule rule = { .favor_small = k & 1, .relative_to_time = k & 2, .nodes_only = k & 4 };
		EQUAL(size(rule, UINT32_MAX, UINT64_MAX, 1),
		      rule.favor_small && rule.relative_to_time && !rule.nodes_only ? 0 : 1);
	}
}

/*
 * Slurm 22.05.8 gave this factor to jobs of 28 and 24 processors on three nodes with ten. The
 * remaining part of the cluster is unsigned there.
 */
static void test_jobs_larger_than_the_cluster_count_as_small_in_slurm(void **state)
{
	const struct size_rule small = { .nodes = 3, .cpus = 10, .favor_small = true };
	(void)state;
	EQUAL(size_factor(&small, &(struct job_size){ 2, 28, 90 }), 1);
	EQUAL(size_factor(&small, &(struct job_size){ 3, 24, 1 }), 1);
	EQUAL(size_factor(&small, &(struct job_size){ 4, 1, 1 }), 1);
	EQUAL(size_factor(&small, &(struct job_size){ 3, 10, 1 }), 0);
}

static void test_a_rule_of_nodes_needs_no_processors_of_the_cluster(void **state)
{
	const struct size_rule rule = { .nodes = 8, .nodes_only = true }, relative = { .nodes = 8, .nodes_only = true,
										       .relative_to_time = true };
	(void)state;
	EQUAL(size_factor(&rule, &(struct job_size){ 2, 64, 90 }), 0.25);
	EQUAL(size_factor(&relative, &(struct job_size){ 2, 64, 90 }), 0.25);
}

static void test_an_empty_cluster_gives_no_size(void **state)
{
	const struct job_size job = { 1, 1, 1 };
	(void)state;
	for (int k = 0; k < 8; k++) {
		struct size_rule rule = {
			.cpus = 8, .favor_small = k & 1, .relative_to_time = k & 2, .nodes_only = k & 4
		};
		EQUAL(size_factor(&rule, &job), 0);
		rule = (struct size_rule){ .nodes = 1, .favor_small = k & 1, .relative_to_time = k & 2 };
		EQUAL(size_factor(&rule, &job), 0);
	}
}

/* The other factors, and the sum */

static void test_ranks_are_fractions_of_the_largest_or_unchanged(void **state)
{
	(void)state;
	EQUAL(rank_factor(10, 40, false), 0.25);
	EQUAL(rank_factor(10, 40, true), 10);
	EQUAL(rank_factor(0, 0, false), 0);
	EQUAL(tres_factor(16, 128, false), 0.125);
	EQUAL(tres_factor(16, 128, true), 16);
	EQUAL(tres_factor(16, 0, false), 0);
}

static void test_all_terms_are_summed_and_nice_is_subtracted(void **state)
{
	const struct multifactor_terms terms = { 1, 2, 4, 8, 16, 32, 64, 128, 1 };
	(void)state;
	EQUAL(multifactor_sum(&terms), 254);
}

static void test_priority_is_cut_off_at_both_ends_and_after_the_point(void **state)
{
	(void)state;
	assert_int_equal(multifactor_priority(4084.99, 1), 4084);
	assert_int_equal(multifactor_priority(0.5, 1), 1);
	assert_int_equal(multifactor_priority(-1e300, 2), 2);
	assert_int_equal(multifactor_priority(4294967294.9, 1), 4294967294u);
	assert_int_equal(multifactor_priority(4294967295.0, 1), UINT32_MAX);
	assert_int_equal(multifactor_priority(1e300, 1), UINT32_MAX);
	assert_int_equal(multifactor_priority(NAN, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age_grows_to_one_at_max_age),
		cmocka_unit_test(test_age_is_zero_before_it_begins),
		cmocka_unit_test(test_no_max_age_makes_all_old_at_once),
		cmocka_unit_test(test_size_is_the_mean_of_nodes_and_cpus),
		cmocka_unit_test(test_size_is_that_of_nodes_when_cpus_are_unknown_and_in_2009),
		cmocka_unit_test(test_size_relative_to_time_equals_the_recorded_values),
		cmocka_unit_test(test_size_relative_to_time_uses_the_larger_of_nodes_and_cpus),
		cmocka_unit_test(test_jobs_larger_than_the_cluster_stay_within_the_range),
		cmocka_unit_test(test_jobs_larger_than_the_cluster_count_as_small_in_slurm),
		cmocka_unit_test(test_a_rule_of_nodes_needs_no_processors_of_the_cluster),
		cmocka_unit_test(test_an_empty_cluster_gives_no_size),
		cmocka_unit_test(test_ranks_are_fractions_of_the_largest_or_unchanged),
		cmocka_unit_test(test_all_terms_are_summed_and_nice_is_subtracted),
		cmocka_unit_test(test_priority_is_cut_off_at_both_ends_and_after_the_point),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
