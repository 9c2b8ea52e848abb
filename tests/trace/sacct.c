/* SPDX-License-Identifier: Apache-2.0 */
/* sacct -P: the meaning of its fields; steps, arrays, components, unfinished jobs, values. */
#include "tests/trace/given.h"

#include <errno.h>
#include <time.h>

#include "sched/trace/inside.h"
#include "sched/trace/sacct_values.h"

#define SHORT "JobID|User|Submit|Start|End|Elapsed|AllocCPUS|ReqCPUS|State\n"
#define TIMES "2023-11-14T22:13:20|2023-11-14T22:15:00|2023-11-14T23:15:00|01:00:00"

static int utc_setup(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return setup(state);
}

static void test_each_field_has_its_meaning(void **state)
{
	(void)state;
	given("JobID|JobName|User|Group|Account|Partition|QOS|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS|NNodes|ReqMem|TotalCPU|State|Extra\n"
	      "4711_3|fit|ann|physics|atlas|long|high|" TIMES "|1-02:03:04|12|16|2|4000Mc|2-01:00:00|COMPLETED|x\n");
	next();
	assert_int_equal(trace_about(trace)->format, TRACE_SACCT);
	assert_int_equal(job.line, 2);
	assert_int_equal(job.number, 4711);
	assert_int_equal(job.task, 3);
	assert_true(job.is_array);
	assert_int_equal(job.status, TRACE_DONE);
	assert_int_equal(job.submit, 1700000000);
	assert_int_equal(job.start, 1700000100);
	assert_int_equal(job.run_s, 3600);
	assert_int_equal(job.limit_s, 93784);
	assert_int_equal(job.slots, 12);
	assert_int_equal(job.memory_bytes, UINT64_C(4000) << 20);
	assert_true(job.cpu_s == 2 * 86400 + 3600);
	assert_string_equal(job.user, "ann");
	assert_string_equal(job.group, "physics");
	assert_string_equal(job.project, "atlas");
	assert_string_equal(job.partition, "long");
	assert_string_equal(job.qos, "high");
	assert_string_equal(job.name, "fit");
	assert_null(job.queue);
	odd(TRACE_DIFFERENT_SLOTS, 1, 2);
	assert_true(trace_about(trace)->allocated_s == 16 * 3600);
	no_more();
}

static void test_all_fields_of_sacct_are_read_with_ends_of_lines_in_a_submit_line(void **state)
{
	static const char header[] =
		"JobID|JobName|User|Submit|Start|End|Elapsed|AllocCPUS|AllocNodes|NCPUS|NNodes|ReqMem|SubmitLine|State|WorkDir\n";
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s%s", header,
		 "1|a|ann|" TIMES "|4|2|4|2|4Gn|sbatch job.sh|COMPLETED|/home/ann\n",
		 "2|b|bob|" TIMES "|4|2|4|2|4Gn|sbatch --wrap=date\n\n# and\nsleep 5|COMPLETED|/home/bob\n",
		 "3|c|cal|" TIMES "|4|2|4|2|4Gn|sbatch job.sh|FAILED|/home/cal\n");
	given(text);
	for (uint32_t number = 1; number <= 3; number++) {
		next();
		assert_int_equal(job.number, number);
		assert_int_equal(job.slots, 4);
		assert_int_equal(job.memory_bytes, UINT64_C(2) << 30);
		assert_int_equal(job.line, number == 3 ? 7 : number + 1);
	}
	assert_int_equal(job.status, TRACE_FAILED);
	no_more();
	assert_int_equal(trace_about(trace)->records, 3);
}

static void test_nodes_are_counted_from_the_allocated_ones_if_requested_ones_are_missing(void **state)
{
	(void)state;
	given("JobID|User|Submit|Elapsed|NCPUS|AllocNodes|ReqMem\n1|ann|2024-01-02T03:04:05|10|4|2|4Gn\n");
	next();
	assert_int_equal(job.memory_bytes, UINT64_C(2) << 30);
	no_more();
}

static void test_steps_belong_to_jobs_and_unfinished_jobs_have_no_end(void **state)
{
	(void)state;
	given(SHORT "1|ann|" TIMES "|4|4|COMPLETED\n1.batch|ann|" TIMES "|4|4|COMPLETED\n1.0|ann|" TIMES
		    "|4|4|COMPLETED\n1.extern|ann|" TIMES "|4|4|COMPLETED\n"
		    "2|ann|2023-11-14T22:13:20|2023-11-14T22:13:21|Unknown|00:10:00|4|4|RUNNING\n"
		    "3|ann|2023-11-14T22:13:20|Unknown|Unknown|00:00:00|0|4|PENDING\n"
		    "4_[5-9%2]|ann|2023-11-14T22:13:20|Unknown|Unknown|00:00:00|0|4|PENDING\n"
		    "5|ann|2023-11-14T22:13:20|None|2023-11-14T22:14:20|00:00:00|0|4|CANCELLED by 1001\n"
		    "6|ann|2023-11-14T22:13:20|2023-11-14T22:14:20|2023-11-14T22:14:20|00:00:00|0|4|CANCELLED\n"
		    "7_[1-3]|ann|2023-11-14T22:13:20|Unknown|2023-11-14T22:14:20|00:00:00|0|4|CANCELLED by 1001\n"
		    "8|ann|2023-11-14T22:13:20|2023-11-14T22:14:20|2023-11-14T22:15:20|00:01:00|4|4|CANCELLED by 1001\n"
		    "9|ann|Unknown|2023-11-14T22:14:20|2023-11-14T22:15:20|00:01:00|4|4|COMPLETED\n"
		    "10|ann|2023-11-14T22:13:20|2023-11-14T22:14:20|2023-11-14T22:15:20|00:01:00|0|0|TIMEOUT\n");
	next();
	assert_int_equal(job.number, 1);
	next();
	assert_int_equal(job.number, 8);
	assert_int_equal(job.status, TRACE_CANCELLED);
	no_more();
	left_out(TRACE_PART, 3, 3);
	left_out(TRACE_NOT_ENDED, 3, 6);
	left_out(TRACE_NOT_STARTED, 3, 9);
	left_out(TRACE_NO_SUBMIT, 1, 13);
	left_out(TRACE_NO_SLOTS, 1, 14);
	assert_int_equal(trace_about(trace)->records, 13);
}

static void test_components_are_jobs_of_their_own(void **state)
{
	(void)state;
	given(SHORT "12+0|ann|" TIMES "|4|4|COMPLETED\n12+1|ann|" TIMES "|8|8|COMPLETED\n12+1.batch|ann|" TIMES
		    "|8|8|COMPLETED\n");
	next();
	assert_int_equal(job.number, 12);
	next();
	assert_int_equal(job.number, 13);
	assert_int_equal(job.slots, 8);
	assert_false(job.is_array);
	no_more();
	odd(TRACE_COMPONENTS, 2, 2);
	given("JobID|JobIDRaw|User|Submit|Elapsed|NCPUS\n12+1|19|ann|1700000000|60|8\n12_1|20|ann|1700000000|60|8\n");
	next();
	assert_int_equal(job.number, 12);
	next();
	assert_int_equal(job.number, 19);
}

static void test_task_0_is_a_task(void **state)
{
	(void)state;
	given(SHORT "12_0|ann|" TIMES "|4|4|COMPLETED\n12|ann|" TIMES "|4|4|COMPLETED\n");
	next();
	assert_false(job.is_array);
	next();
	assert_true(job.is_array);
	no_more();
	left_out(TRACE_AGAIN, 0, 0);
}

static void test_the_last_attempt_of_a_job_counts(void **state)
{
	(void)state;
	given(SHORT
	      "12|ann|2023-11-14T22:13:20|2023-11-14T22:15:00|2023-11-14T22:16:00|00:01:00|4|4|NODE_FAIL\n12|ann|" TIMES
	      "|4|4|COMPLETED\n");
	next();
	assert_int_equal(job.run_s, 3600);
	no_more();
	left_out(TRACE_AGAIN, 1, 2);
}

static void test_separators_belong_to_the_only_text_that_users_write(void **state)
{
	(void)state;
	given("JobID|JobName|User|Submit|Elapsed|NCPUS|\n1|a|b||c|ann|1700000000|60|8|\n2|plain|bob|1700000000|60|8|\n");
	next();
	assert_string_equal(job.name, "a|b||c");
	assert_string_equal(job.user, "ann");
	next();
	assert_string_equal(job.name, "plain");
	odd(TRACE_COLONS, 1, 2);
}

static void test_run_times_come_from_the_available_columns(void **state)
{
	(void)state;
	given("JobIDRaw|User|Submit|Start|End|ReqCPUS\n1|ann|1700000000|1700000100|1700000160|2\n2|ann|1700000000|1700000100|1700000050|2\n");
	next();
	assert_int_equal(job.run_s, 60);
	assert_int_equal(job.limit_s, 0);
	assert_int_equal(job.status, TRACE_STATUS_UNKNOWN);
	no_more();
	left_out(TRACE_NO_RUN_TIME, 1, 3);
	given("JobID|User|Submit|ElapsedRaw|TimelimitRaw|ReqCPUS\n1|ann|1700000000|61|2|2\n2||1700000000|61|UNLIMITED|2\n");
	next();
	assert_int_equal(job.run_s, 61);
	assert_int_equal(job.limit_s, 120);
	assert_int_equal(job.start, 0);
	next();
	assert_int_equal(job.limit_s, 0);
	assert_string_equal(job.user, "unknown");
	odd(TRACE_NO_USER, 1, 3);
}

static void test_memory_is_of_the_job_a_node_or_a_cpu(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;		/* with 8 CPUs on 2 nodes */
	} rows[] = {
		{ "", 0 },
		{ "?", 0 },
		{ "0n", 0 },
		{ "4Gn", UINT64_C(1) << 30 },
		{ "4G", UINT64_C(1) << 29 },
		{ "1.5Gc", UINT64_C(3) << 29 },
		{ "16", 2 << 20 },
		{ "512Kc", 512 << 10 },
		{ "1Tn", UINT64_C(1) << 38 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "JobID|User|Submit|Elapsed|NCPUS|NNodes|ReqMem\n1|ann|1700000000|60|8|2|%s\n", rows[i].text);
		given(text);
		next();
		assert_int_equal(job.memory_bytes, rows[i].bytes);
	}
}

static void test_memory_of_a_node_is_unknown_without_the_number_of_nodes(void **state)
{
	(void)state;
	given("JobID|User|Submit|Elapsed|NCPUS|ReqMem\n1|ann|1700000000|60|8|0n\n2|ann|1700000000|60|8|4Gn\n");
	assert_int_equal(jobs(), 2);
	assert_int_equal(job.memory_bytes, 0);
	odd(TRACE_NODE_MEMORY, 1, 3);
}

static void test_times_are_local(void **state)
{
	static struct sacct cache;
	int64_t time;

	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	given("JobID|User|Submit|Elapsed|NCPUS\n1|ann|2023-11-14T23:13:20|60|8\n1|ann|2023-07-01T12:00:00|60|8\n");
	next();
	assert_int_equal(job.submit, 1688205600);
	next();
	assert_int_equal(job.submit, 1700000000);
	assert_int_equal(sacct_time(&cache, "2023-03-26T01:59:59", &time), 0);
	assert_int_equal(time, 1679792399);
	assert_int_equal(sacct_time(&cache, "2023-03-26T03:00:00", &time), 0);
	assert_int_equal(time, 1679792400);
	assert_int_equal(sacct_time(&cache, "2023-07-01T02:00:00", &time), 0);
	assert_int_equal(time, 1688169600);
	/* 256 hours later: the same entry of the cache. */
	assert_int_equal(sacct_time(&cache, "2023-07-11T18:00:00", &time), 0);
	assert_int_equal(time, 1688169600 + 256 * 3600);
}

static void test_impossible_dates_are_refused(void **state)
{
	static const char *const none[] = { "2023-00-01T00:00:00",
					    "2023-01-32T00:00:00",
					    "2023-04-31T00:00:00",
					    "2023-01-01T24:00:00",
					    "2023-01-01T00:60:00",
					    "1970-01-01T00:00:00",
					    "2023-01-01 00:00:00",
					    "2023-01-01T00:00:0x",
					    "",
					    "253402300800",
					    "-5" };
	static struct sacct cache;
	int64_t time;

	(void)state;
	for (size_t i = 0; i < COUNT(none); i++)
		assert_int_equal(sacct_time(&cache, none[i], &time), -EINVAL);
	assert_int_equal(sacct_time(&cache, "N/A", &time), 0);
	assert_int_equal(time, -1);
}

static void test_time_spans_are_read_in_slurms_format(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;	/* -2: invalid */
	} rows[] = {
		{ "00:00:00", 0 },
		{ "05:06", 306 },
		{ "01:02:03", 3723 },
		{ "3-00:00:01", 259201 },
		{ "59:59.999", 3599 },
		{ "1-02:03:04", 93784 },
		{ "90", 90 },
		{ "UNLIMITED", -1 },
		{ "Partition_Limit", -1 },
		{ "", -1 },
		{ "1-", -2 },
		{ "1-05", -2 },
		{ "1:2:3:4", -2 },
		{ ":5", -2 },
		{ "5:", -2 },
		{ "x", -2 },
		{ "4000000001", -2 },
		{ "46297-00:00:00", -2 },
		{ "1.5", -2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t seconds = -3;
		int rc = sacct_seconds(rows[i].text, 1, &seconds);

		if (rc != (rows[i].seconds == -2 ? -EINVAL : 0) || (rc == 0 && seconds != rows[i].seconds))
			fail_msg("\"%s\" is %ld", rows[i].text, (long)seconds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_field_has_its_meaning, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_fields_of_sacct_are_read_with_ends_of_lines_in_a_submit_line,
						utc_setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_nodes_are_counted_from_the_allocated_ones_if_requested_ones_are_missing, utc_setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_steps_belong_to_jobs_and_unfinished_jobs_have_no_end, utc_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_components_are_jobs_of_their_own, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_task_0_is_a_task, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_last_attempt_of_a_job_counts, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_separators_belong_to_the_only_text_that_users_write, utc_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_run_times_come_from_the_available_columns, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_is_of_the_job_a_node_or_a_cpu, utc_setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_a_node_is_unknown_without_the_number_of_nodes, utc_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_times_are_local, utc_setup, teardown),
		cmocka_unit_test(test_impossible_dates_are_refused),
		cmocka_unit_test(test_time_spans_are_read_in_slurms_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
