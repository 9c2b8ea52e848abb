/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload in three formats is the same workload, and its sums match the arithmetic of its maker.
 */
#include "tests/trace/given.h"

#include <time.h>

static struct trace *small_open(const char *ending)
{
	char name[64];
	struct trace *t;

	snprintf(name, sizeof(name), "tests/reference/trace/small.%s", ending);
	if (trace_open(&t, name, NULL, &error))
		fail_msg("%s", error.text);
	return t;
}

static void test_three_formats_give_the_same_jobs(void **state)
{
	static const char *const users[] = { "ann", "bob",  "carl", "dora", "emil", "fay",
					     "gus", "hana", "ivo",  "jane", "kurt", "lena" };
	static const char *const groups[] = { "astro", "bio", "chem", "data" };
	struct trace *swf = small_open("swf"), *accounting = small_open("accounting"), *sacct = small_open("sacct");
	struct trace_job a, b, trace_job;
	unsigned n = 0;

	(void)state;
	while (trace_next(swf, &a, &error) == 0) {
		assert_int_equal(trace_next(accounting, &b, &error), 0);
		assert_int_equal(trace_next(sacct, &trace_job, &error), 0);
		assert_true(a.number == b.number && a.number == trace_job.number);
		assert_true(a.submit == b.submit && a.submit == trace_job.submit);
		assert_true(a.start == b.start && a.start == trace_job.start);
		assert_true(a.run_s == b.run_s && a.run_s == trace_job.run_s);
		assert_true(a.limit_s == b.limit_s && a.limit_s == trace_job.limit_s);
		assert_true(a.slots == b.slots && a.slots == trace_job.slots);
		assert_true(a.status == b.status && a.status == trace_job.status);
		assert_true(a.cpu_s == b.cpu_s);
		assert_true(a.memory_bytes == b.memory_bytes && a.memory_bytes == trace_job.memory_bytes);
		assert_string_equal(b.user, users[atoi(a.user + strlen("user")) - 1]);
		assert_ptr_not_equal(b.user, trace_job.user);
		assert_string_equal(b.user, trace_job.user);
		assert_string_equal(b.project, groups[atoi(a.project + strlen("group")) - 1]);
		assert_string_equal(b.project, trace_job.project);
		assert_string_equal(a.queue, trace_job.partition);
		assert_int_equal(strncmp(b.queue, a.queue, strlen(a.queue)), 0);
		n++;
	}
	assert_int_equal(n, 400);
	assert_int_equal(trace_next(accounting, &b, &error), 1);
	assert_int_equal(trace_next(sacct, &trace_job, &error), 1);
	assert_int_equal(trace_about(swf)->max_procs, 64);
	assert_true(trace_about(swf)->slot_s == trace_about(sacct)->slot_s &&
		    trace_about(swf)->slot_s == trace_about(accounting)->allocated_s);
	assert_int_equal(trace_about(accounting)->users, 12);
	assert_int_equal(trace_about(accounting)->groups, 4);
	assert_int_equal(trace_about(accounting)->queues, 2);
	assert_int_equal(trace_about(sacct)->partitions, 2);
	trace_close(swf);
	trace_close(accounting);
	trace_close(sacct);
}

static void test_all_reasons_and_anomalies_have_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRACE_REASONS; i++)
		assert_true(strlen(trace_reason_text((enum trace_reason)i)) > 5);
	for (size_t i = 0; i < TRACE_QUIRKS; i++)
		assert_true(strlen(trace_quirk_text((enum trace_quirk)i)) > 5);
	for (size_t i = 0; i < TRACE_FORMATS; i++)
		assert_true(strlen(trace_format_name((enum trace_format)i)) > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_formats_give_the_same_jobs),
		cmocka_unit_test(test_all_reasons_and_anomalies_have_texts),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
