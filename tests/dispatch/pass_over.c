/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose categories could not start are skipped, one by one or all remaining ones at once. They
 * report the reasons that they would have found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

/* Enough jobs that several are checked before the categories are listed. */
#define JOBS 300

static void add(struct fixture *fixture, uint32_t number, const char *hard)
{
	TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'%s'}", number, hard);
}

static void test_all_pending_jobs_report_the_reasons_of_their_categories(void **state)
{
	static const char *const hard[] = { "lic=6", "mem=9G", "arch=sol" }, *const lacks[] = { "lic", "mem", "arch" };
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < JOBS; i++)
		add(fixture, 1 + i, hard[i % 3]);
	TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'lic=7','hold':{'u':'1'}}", 1 + JOBS);
	run(fixture, NOW);
	for (uint32_t i = 0; i < JOBS; i++)
		WAITS(fixture, 1 + i, lacks[i % 3]);
	assert_string_equal(why_all(fixture, 1 + JOBS), "it is held (u): its owner or an operator can release it; ");
}

static void test_the_last_category_is_checked(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < JOBS; i++)
		add(fixture, 1 + i, "lic=6");
	add(fixture, 1 + JOBS, "lic=5");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1 + JOBS), 1);
	WAITS(fixture, 1, "not enough lic is left");
	WAITS(fixture, JOBS, "not enough lic is left");
}

static void test_a_job_after_the_last_start_was_not_reached(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < JOBS; i++)
		add(fixture, 1 + i, i < 10 || i % 10 ? "lic=6" : "mem=1");	/* eight of them start */
	run(fixture, NOW);
	assert_int_equal(started(fixture, 81), 1);
	WAITS(fixture, 80, "not enough lic is left");
	WAITS(fixture, 82, "jobs ahead of it took all free slots");
	assert_null(strstr(why_all(fixture, 82), "lic"));
	WAITS(fixture, 91, "jobs ahead of it took all free slots");
}

static void test_a_job_with_a_reservation_reports_it_despite_skipped_jobs(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "1");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann','hard_resource_list':'lic=5'}");
	TELL(fixture, ADD "2,'owner':'ann','hard_resource_list':'lic=5','reserve':true}");
	for (uint32_t i = 2; i < JOBS; i++)
		add(fixture, 1 + i, "lic=5");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, 2, "resources are reserved for it");
	for (uint32_t i = 2; i < JOBS; i++) {
		WAITS(fixture, 1 + i, "not enough lic is left");
		assert_null(strstr(why_all(fixture, 1 + i), "reserved"));
	}
}

static void test_a_reservation_is_granted_after_jobs_without_one(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "1");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	reload(fixture);
	for (uint32_t i = 0; i < JOBS; i++)
		add(fixture, 1 + i, "lic=5");
	TELL(fixture, ADD "%u,'owner':'ann','hard_resource_list':'lic=5','reserve':true}", 1 + JOBS);
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1), 1);
	WAITS(fixture, JOBS, "not enough lic is left");
	WAITS(fixture, 1 + JOBS, "resources are reserved for it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_all_pending_jobs_report_the_reasons_of_their_categories),
		DISPATCH_TEST(test_the_last_category_is_checked),
		DISPATCH_TEST(test_a_job_after_the_last_start_was_not_reached),
		DISPATCH_TEST(test_a_job_with_a_reservation_reports_it_despite_skipped_jobs),
		DISPATCH_TEST(test_a_reservation_is_granted_after_jobs_without_one),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
