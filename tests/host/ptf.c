/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "sched/host/ptf.h"
#include "sched/host/weights.h"

#define S 1000000000ull

struct row {
	double tickets, usage;
	uint32_t processes;
	double share, current;
	int nice;
};

/* Set usage directly, without the tenth that remains after a message. */
static void jobs_set(struct ptf *ptf, const struct row *rows, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		assert_int_equal(ptf_hold(ptf, (uint32_t)k + 1), 0);
		ptf_tickets(ptf, (uint32_t)k + 1, rows[k].tickets);
		ptf->jobs[k].usage = rows[k].usage;
		ptf->jobs[k].processes = rows[k].processes;
	}
}

static void check(const struct row *rows, size_t n, int min, int max)
{
	struct ptf ptf;

	ptf_init(&ptf, min, max);
	jobs_set(&ptf, rows, n);
	assert_true(ptf_adjust(&ptf, 0));
	for (size_t k = 0; k < n; k++) {
		assert_true(ptf.jobs[k].share == rows[k].share);
		assert_true(ptf.jobs[k].current == rows[k].current);
		assert_int_equal(ptf_nice(&ptf, (uint32_t)k + 1), rows[k].nice);
	}
	ptf_free(&ptf);
}

static void test_fewer_tickets_make_nicer(void **state)
{
	(void)state;
	check((struct row[]){ { 7000, 100, 1, 701, 0.000203499789377718, 0 },
			      { 3000, 100, 1, 301, 0.0011037405768148255, 16 } },
	      2, PTF_UNSET, PTF_UNSET);
}

static void test_many_processes_and_much_usage_make_nicer(void **state)
{
	(void)state;
	check((struct row[]){ { 7000, 100, 1, 700.9300069993001, 0.000203540433299137, 0 },
			      { 3000, 100, 4, 300.9700029997, 0.004415842409755332, 0 },
			      { 1, 1, 1, 1.0999900009999, 0.8591823788399746, 19 } },
	      3, PTF_UNSET, PTF_UNSET);
	check((struct row[]){ { 5000, 1, 1, 501, 3.9840478723192335e-06, 0 },
			      { 5000, 200, 1, 501, 0.0007968095744638467, 19 } },
	      2, PTF_UNSET, PTF_UNSET);
	check((struct row[]){ { 1, 50, 1, 501, 0.00019920239361596168, 0 },
			      { 1, 50, 2, 501, 0.00039840478723192336, 10 } },
	      2, PTF_UNSET, PTF_UNSET);
}

static void test_levels_lie_between_the_limits(void **state)
{
	(void)state;
	check((struct row[]){ { 7000, 100, 1, 701, 0.000203499789377718, -5 },
			      { 3000, 100, 1, 301, 0.0011037405768148255, 7 } },
	      2, 10, -5);
}

static void test_limits_are_cut_to_the_possible_range(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, 50, -50);
	assert_int_equal(ptf.weakest, 20);
	assert_int_equal(ptf.best, -20);
	ptf_init(&ptf, 3, 7);
	assert_int_equal(ptf.weakest, 3);
	assert_int_equal(ptf.best, 3);
}

static void test_a_single_job_gets_the_best_level(void **state)
{
	(void)state;
	check((struct row[]){ { 10, 5, 3, 1001, 15.0 / (1001.0 * 1001.0), 0 } }, 1, PTF_UNSET, PTF_UNSET);
}

static void test_tickets_are_cut_and_at_least_one(void **state)
{
	static const double given[] = { 0.4, 12.9, -3, NAN, INFINITY, 0 };
	static const uint32_t taken[] = { 1, 12, 1, 1, UINT32_MAX, 1 };
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	assert_int_equal(ptf_hold(&ptf, 7), 0);
	for (size_t k = 0; k < sizeof(given) / sizeof(given[0]); k++) {
		ptf_tickets(&ptf, 7, given[k]);
		assert_int_equal(ptf.jobs[0].tickets, taken[k]);
	}
	ptf_free(&ptf);
}

static void test_a_message_within_two_seconds_changes_only_known_values(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	jobs_set(&ptf,
		 (struct row[]){ { .tickets = 7000, .usage = 100, .processes = 1 },
				 { .tickets = 3000, .usage = 100, .processes = 1 } },
		 2);
	assert_true(ptf_adjust(&ptf, 10 * S));
	ptf_tickets(&ptf, 1, 1000);
	assert_true(ptf.jobs[0].usage == 10);
	assert_true(ptf.jobs[0].current == 0);
	assert_false(ptf_adjust(&ptf, 12 * S - 1));
	assert_int_equal(ptf_nice(&ptf, 1), 0);
	assert_true(ptf_adjust(&ptf, 12 * S));
	ptf_free(&ptf);
}

static void test_tasks_of_an_array_share_a_record_and_the_last_wins(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	assert_int_equal(ptf_hold(&ptf, 7), 0);
	assert_int_equal(ptf_hold(&ptf, 7), 0);
	ptf_tickets(&ptf, 7, 100);
	ptf_tickets(&ptf, 7, 900);
	assert_int_equal(ptf.n, 1);
	assert_int_equal(ptf.jobs[0].tickets, 900);
	ptf_drop(&ptf, 7);
	assert_int_equal(ptf.n, 1);
	ptf_drop(&ptf, 7);
	assert_int_equal(ptf.n, 0);
	ptf_tickets(&ptf, 7, 5);
	assert_int_equal(ptf.n, 0);
	ptf_free(&ptf);
}

/* Neither listed nor collected: usage 0, so it gets the best level for any tickets. */
static void test_an_unknown_job_gets_the_best_level(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	assert_int_equal(ptf_hold(&ptf, 1), 0);
	assert_int_equal(ptf_hold(&ptf, 2), 0);
	ptf_tickets(&ptf, 2, 1000);
	assert_true(ptf_adjust(&ptf, 0));
	assert_int_equal(ptf_nice(&ptf, 1), 0);
	assert_int_equal(ptf_nice(&ptf, 2), 20);
	ptf_free(&ptf);
}

static void test_an_unlisted_task_without_usage_has_the_weakest_level(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	assert_int_equal(ptf_hold(&ptf, 1), 0);
	assert_true(ptf_adjust(&ptf, 0));
	assert_int_equal(ptf_nice(&ptf, 1), 20);
	ptf_free(&ptf);
}

static void collect(struct ptf *ptf, double first, double second)
{
	ptf_collect(ptf, 7, first, 2);
	ptf_collect(ptf, 7, second, 1);
	ptf_collected(ptf);
}

static void test_usage_is_counted_since_about_the_last_message(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	assert_int_equal(ptf_hold(&ptf, 7), 0);
	assert_int_equal(ptf_hold(&ptf, 7), 0);
	collect(&ptf, 0.25, 0.25);
	assert_true(ptf.jobs[0].usage == 1);
	assert_int_equal(ptf.jobs[0].processes, 3);
	collect(&ptf, 30, 20.5);
	assert_true(ptf.jobs[0].usage == 51);
	ptf_tickets(&ptf, 7, 5);
	assert_true(ptf.jobs[0].usage == 0.1 * 51);
	ptf_collect(&ptf, 7, 30, 2);	/* the other task has ended */
	ptf_collected(&ptf);
	assert_true(ptf.jobs[0].usage == 1);
	ptf_free(&ptf);
}

static void test_jobs_that_are_not_listed_keep_adding(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	jobs_set(&ptf,
		 (struct row[]){ { .tickets = 1, .usage = 1, .processes = 1 },
				 { .tickets = 1, .usage = 1, .processes = 1 } },
		 2);
	assert_true(ptf_adjust(&ptf, 0));
	ptf_tickets(&ptf, 1, 1);
	assert_true(ptf_adjust(&ptf, 2 * S));
	assert_true(ptf.jobs[1].current == 2 * ptf.jobs[0].current);
	assert_int_equal(ptf_nice(&ptf, 1), 0);
	assert_int_equal(ptf_nice(&ptf, 2), 10);
	ptf_free(&ptf);
}

static void test_jobs_are_found_after_others_have_ended(void **state)
{
	struct ptf ptf;

	(void)state;
	ptf_init(&ptf, PTF_UNSET, PTF_UNSET);
	for (uint32_t job = 1; job <= 1000; job++)
		assert_int_equal(ptf_hold(&ptf, job * 64), 0);
	for (uint32_t job = 1; job <= 1000; job += 3)
		ptf_drop(&ptf, job * 64);
	for (uint32_t job = 1; job <= 1000; job++)
		ptf_tickets(&ptf, job * 64, job);
	assert_int_equal(ptf.n, 666);
	for (size_t k = 0; k < ptf.n; k++) {
		assert_int_equal(ptf.jobs[k].tickets, ptf.jobs[k].job_number / 64);
		assert_true(k == 0 || ptf.jobs[k].job_number > ptf.jobs[k - 1].job_number);
	}
	ptf_free(&ptf);
}

static void check_weights(size_t n, const double *given, const unsigned *expected)
{
	struct cpu_weights weights = { 0 };

	for (size_t k = 0; k < n; k++)
		weights_add(&weights, given[k]);
	for (size_t k = 0; k < n; k++)
		assert_int_equal(weight_of(&weights, given[k]), expected[k]);
}

static void test_weights_are_in_proportion_to_tickets(void **state)
{
	(void)state;
	check_weights(2, (double[]){ 300, 100 }, (unsigned[]){ 150, 50 });
	check_weights(3, (double[]){ 0.5, 1, 1.5 }, (unsigned[]){ 50, 100, 150 });
	check_weights(3, (double[]){ 7, 7, 7 }, (unsigned[]){ 100, 100, 100 });
	check_weights(2, (double[]){ 1000, 1 }, (unsigned[]){ 10000, 10 });
	check_weights(2, (double[]){ 500, 2 }, (unsigned[]){ 2500, 10 });
}

static void test_weights_stay_in_the_range_of_the_kernel(void **state)
{
	(void)state;
	check_weights(2, (double[]){ 1e9, 1 }, (unsigned[]){ 10000, 1 });
	check_weights(2, (double[]){ 1e15, 1e-300 }, (unsigned[]){ 10000, 1 });
	check_weights(2, (double[]){ 1e-300, 1e-300 }, (unsigned[]){ 100, 100 });
	check_weights(3, (double[]){ 0, 100, 100 }, (unsigned[]){ 1, 100, 100 });
	check_weights(2, (double[]){ 0, 0 }, (unsigned[]){ 100, 100 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fewer_tickets_make_nicer),
		cmocka_unit_test(test_many_processes_and_much_usage_make_nicer),
		cmocka_unit_test(test_levels_lie_between_the_limits),
		cmocka_unit_test(test_limits_are_cut_to_the_possible_range),
		cmocka_unit_test(test_a_single_job_gets_the_best_level),
		cmocka_unit_test(test_tickets_are_cut_and_at_least_one),
		cmocka_unit_test(test_a_message_within_two_seconds_changes_only_known_values),
		cmocka_unit_test(test_tasks_of_an_array_share_a_record_and_the_last_wins),
		cmocka_unit_test(test_an_unknown_job_gets_the_best_level),
		cmocka_unit_test(test_an_unlisted_task_without_usage_has_the_weakest_level),
		cmocka_unit_test(test_usage_is_counted_since_about_the_last_message),
		cmocka_unit_test(test_jobs_that_are_not_listed_keep_adding),
		cmocka_unit_test(test_jobs_are_found_after_others_have_ended),
		cmocka_unit_test(test_weights_are_in_proportion_to_tickets),
		cmocka_unit_test(test_weights_stay_in_the_range_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
