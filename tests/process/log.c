/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log as a reader of standard error gets them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "sched/process/log.h"

static int from, before;
static char got[1 << 20];

static int setup(void **unused)
{
	int both[2];

	(void)unused;
	if (pipe(both))
		return -1;
	before = dup(STDERR_FILENO);
	dup2(both[1], STDERR_FILENO);
	close(both[1]);
	from = both[0];
	fcntl(from, F_SETFL, O_NONBLOCK);
	unsetenv("JOURNAL_STREAM");
	log_open("program", false);
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	dup2(before, STDERR_FILENO);
	close(before);
	close(from);
	return 0;
}

/* Return all available lines. */
static const char *read_all(void)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(from, got + used, sizeof(got) - 1 - used)) > 0)
		used += (size_t)n;
	got[used] = '\0';
	return got;
}

static void test_a_line_has_no_control_characters(void **unused)
{
	const struct log_event event = { .name = "submit", .user = "an\x1bn\nb", .uid = 7 };

	(void)unused;
	log_line(LOG_NOTE, "a\nb\x1b[31mc\x80");
	assert_string_equal(read_all(), "program: a?b?[31mc?\n");
	log_event(LOG_NOTE, &event, "x\ry");
	assert_string_equal(read_all(), "program: submit by an?n?b (7): x?y\n");
}

static void test_details_are_logged_on_request(void **unused)
{
	(void)unused;
	log_line(LOG_DETAIL, "run");
	assert_string_equal(read_all(), "");
	log_open("program", true);
	log_line(LOG_DETAIL, "run");
	assert_string_equal(read_all(), "program: run\n");
	log_open("program", false);
}

static void test_a_line_for_the_journal_has_its_level_and_no_time(void **unused)
{
	(void)unused;
	setenv("JOURNAL_STREAM", "8:1", 1);
	log_open("program", false);
	log_line(LOG_ODD, "text");
	assert_string_equal(read_all(), "<4>text\n");
	unsetenv("JOURNAL_STREAM");
	log_open("program", false);
}

static void test_a_blocked_reader_delays_no_writer_and_lost_lines_are_counted(void **unused)
{
	unsigned lines = 0, lost = 0;

	(void)unused;
	for (int i = 0; i < 10000; i++)		/* more than a pipe holds: a blocking write would hang */
		log_line(LOG_NOTE, "line %d of many, each of which is as long as lines of a log are", i);
	for (const char *at = read_all(); (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 1, 9999);
	log_line(LOG_NOTE, "afterwards");
	assert_int_equal(sscanf(read_all(), "program: the log was not read for a while: %u lines are lost\n", &lost),
			 1);
	assert_int_equal(lines + lost, 10000);
	assert_non_null(strstr(got, "program: afterwards\n"));
}

static void test_a_line_begins_with_the_time_and_its_zone(void **unused)
{
	char text[40] = "";
	int year, minute, zone;

	(void)unused;
	setenv("TZ", "IST-5:30", 1);
	log_open("program", false);
	log_stamp();
	log_line(LOG_NOTE, "text");
	assert_int_equal(
		sscanf(read_all(), "%d-%*d-%*dT%*d:%d:%*d.%*3d+05:%d program: %39s\n", &year, &minute, &zone, text), 4);
	assert_int_equal(zone, 30);
	assert_string_equal(text, "text");
}

static void test_with_json_every_line_is_an_object(void **unused)
{
	const struct log_event event = {
		.name = "delete", .user = "a\"\\\n", .uid = 7, .job_number = 5, .task = 3, .refused = true
	};
	char text[3000];
	json_t *line;

	(void)unused;
	log_json();
	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_event(LOG_NOTE, &event, "%s", text);
	line = json_loads(read_all(), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(line);
	assert_string_equal(json_string_value(json_object_get(line, "level")), "notice");
	assert_string_equal(json_string_value(json_object_get(line, "event")), "delete");
	assert_string_equal(json_string_value(json_object_get(line, "user")), "a\"\\?");
	assert_int_equal(json_integer_value(json_object_get(line, "uid")), 7);
	assert_int_equal(json_integer_value(json_object_get(line, "job")), 5);
	assert_int_equal(json_integer_value(json_object_get(line, "task")), 3);
	assert_true(json_is_true(json_object_get(line, "refused")));
	assert_int_equal(strlen(json_string_value(json_object_get(line, "time"))), 29);
	json_decref(line);
	log_line(LOG_FAILURE, "x");
	assert_non_null(strstr(read_all(), "\"level\":\"error\",\"text\":\"x\"}\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_has_no_control_characters),
		cmocka_unit_test(test_details_are_logged_on_request),
		cmocka_unit_test(test_a_line_for_the_journal_has_its_level_and_no_time),
		cmocka_unit_test(test_a_blocked_reader_delays_no_writer_and_lost_lines_are_counted),
		cmocka_unit_test(test_a_line_begins_with_the_time_and_its_zone),
		cmocka_unit_test(test_with_json_every_line_is_an_object),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
