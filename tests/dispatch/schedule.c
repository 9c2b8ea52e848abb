/* SPDX-License-Identifier: Apache-2.0 */
/* Bookings of a run as lines, and the file to which they are appended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/daemon/schedule_file.h"

#define COLONS "::::::::\n"

static char directory[] = "/tmp/fairlead-schedule-XXXXXX", path[64];

static const char *file_text(void)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = 0;
	return text;
}

static void book(struct schedule_lines *lines, uint32_t job_number)
{
	const struct schedule_task task = {
		.job_number = job_number, .task = 1, .state = SCHEDULE_STARTING, .start = 1000, .duration = 360
	};

	schedule_add(lines, &task, SCHEDULE_PE, "fu", "slots", 3);
	schedule_add(lines, &task, SCHEDULE_QUEUE, "bulk.q@ada", "slots", 3);
}

static void test_lines_equal_those_of_grid_engine(void **state)
{
	struct schedule_lines lines = { 0 };
	struct schedule_task task = {
		.job_number = 13, .task = 1, .state = SCHEDULE_RUNNING, .start = 1795272078, .duration = 671
	};

	(void)state;
	schedule_begin(&lines);
	schedule_add(&lines, &task, SCHEDULE_PE, "fu", "slots", 3);
	task = (struct schedule_task){ UINT32_MAX, UINT32_MAX, SCHEDULE_SUSPENDED, INT64_MAX, UINT32_MAX };
	schedule_add(&lines, &task, SCHEDULE_HOST, "ada", "mem", 0.5);
	task.state = SCHEDULE_STARTING;
	schedule_add(&lines, &task, SCHEDULE_GLOBAL, "global", "lic", 2);
	task.state = SCHEDULE_RESERVING;
	task.start = 4000000000;
	schedule_add(&lines, &task, SCHEDULE_QUOTA, "per_user", "ann////", 1);
	assert_string_equal(lines.text, COLONS
			    "13:1:RUNNING:1795272078:671:P:fu:slots:3.000000\n"
			    "4294967295:4294967295:SUSPENDED:9223372036854775807:4294967295:H:ada:mem:0.500000\n"
			    "4294967295:4294967295:STARTING:9223372036854775807:4294967295:G:global:lic:2.000000\n"
			    "4294967295:4294967295:RESERVING:4000000000:294967295:L:per_user:ann////:1.000000\n");
	assert_int_equal(lines.length, strlen(lines.text));
	schedule_begin(&lines);
	assert_string_equal(lines.text, COLONS);
	schedule_free(&lines);
}

static void test_booking_without_a_schedule_file_is_a_no_op(void **state)
{
	(void)state;
	book(NULL, 1);
}

static void test_lines_are_bounded(void **state)
{
	const struct schedule_task task = { .job_number = 1, .task = 1 };
	struct schedule_lines lines = { 0 };
	size_t length;

	(void)state;
	schedule_begin(&lines);
	while (!lines.incomplete)
		schedule_add(&lines, &task, SCHEDULE_HOST, "ada", "mem", DBL_MAX);
	length = lines.length;
	assert_in_range(length, SCHEDULE_BYTES_MAX - 1000, SCHEDULE_BYTES_MAX);
	assert_int_equal(lines.text[length - 1], '\n');
	schedule_add(&lines, &task, SCHEDULE_HOST, "a", "b", 0);
	assert_int_equal(lines.length, length);
	schedule_begin(&lines);
	assert_false(lines.incomplete);
	schedule_free(&lines);
}

static void test_runs_are_appended_while_they_are_requested(void **state)
{
	struct schedule_file file = { .path = path };

	(void)state;
	book(schedule_file_begin(&file, true), 1);
	schedule_file_append(&file);
	assert_null(schedule_file_begin(&file, false));
	schedule_file_append(&file);
	assert_non_null(schedule_file_begin(&file, true));
	schedule_file_append(&file);
	assert_string_equal(file_text(), COLONS "1:1:STARTING:1000:360:P:fu:slots:3.000000\n"
			    "1:1:STARTING:1000:360:Q:bulk.q@ada:slots:3.000000\n" COLONS);
	schedule_file_close(&file);
	unlink(path);
}

/* A limit on the size of files simulates a full disk. */
static void test_a_full_disk_leaves_complete_runs(void **state)
{
	struct schedule_file file = { .path = path };
	struct rlimit before, small;
	char *first;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ .rlim_cur = 120, .rlim_max = before.rlim_max };
	book(schedule_file_begin(&file, true), 1);
	schedule_file_append(&file);
	first = strdup(file_text());
	assert_in_range(strlen(first), 60, 119);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	book(schedule_file_begin(&file, true), 2);
	schedule_file_append(&file);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_string_equal(file_text(), first);
	assert_true(file.failing);
	book(schedule_file_begin(&file, true), 3);
	schedule_file_append(&file);
	assert_false(file.failing);
	assert_non_null(strstr(file_text(), "\n3:1:STARTING"));
	schedule_file_close(&file);
	free(first);
	unlink(path);
}

static void test_a_special_file_is_not_written(void **state)
{
	struct schedule_file file = { .path = path };

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	schedule_file_begin(&file, true);
	schedule_file_append(&file);
	assert_true(file.failing);
	unlink(path);
	file.path = directory;
	schedule_file_begin(&file, true);
	schedule_file_append(&file);
	assert_true(file.failing);
	file.path = "/dev/null";
	schedule_file_begin(&file, true);
	schedule_file_append(&file);
	assert_true(file.failing);
	schedule_file_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_equal_those_of_grid_engine),
		cmocka_unit_test(test_booking_without_a_schedule_file_is_a_no_op),
		cmocka_unit_test(test_lines_are_bounded),
		cmocka_unit_test(test_runs_are_appended_while_they_are_requested),
		cmocka_unit_test(test_a_full_disk_leaves_complete_runs),
		cmocka_unit_test(test_a_special_file_is_not_written),
	};
	int failed;

	if (!mkdtemp(directory))
		return 77;
	snprintf(path, sizeof(path), "%s/schedule", directory);
	log_open("dispatch_schedule", false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return failed;
}
