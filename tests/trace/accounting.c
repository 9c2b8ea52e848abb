/* SPDX-License-Identifier: Apache-2.0 */
/* accounting(5): the meaning of fields, order, array tasks, attempts, colons, older files. */
#include "tests/trace/given.h"

#define RU ":0.1:0.1:0.0:0:0:0:0:0:0:0:0.0:0:0:0:0:0:0"
#define TAIL ":1.5:0.0:0.0:NONE:0.0:NONE:0.0:0:0\n"		/* after task_number */
#define ONE(NUMBER, TIMES, FAILED, WALL) "all.q:node1:users:ann:sleep:" NUMBER ":sge:0:" TIMES ":" FAILED ":" WALL RU ":NONE:staff:NONE:1:0" TAIL

static void test_additional_fields_and_milliseconds_of_univa_grid_engine_are_ignored(void **state)
{
	(void)state;
	given("all.q:node1:users:ann:sleep:7:sge:0:1700000000123:1700000100456:1700003700789:0:0:3600.333" RU
	      ":NONE:staff:NONE:2:0"
	      ":1.5:0.0:0.0:-l h_rt=7200:0.0:NONE:0.0:0:0:NONE:NONE:1024:2048:login1:/home/ann:qsub -pe smp 2 job.sh\n");
	next();
	assert_int_equal(job.number, 7);
	assert_int_equal(job.submit, 1700000000);
	assert_int_equal(job.start, 1700000100);
	assert_int_equal(job.run_s, 3600);
	assert_int_equal(job.slots, 2);
	assert_int_equal(job.limit_s, 7200);
	odd(TRACE_MORE_FIELDS, 1, 1);
	no_more();
}

static void test_each_field_has_its_meaning(void **state)
{
	(void)state;
	given("# Version: 8.1.9\n"
	      "long.q:node7:physics:ann:fit:4711:sge:19:1700000000:1700000100:1700003700:0:0:3600" RU
	      ":atlas:staff:mpi:16:3:57000.5:12.0:0.5:"
	      "-U staff -q long.q -l h_rt=7200,h_vmem=2G -pe mpi 16 -P atlas:0.0:NONE:123.0:0:0\n");
	next();
	assert_int_equal(trace_about(trace)->format, TRACE_ACCOUNTING);
	assert_int_equal(job.line, 2);
	assert_int_equal(job.number, 4711);
	assert_int_equal(job.task, 3);
	assert_true(job.is_array);
	assert_int_equal(job.status, TRACE_DONE);
	assert_int_equal(job.submit, 1700000000);
	assert_int_equal(job.start, 1700000100);
	assert_int_equal(job.run_s, 3600);
	assert_int_equal(job.limit_s, 7200);
	assert_int_equal(job.slots, 16);
	assert_true(job.cpu_s == 57000.5);
	assert_string_equal(job.user, "ann");
	assert_string_equal(job.group, "physics");
	assert_string_equal(job.project, "atlas");
	assert_string_equal(job.department, "staff");
	assert_string_equal(job.queue, "long.q");
	assert_string_equal(job.pe, "mpi");
	assert_string_equal(job.hard, "h_rt=7200,h_vmem=2G");
	assert_string_equal(job.name, "fit");
	assert_null(job.partition);
	assert_null(job.qos);
	no_more();
}

static void test_lines_sorted_by_end_are_returned_by_submission(void **state)
{
	static const unsigned numbers[] = { 3, 1, 2, 2, 4 }, tasks[] = { 0, 0, 1, 2, 0 };

	(void)state;
	given(ONE("4", "300:310:320", "0:0", "10")
	      "all.q:node1:users:ann:sleep:2:sge:0:200:210:320:0:0:110" RU ":NONE:staff:NONE:1:2" TAIL
	      "all.q:node1:users:ann:sleep:2:sge:0:200:210:330:0:0:120" RU ":NONE:staff:NONE:1:1" TAIL
	      ONE("3", "100:110:340", "0:0", "230") ONE("1", "150:160:900", "0:0", "740"));
	for (size_t i = 0; i < COUNT(numbers); i++) {
		next();
		assert_int_equal(job.number, numbers[i]);
		assert_int_equal(job.task, tasks[i]);
	}
	no_more();
}

static void test_an_incomplete_line_is_left_out_and_counted(void **state)
{
	(void)state;
	given(ONE("7", "100:110:120", "0:-1", "10"));
	no_more();
	left_out(TRACE_NOT_ENDED, 1, 1);
	given(ONE("1", "0:110:120", "0:0", "10") ONE("2", "100:0:0", "1:0", "0") ONE("3", "100:110:0", "0:0", "0")
		      ONE("4", "100:110:0", "100:137",
			  "17") "all.q:node1:users:ann:sleep:5:sge:0:100:110:120:0:0:10" RU ":NONE:staff:NONE:0:0" TAIL
				"all.q:node2:users:ann:sleep:6:sge:0:100:110:120:0:0:10" RU
				":NONE:staff:mpi:4:0:1.5:0.0:0.0:NONE:0.0:1.node2:0.0:0:0\n"
				"all.q:node1:users:ann:sleep:6:sge:0:100:110:130:0:0:20" RU
				":NONE:staff:mpi:4:0:1.5:0.0:0.0:NONE:0.0:NONE:0.0:0:0\n");
	next();
	assert_int_equal(job.number, 4);
	assert_int_equal(job.run_s, 17);
	assert_int_equal(job.status, TRACE_FAILED);
	next();
	assert_int_equal(job.number, 6);
	assert_int_equal(job.run_s, 20);
	no_more();
	left_out(TRACE_NO_SUBMIT, 1, 1);
	left_out(TRACE_NOT_STARTED, 1, 2);
	left_out(TRACE_NO_RUN_TIME, 1, 3);
	left_out(TRACE_NO_SLOTS, 1, 5);
	left_out(TRACE_PART, 1, 6);
	assert_int_equal(trace_about(trace)->records, 7);
}

static void test_the_last_attempt_of_a_job_counts(void **state)
{
	(void)state;
	given(ONE("1", "100:110:120", "25:0", "10") ONE("1", "100:130:150", "25:0", "20")
		      ONE("1", "500:510:520", "0:0", "10") ONE("1", "100:160:600", "0:0", "440"));
	next();
	assert_int_equal(job.line, 4);
	assert_int_equal(job.run_s, 440);
	assert_int_equal(job.start, 160);
	next();
	assert_int_equal(job.submit, 500);	/* numbers have started again */
	no_more();
	left_out(TRACE_AGAIN, 2, 1);
}

static void test_clocks_that_differ_are_reported(void **state)
{
	(void)state;
	given(ONE("1", "100:90:120", "0:0", "30") ONE("2", "200:210:220", "0:0", "4"));
	next();
	assert_int_equal(job.start, 100);
	assert_int_equal(job.run_s, 30);
	odd(TRACE_EARLY, 1, 1);
	next();
	assert_int_equal(job.run_s, 10);
	odd(TRACE_WALLCLOCK, 1, 2);
}

static void test_colons_belong_to_the_category_or_to_a_name(void **state)
{
	(void)state;
	given("all.q:node1:users:ann:sleep:1:sge:0:100:110:120:0:0:10" RU
	      ":NONE:staff:NONE:1:0:1.5:0.0:0.0:-l h_rt=1:30:00:0.0:NONE:0.0:0:0\n"
	      "all.q:node1:users:ann:fit: a:b:2:sge:0:200:210:220:0:0:10" RU ":NONE:staff:NONE:1:0" TAIL
	      "all.q:node1:users:ann:x:3:a:b:0:300:310:320:0:0:10" RU ":NONE:staff:NONE:1:0" TAIL);
	next();
	assert_string_equal(job.hard, "h_rt=1:30:00");
	assert_int_equal(job.limit_s, 5400);
	next();
	assert_int_equal(job.number, 2);
	assert_string_equal(job.name, "fit: a:b");
	next();
	assert_int_equal(job.number, 3);
	assert_string_equal(job.name, "x");
	odd(TRACE_COLONS, 3, 1);
}

static void test_limits_and_memory_come_from_hard_requests(void **state)
{
	static const struct {
		const char *category;
		int limit_s;
		const char *hard;
		uint64_t memory_bytes;
	} rows[] = {
		{ "NONE", 0, NULL, 0 },
		{ "-q all.q", 0, NULL, 0 },
		{ "-l h_vmem=1G,h_rt=90", 90, "h_vmem=1G,h_rt=90", 1 << 30 },
		{ "-l h_vmem=1.5k,h_vmemx=2", 0, "h_vmem=1.5k,h_vmemx=2", 1500 },
		{ "-l h_vmemx=2,h_vmem", 0, "h_vmemx=2,h_vmem", 0 },
		{ "-l h_vmem=INFINITY,h_rt=12345678901234567890123456789012345", 0,
		  "h_vmem=INFINITY,h_rt=12345678901234567890123456789012345", 0 },
		{ "-l s_rt=80,h_rt=90", 80, "s_rt=80,h_rt=90", 0 },
		{ "-l h_rt=INFINITY", 0, "h_rt=INFINITY", 0 },
		{ "-l xh_rt=5", 0, "xh_rt=5", 0 },
		{ "-soft -l h_rt=5", 0, NULL, 0 },
		{ "-l arch=x -soft -l h_rt=5", 0, "arch=x", 0 },
		{ "-l", 0, NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[500];

		snprintf(text, sizeof(text),
			 "all.q:node1:users:ann:sleep:1:sge:0:100:110:120:0:0:10" RU
			 ":NONE:staff:NONE:1:0:1.5:0.0:0.0:%s:0.0:NONE:0.0:0:0\n",
			 rows[i].category);
		given(text);
		next();
		assert_int_equal(job.limit_s, rows[i].limit_s);
		assert_int_equal(job.memory_bytes, rows[i].memory_bytes);
		assert_true(rows[i].hard ? job.hard && strcmp(job.hard, rows[i].hard) == 0 : !job.hard);
	}
}

static void test_older_files_have_fewer_fields(void **state)
{
	(void)state;
	given("all.q:node1:users:ann:sleep:1:sge:0:100:110:120:0:0:10" RU ":NONE:staff:NONE:1:0\n"
	      "all.q:node1:users:ann:sleep:2:sge:0:100:110:120:0:0:10" RU
	      ":NONE:staff:NONE:1:0:2.5:0:0:-l h_rt=9:0.0\n");
	next();
	assert_true(job.cpu_s == -1);
	assert_int_equal(job.limit_s, 0);
	next();
	assert_true(job.cpu_s == 2.5);
	assert_int_equal(job.limit_s, 9);
}

static void test_unprintable_names_are_reported(void **state)
{
	(void)state;
	given("all.q:node1:users:ann:m\xfcll\x1b[2J:1:sge:0:100:110:120:0:0:10" RU ":NONE:staff:NONE:1:0" TAIL);
	next();
	assert_string_equal(job.name, "m?ll?[2J");
	odd(TRACE_ODD_NAMES, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_additional_fields_and_milliseconds_of_univa_grid_engine_are_ignored, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_field_has_its_meaning, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_sorted_by_end_are_returned_by_submission, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_incomplete_line_is_left_out_and_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_last_attempt_of_a_job_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clocks_that_differ_are_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(test_colons_belong_to_the_category_or_to_a_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits_and_memory_come_from_hard_requests, setup, teardown),
		cmocka_unit_test_setup_teardown(test_older_files_have_fewer_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unprintable_names_are_reported, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
