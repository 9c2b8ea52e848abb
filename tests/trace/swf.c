/* SPDX-License-Identifier: Apache-2.0 */
/* The Standard Workload Format: the meaning of its header and its columns, and its anomalies. */
#include "tests/trace/given.h"

#define HEADER "; Version: 2.2\n; Computer: Bull\n; UnixStartTime: 1296571124\n; MaxProcs: 93312\n; MaxNodes: 5544\n; TimeZoneString: Europe/Paris\n"

static void test_the_header_describes_the_machine(void **state)
{
	const struct trace_about *about;

	(void)state;
	given(HEADER
	      ";\n;  Acknowledge:  Ann B., CEA  \n; MaxJobs: 12 (of 15)\n; Note: MaxProcs: 3\n; Computer: Dell\n; MaxNodes: 7\n; no key\n1 0 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n");
	about = trace_about(trace);
	assert_int_equal(about->format, TRACE_SWF);
	assert_string_equal(about->version, "2.2");
	assert_string_equal(about->computer, "Bull");
	assert_string_equal(about->acknowledge, "Ann B., CEA");
	assert_string_equal(about->time_zone, "Europe/Paris");
	assert_int_equal(about->unix_start, 1296571124);
	assert_int_equal(about->max_procs, 93312);
	assert_int_equal(about->max_nodes, 5544);
	assert_int_equal(about->max_jobs, 12);
	assert_null(about->installation);
	assert_false(about->compressed);
}

static void test_each_column_has_its_meaning(void **state)
{
	(void)state;
	given(HEADER "; Queue: 3 night (low priority)\n; Partition: 4 large\n"
	      "272393 31656837  33492  86395  256   10.5    77  512  86400    2000  1  87  95  6 3  4 12 60\n");
	next();
	assert_int_equal(job.line, 9);
	assert_int_equal(job.number, 272393);
	assert_false(job.is_array);
	assert_int_equal(job.status, TRACE_DONE);
	assert_int_equal(job.submit, 1296571124 + 31656837);
	assert_int_equal(job.start, job.submit + 33492);
	assert_int_equal(job.run_s, 86395);
	assert_int_equal(job.limit_s, 86400);
	assert_int_equal(job.slots, 512);
	assert_int_equal(job.memory_bytes, 2000 * 1024);
	assert_true(job.cpu_s == 10.5 * 256);
	assert_string_equal(job.user, "user87");
	assert_string_equal(job.group, "group95");
	assert_string_equal(job.project, "group95");
	assert_string_equal(job.name, "app6");
	assert_string_equal(job.queue, "night");
	assert_string_equal(job.partition, "large");
	assert_null(job.department);
	assert_null(job.pe);
	assert_null(job.hard);
	assert_null(job.qos);
	assert_int_equal(job.after, 0);
	no_more();
	no_more();
}

static void test_unknown_values_are_missing(void **state)
{
	(void)state;
	given(HEADER "7 10 -1 5 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
	next();
	assert_int_equal(job.start, 0);
	assert_int_equal(job.limit_s, 0);
	assert_int_equal(job.slots, 2);
	assert_int_equal(job.memory_bytes, 0);
	assert_true(job.cpu_s == -1);
	assert_int_equal(job.status, TRACE_STATUS_UNKNOWN);
	assert_string_equal(job.user, "unknown");
	assert_null(job.group);
	assert_null(job.project);
	assert_null(job.name);
	assert_null(job.queue);
	assert_null(job.partition);
	odd(TRACE_NO_USER, 1, 7);
	odd(TRACE_ALLOCATED, 1, 7);
	odd(TRACE_NO_LIMIT, 1, 7);
}

static void test_unusable_names_of_the_header_stay_numbers(void **state)
{
	static const char *const names[] = { "batch",	   "partition2", "partition3", "partition4", "partition5",
					     "partition6", "partition7", "partition8", "x" };

	(void)state;
	given("; Partition: 1 batch\n; Partition: 2 test,batch\n; Partition: 3 UNKNOWN\n; Partition: 4 UNKNOWN\n; Partition: 5 `;\n"
	      "; Partition: 6 UNKNOWN\n; Partition: 7\n; Partition: 8 - Normal\n; Partition: 99999 far\n; Partition: nine x\n; Partition: 9 x\n"
	      "1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 1 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 2 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 3 -1 -1\n"
	      "1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 4 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 5 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 6 -1 -1\n"
	      "1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 7 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 8 -1 -1\n1 1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 9 -1 -1\n"
	      "1 1 0 1 1 -1 -1 1 9 -1 1 70000 1 -1 -1 99999 -1 -1\n");
	for (size_t i = 0; i < COUNT(names); i++) {
		next();
		assert_string_equal(job.partition, names[i]);
	}
	next();
	assert_string_equal(job.partition, "partition99999");
	assert_string_equal(job.user, "user70000");
	assert_int_equal(trace_about(trace)->partitions, COUNT(names) + 1);
}

static void test_equal_names_have_equal_addresses(void **state)
{
	const char *user;

	(void)state;
	given("; x\n1 1 0 1 1 -1 -1 1 9 -1 1 70000 1 -1 -1 1 -1 -1\n2 1 0 1 1 -1 -1 1 9 -1 1 70000 2 -1 -1 1 -1 -1\n");
	next();
	user = job.user;
	next();
	assert_ptr_equal(job.user, user);
	assert_int_equal(trace_about(trace)->users, 1);
	assert_int_equal(trace_about(trace)->groups, 2);
}

static void test_prefixes_are_as_requested(void **state)
{
	(void)state;
	given_with("; x\n1 1 0 1 1 -1 -1 1 9 -1 1 7 1 -1 -1 1 -1 -1\n",
		   &(struct trace_options){ .user_prefix = "u", .group_prefix = "acct_" });
	next();
	assert_string_equal(job.user, "u7");
	assert_string_equal(job.project, "acct_1");
}

static void test_an_incomplete_line_is_left_out_and_counted(void **state)
{
	(void)state;
	given("; x\n"
	      "1 10 5 0 -1 -1 -1 4 9 -1 5 1 1 -1 -1 -1 -1 -1\n"	/* cancelled before it started */
	      "2 11 5 -1 -1 -1 -1 4 9 -1 5 1 1 -1 -1 -1 -1 -1\n"
	      "3 12 5 3 4 -1 -1 4 9 -1 5 1 1 -1 -1 -1 -1 -1\n"	/* after its start: it ran */
	      "4 -1 5 3 4 -1 -1 4 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
	      "5 13 5 -1 4 -1 -1 4 9 -1 2 1 1 -1 -1 -1 -1 -1\n"
	      "6 14 5 3 0 -1 -1 -1 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
	      "7 15 5 3 -1 -1 -1 0 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
	      "8 16 5 0 4 -1 -1 4 9 -1 0 1 1 -1 -1 -1 -1 -1\n");
	next();
	assert_int_equal(job.number, 3);
	assert_int_equal(job.status, TRACE_CANCELLED);
	next();
	assert_int_equal(job.number, 8);
	assert_int_equal(job.status, TRACE_FAILED);
	assert_int_equal(job.run_s, 0);
	no_more();
	left_out(TRACE_NOT_STARTED, 2, 2);
	left_out(TRACE_NO_SUBMIT, 1, 5);
	left_out(TRACE_NO_RUN_TIME, 1, 6);
	left_out(TRACE_NO_SLOTS, 2, 7);
	odd(TRACE_NO_TIME, 1, 9);
	assert_int_equal(trace_about(trace)->records, 8);
	assert_int_equal(trace_about(trace)->jobs, 2);
}

static void test_bursts_of_a_swapped_job_are_in_its_summary_line(void **state)
{
	(void)state;
	given("; x\n1 10 5 30 4 -1 -1 4 99 -1 1 1 1 -1 -1 -1 -1 -1\n1 -1 5 10 4 -1 -1 4 99 -1 2 1 1 -1 -1 -1 -1 -1\n"
	      "1 -1 7 20 4 -1 -1 4 99 -1 3 1 1 -1 -1 -1 -1 -1\n2 11 5 30 4 -1 -1 4 99 -1 1 1 1 -1 -1 -1 -1 -1\n");
	assert_int_equal(jobs(), 2);
	left_out(TRACE_PART, 2, 3);
}

static void test_processors_are_requested_ones_unless_allocated_ones_are_selected(void **state)
{
	static const char lines[] =
		"; x\n1 1 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n2 1 0 1 6 -1 -1 -1 9 -1 1 1 1 -1 -1 1 -1 -1\n"
		"3 1 0 1 -1 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n";
	static const unsigned slots[2][3] = { { 4, 6, 4 }, { 6, 6, 4 } };

	(void)state;
	for (size_t allocated = 0; allocated < 2; allocated++) {
		given_with(lines, &(struct trace_options){ .allocated = allocated });
		for (size_t i = 0; i < 3; i++) {
			next();
			assert_int_equal(job.slots, slots[allocated][i]);
		}
		odd(TRACE_DIFFERENT_SLOTS, 1, 2);
		odd(TRACE_ALLOCATED, 1, 3);
		odd(TRACE_REQUESTED, 1, 4);
		assert_true(trace_about(trace)->allocated_s == 6 + 6 + 4);
	}
}

static void test_lines_with_other_numbers_of_columns_are_read_and_reported(void **state)
{
	(void)state;
	given("1 1 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1\n2 1 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1\n");
	assert_int_equal(jobs(), 2);
	odd(TRACE_COLUMNS, 1, 1);
	odd(TRACE_NO_HEADER, 1, 1);
	given("\t1 1 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1 node1,node2 q_2h -1\n 2 1 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1 node3 default nodes=1:ppn=2 x\n");
	assert_int_equal(jobs(), 2);
	odd(TRACE_COLUMNS, 1, 1);
}

static void test_times_are_relative_unless_they_can_not_be(void **state)
{
	(void)state;
	given(HEADER
	      "1 1356994806 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n2 1356994807 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n");
	next();
	assert_int_equal(job.submit, 1356994806);
	odd(TRACE_EPOCH_TIMES, 1, 7);
	given("; x\n1 17 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n");
	next();
	assert_int_equal(job.submit, 17);
	odd(TRACE_NO_UNIX_START, 1, 2);
	given_with(HEADER "1 17 0 1 6 -1 -1 4 9 -1 1 1 1 -1 -1 1 -1 -1\n",
		   &(struct trace_options){ .unix_start = 1000000000 });
	next();
	assert_int_equal(job.submit, 1000000017);
}

static void test_fractions_of_seconds_are_rounded(void **state)
{
	(void)state;
	given(HEADER
	      "1 10.4 1.5 2.6 6 0.25 -1 4 9.5 -1 1 1 1 -1 -1 1 -1 -1\n2 1.1e1 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 1 -1 -1\n");
	next();
	assert_int_equal(job.submit, 1296571134);
	assert_int_equal(job.start - job.submit, 2);
	assert_int_equal(job.run_s, 3);
	assert_int_equal(job.limit_s, 10);
	assert_true(job.cpu_s == 1.5);
	odd(TRACE_FRACTIONS, 1, 7);
	next();
	assert_int_equal(job.submit, 1296571135);
}

static void test_run_times_beyond_the_limit_stay_unless_limits_are_kept(void **state)
{
	static const char lines[] =
		"; x\n1 1 0 100 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n2 1 0 0 6 -1 -1 4 2147483647 -1 1 1 1 -1 -1 1 -1 -1\n";

	(void)state;
	given(lines);
	next();
	assert_int_equal(job.run_s, 100);
	assert_int_equal(job.limit_s, 60);
	odd(TRACE_OVER_LIMIT, 1, 2);
	next();
	assert_int_equal(job.limit_s, 0);
	odd(TRACE_NO_LIMIT, 1, 3);
	given_with(lines, &(struct trace_options){ .keeps_limits = true });
	next();
	assert_int_equal(job.run_s, 60);
	given_with(lines, &(struct trace_options){ .exact_limits = true });
	next();
	assert_int_equal(job.limit_s, 100);
	assert_int_equal(job.run_s, 100);
	next();
	assert_int_equal(job.limit_s, 1);
}

static void test_think_times_are_reported_on_request(void **state)
{
	static const char lines[] =
		"; x\n1 1 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n2 1 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 1 25\n"
		"3 1 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 1 -1\n";

	(void)state;
	for (size_t sort = 0; sort < 2; sort++) {
		given_with(lines, &(struct trace_options){ .think_times = true, .sort = sort });
		next();
		assert_int_equal(job.after, 0);
		next();
		assert_int_equal(job.after, 1);
		assert_int_equal(job.think_s, 25);
		next();
		assert_int_equal(job.after, 0);
		odd(TRACE_NO_THINK, 1, 4);
	}
	given(lines);
	next();
	next();
	assert_int_equal(job.after, 0);
	assert_int_equal(job.think_s, 0);
}

static void test_a_window_takes_the_jobs_submitted_in_it(void **state)
{
	(void)state;
	given_with(
		HEADER
		"1 5 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n2 6 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n3 7 0 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n",
		&(struct trace_options){ .from = 1296571130, .until = 1296571131 });
	next();
	assert_int_equal(job.number, 2);
	no_more();
	left_out(TRACE_OUTSIDE, 2, 7);
}

static void test_arrivals_are_scaled_around_the_first_and_waits_stay(void **state)
{
	(void)state;
	given_with(
		"; x\n1 100 3 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n2 200 -1 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n3 301 5 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n",
		&(struct trace_options){ .arrival_factor = 0.5 });
	next();
	assert_int_equal(job.submit, 100);
	assert_int_equal(job.start, 103);
	next();
	assert_int_equal(job.submit, 150);
	assert_int_equal(job.start, 0);
	next();
	assert_int_equal(job.submit, 201);
	assert_int_equal(job.start, 206);
	assert_int_equal(job.run_s, 9);
}

static void test_lines_out_of_order_are_a_fault_or_sorted(void **state)
{
	static const char lines[] =
		"; x\n1 100 3 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n2 90 0 8 6 -1 -1 4 60 -1 1 2 1 -1 -1 1 -1 -1\n"
		"3 90 1 7 6 -1 -1 4 60 -1 1 3 1 -1 -1 1 -1 -1\n";
	static const unsigned sorted[] = { 2, 3, 1 };

	(void)state;
	refused(lines,
		":3: submitted 10 s before the job above; allowed: lines in the order of submission, or sorting (--sort)");
	given_with(lines, &(struct trace_options){ .sort = true });
	for (size_t i = 0; i < COUNT(sorted); i++) {
		char user[16];

		next();
		snprintf(user, sizeof(user), "user%u", sorted[i]);
		assert_int_equal(job.number, sorted[i]);
		assert_int_equal(job.run_s, 10 - sorted[i]);
		assert_string_equal(job.user, user);
	}
	no_more();
	odd(TRACE_OUT_OF_ORDER, 1, 3);
}

static void test_counted_values_are_summed_up(void **state)
{
	const struct trace_about *about;

	(void)state;
	given(HEADER
	      "1 100 3 9 6 -1 -1 4 60 -1 1 1 1 -1 -1 1 -1 -1\n\n; a remark\n2 200 0 8 6 -1 -1 5 60 -1 1 2 1 -1 -1 1 -1 -1\n");
	about = trace_about(trace);
	assert_int_equal(about->jobs, 0);
	assert_int_equal(jobs(), 2);
	assert_int_equal(about->lines, 10);
	assert_int_equal(about->records, 2);
	assert_int_equal(about->jobs, 2);
	assert_int_equal(about->users, 2);
	assert_int_equal(about->groups, 1);
	assert_int_equal(about->projects, 1);
	assert_int_equal(about->slots_most, 5);
	assert_int_equal(about->submit_first, 1296571224);
	assert_int_equal(about->submit_last, 1296571324);
	assert_int_equal(about->end_last, 1296571332);
	assert_true(about->slot_s == 4 * 9 + 5 * 8);
	assert_true(about->allocated_s == 6 * 9 + 6 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_header_describes_the_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_column_has_its_meaning, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_values_are_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unusable_names_of_the_header_stay_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_names_have_equal_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_prefixes_are_as_requested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_incomplete_line_is_left_out_and_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bursts_of_a_swapped_job_are_in_its_summary_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processors_are_requested_ones_unless_allocated_ones_are_selected,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_with_other_numbers_of_columns_are_read_and_reported, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_times_are_relative_unless_they_can_not_be, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fractions_of_seconds_are_rounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_run_times_beyond_the_limit_stay_unless_limits_are_kept, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_think_times_are_reported_on_request, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_window_takes_the_jobs_submitted_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_arrivals_are_scaled_around_the_first_and_waits_stay, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lines_out_of_order_are_a_fault_or_sorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counted_values_are_summed_up, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
