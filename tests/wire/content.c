/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of messages between the scheduler and hosts: both sides read what the other has
 * written, and refuse any other value with its name.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/wire/content.h"
#include "tests/failing_memory.h"

#define HEAD "\"job_number\":17,\"task\":1"

static json_t *json_of(const char *text)
{
	json_error_t wrong;
	json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &wrong);

	if (!json)
		fail_msg("%s: %s", text, wrong.text);
	return json;
}

/* Tickets */

static int tickets_read(const char *text, struct wire_task **tasks, size_t *n, struct error *error)
{
	json_t *array = json_of(text);
	int rc = wire_tickets_unpack(array, tasks, n, error);

	json_decref(array);
	return rc;
}

static void test_tickets_are_read_as_they_were_written(void **state)
{
	static const struct wire_task sent[] = {
		{ .job_number = 1, .task = 1 },
		{ .job_number = UINT32_MAX, .task = UINT32_MAX, .start_time = (1ll << 53) - 1, .tickets = 1e30,
		  .session = 2, .group = 100, .cgroup = "/a\"b\\c\xc3\xa4" },
		{ .job_number = 17, .task = 3, .start_time = 1700000010, .tickets = 1. / 3, .session = 1 << 30,
		  .group = UINT32_MAX - 1, .cgroup = "/sys/fs/cgroup/17.3" },
	};
	char text[4096];
	struct wire_task *tasks;
	struct error error;
	ssize_t length = wire_tickets_write(text, sizeof(text), sent, 3);
	size_t n;

	(void)state;
	assert_true(length > 0);
	text[length] = '\0';
	assert_int_equal(tickets_read(text, &tasks, &n, &error), 0);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tasks[i].job_number, sent[i].job_number);
		assert_int_equal(tasks[i].task, sent[i].task);
		assert_int_equal(tasks[i].start_time, sent[i].start_time);
		assert_true(tasks[i].tickets == sent[i].tickets);
		assert_int_equal(tasks[i].session, sent[i].session);
		assert_int_equal(tasks[i].group, sent[i].group);
		assert_string_equal(tasks[i].cgroup, sent[i].cgroup);
	}
	free(tasks);
}

static void test_tickets_outside_the_range_are_written_as_its_ends(void **state)
{
	static const double values[][2] = { { NAN, 0 },	  { -1, 0 },	   { -HUGE_VAL, 0 },
					    { 1e31, 1e30 }, { HUGE_VAL, 1e30 }, { -0.0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const struct wire_task sent = { .job_number = 17, .task = 1, .tickets = values[i][0] };
		char text[512];
		struct wire_task *tasks;
		struct error error;
		ssize_t length = wire_tickets_write(text, sizeof(text), &sent, 1);
		size_t n;

		assert_true(length > 0);
		text[length] = '\0';
		assert_int_equal(tickets_read(text, &tasks, &n, &error), 0);
		assert_true(tasks[0].tickets == values[i][1]);
		free(tasks);
	}
}

/* The text fits into as many bytes as it has, and into no fewer. */
static void test_tickets_need_as_much_room_as_their_text(void **state)
{
	static const struct wire_task sent[] = { { .job_number = 17, .task = 1, .tickets = 0.5 },
						 { .job_number = 18, .task = 1, .tickets = 0.25 } };
	char text[512], part[512];
	ssize_t length = wire_tickets_write(text, sizeof(text), sent, 2);

	(void)state;
	assert_true(length > 0);
	for (size_t room = 0; room <= sizeof(part); room++) {
		ssize_t rc = wire_tickets_write(part, room, sent, 2);

		if (room > (size_t)length) {
			assert_int_equal(rc, length);
			assert_memory_equal(part, text, (size_t)length);
		} else if (rc != length) {
			assert_int_equal(rc, -EMSGSIZE);
		}
	}
	assert_int_equal(wire_tickets_write(part, sizeof("[]"), NULL, 0), 2);
	assert_memory_equal(part, "[]", 2);
}

static void test_wrong_members_of_tickets_are_refused_with_their_names(void **state)
{
	static const char *const wrong[][2] = {
		{ "{}", "tickets: an array is expected" },
		{ "null", "tickets: an array is expected" },
		{ "[7]", "an array of objects is expected" },
		{ "[{\"task\":1}]", "job_number: missing" },
		{ "[{\"job_number\":17}]", "task: missing" },
		{ "[{\"job_number\":\"17\",\"task\":1}]", "job_number: an integer is expected" },
		{ "[{\"job_number\":0,\"task\":1}]", "job_number: it is not in 1..4294967295" },
		{ "[{\"job_number\":-1,\"task\":1}]", "job_number, task: they are not in 1..4294967295" },
		{ "[{\"job_number\":17,\"task\":-1}]", "job_number, task: they are not in 1..4294967295" },
		{ "[{\"job_number\":17,\"task\":4294967296}]", "task: it is not in 1..4294967295" },
		{ "[{" HEAD ",\"start_time\":1.0}]", "start_time: an integer is expected" },
		{ "[{" HEAD ",\"start_time\":-5}]", "start_time: it is not in 0.." },
		{ "[{" HEAD ",\"start_time\":9007199254740992}]", "start_time: it is not in 0..9007199254740991" },
		{ "[{" HEAD ",\"tickets\":\"many\"}]", "tickets: a number is expected" },
		{ "[{" HEAD ",\"tickets\":-0.5}]", "tickets: it is not in 0..1e30" },
		{ "[{" HEAD ",\"tickets\":1.1e30}]", "tickets: it is not in 0..1e30" },
		{ "[{" HEAD ",\"session\":1}]", "session: it is not in 2..1073741824" },
		{ "[{" HEAD ",\"session\":1073741825}]", "session: it is not in 2..1073741824" },
		{ "[{" HEAD ",\"group\":99}]", "group: it is not in 100..4294967294" },
		{ "[{" HEAD ",\"group\":4294967295}]", "group: it is not in 100..4294967294" },
		{ "[{" HEAD ",\"cgroup\":5}]", "cgroup: a string is expected" },
		{ "[{" HEAD ",\"cgroup\":\"relative\"}]", "cgroup: a plain absolute path is expected" },
		{ "[{" HEAD ",\"cgroup\":\"/a/../b\"}]", "cgroup: a plain absolute path is expected" },
		{ "[{" HEAD ",\"cgroup\":\"/a/..\"}]", "cgroup: a plain absolute path is expected" },
		{ "[{" HEAD ",\"cgroup\":\"/..\"}]", "cgroup: a plain absolute path is expected" },
		{ "[{" HEAD ",\"cgroup\":\"/a//b\"}]", "cgroup: a plain absolute path is expected" },
		{ "[{" HEAD "},{" HEAD ",\"tickets\":[]}]", "tickets: a number is expected" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct wire_task *tasks;
		struct error error = { "" };
		size_t n;

		if (tickets_read(wrong[i][0], &tasks, &n, &error) != -EINVAL || !strstr(error.text, wrong[i][1]))
			fail_msg("%s: \"%s\" instead of \"%s\"", wrong[i][0], error.text, wrong[i][1]);
	}
}

static void test_paths_of_cgroups_that_are_plain_are_taken(void **state)
{
	static const char *const plain[] = { "/", "/a", "/..a", "/a..", "/a/b..", "/...", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		char text[200];
		struct wire_task *tasks;
		struct error error;
		size_t n;

		snprintf(text, sizeof(text), "[{" HEAD ",\"cgroup\":\"%s\"}]", plain[i]);
		assert_int_equal(tickets_read(text, &tasks, &n, &error), 0);
		assert_string_equal(tasks[0].cgroup, plain[i]);
		free(tasks);
	}
}

static void test_more_tasks_than_a_host_may_have_are_refused(void **state)
{
	json_t *array = json_array(), *message = json_object();
	struct wire_report report;
	struct wire_task *tasks;
	struct error error;
	size_t n;

	(void)state;
	for (size_t i = 0; i < WIRE_TASKS; i++)
		json_array_append_new(array, json_of("{" HEAD "}"));
	assert_int_equal(wire_tickets_unpack(array, &tasks, &n, &error), 0);
	assert_int_equal(n, WIRE_TASKS);
	free(tasks);
	json_array_append_new(array, json_of("{" HEAD "}"));
	assert_int_equal(wire_tickets_unpack(array, &tasks, &n, &error), -E2BIG);
	json_object_set(message, "usage", array);
	assert_int_equal(wire_report_unpack(message, &report, &error), -E2BIG);
	assert_non_null(strstr(error.text, "usage: more than 8192 tasks"));
	json_decref(message);
	json_decref(array);
}

/* Reports */

static const struct wire_usage usage[] = {
	{ .job_number = 17, .task = 1, .start_time = 1700000010, .cpu = 12.5, .mem = 0.25, .io = 0.001, .vmem = 1048576,
	  .maxvmem = 2097152 },
	{ .job_number = 18, .task = 2 },
};
static const struct wire_load load[] = { { "load_avg", "0.31" }, { "arch", "lx-amd64" } };
static const struct wire_report sent_report = { (struct wire_usage *)usage, 2, (struct wire_load *)load, 2, "cgroup",
						"cpu.weight is writable" };

static void assert_reports_equal(const struct wire_report *a, const struct wire_report *b)
{
	assert_int_equal(a->nusage, b->nusage);
	for (size_t i = 0; i < a->nusage; i++)
		assert_memory_equal(&a->usage[i], &b->usage[i], sizeof(*a->usage));
	assert_int_equal(a->nload, b->nload);
	for (size_t i = 0; i < a->nload; i++) {
		assert_string_equal(a->load[i].name, b->load[i].name);
		assert_string_equal(a->load[i].value, b->load[i].value);
	}
	assert_string_equal(a->lever, b->lever);
	assert_string_equal(a->reason, b->reason);
}

static void test_a_report_is_read_as_it_was_packed(void **state)
{
	static const struct wire_report empty = { .nusage = 0 };
	const struct wire_report *const reports[] = { &sent_report, &empty };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *message = json_object();
		struct wire_report report;
		struct error error;

		assert_int_equal(wire_report_pack(message, reports[i]), 0);
		assert_int_equal(json_object_get(message, "load") != NULL, reports[i]->nload > 0);
		assert_int_equal(json_object_get(message, "lever") != NULL, *reports[i]->lever != '\0');
		assert_int_equal(wire_report_unpack(message, &report, &error), 0);
		assert_reports_equal(&report, reports[i]);
		wire_report_free(&report);
		json_decref(message);
	}
}

static void test_wrong_members_of_reports_are_refused_with_their_names(void **state)
{
	static const char *const wrong[][2] = {
		{ "{\"usage\":{}}", "usage: an array is expected" },
		{ "{\"usage\":[1]}", "an array of objects is expected" },
		{ "{\"usage\":[{\"job_number\":17}]}", "task: missing" },
		{ "{\"usage\":[{" HEAD ",\"cpu\":\"x\"}]}", "cpu: a number is expected" },
		{ "{\"usage\":[{" HEAD ",\"mem\":-1}]}", "mem: it is not in 0..1e30" },
		{ "{\"usage\":[{" HEAD ",\"io\":2e30}]}", "io: it is not in 0..1e30" },
		{ "{\"usage\":[{" HEAD ",\"vmem\":null}]}", "vmem: a number is expected" },
		{ "{\"usage\":[{" HEAD ",\"maxvmem\":true}]}", "maxvmem: a number is expected" },
		{ "{\"load\":[]}", "load: an object of at most 256 members is expected" },
		{ "{\"load\":{\"\":\"1\"}}", "load: members with names and strings are expected" },
		{ "{\"load\":{\"a\":1}}", "load: members with names and strings are expected" },
		{ "{\"load\":{\"a\":\"1\",\"b\":2,\"c\":\"3\"}}", "load: members with names and strings are expected" },
		{ "{\"lever\":1}", "lever: a string is expected" },
		{ "{\"reason\":[]}", "reason: a string is expected" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		json_t *message = json_of(wrong[i][0]);
		struct wire_report report;
		struct error error = { "" };

		if (wire_report_unpack(message, &report, &error) != -EINVAL || !strstr(error.text, wrong[i][1]))
			fail_msg("%s: \"%s\" instead of \"%s\"", wrong[i][0], error.text, wrong[i][1]);
		assert_null(report.usage);
		assert_null(report.load);
		json_decref(message);
	}
}

/* Texts have a maximum length. One byte more is refused. */
static void test_texts_that_are_too_long_are_refused(void **state)
{
	static char longest[WIRE_TEXT], longer[WIRE_TEXT + 1];
	const char *const texts[] = { longest, longer };

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	memset(longer, 'x', sizeof(longer) - 1);
	for (int k = 0; k < 2; k++) {
		json_t *messages[] = { json_pack("{s:s}", "lever", texts[k]), json_pack("{s:s}", "reason", texts[k]),
				       json_pack("{s:{s:s}}", "load", "a", texts[k]),
				       json_pack("{s:{s:s}}", "load", texts[k], "1") };

		for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
			struct wire_report report;
			struct error error;

			assert_int_equal(wire_report_unpack(messages[i], &report, &error), k ? -EINVAL : 0);
			wire_report_free(&report);
			json_decref(messages[i]);
		}
	}
}

static void test_more_load_values_than_allowed_are_refused(void **state)
{
	json_t *values = json_object(), *message = json_pack("{s:o}", "load", values);
	struct wire_report report;
	struct error error;

	(void)state;
	for (unsigned i = 0; i < WIRE_LOADS; i++) {
		char name[20];

		snprintf(name, sizeof(name), "load%u", i);
		json_object_set_new(values, name, json_string("1"));
	}
	assert_int_equal(wire_report_unpack(message, &report, &error), 0);
	assert_int_equal(report.nload, WIRE_LOADS);
	wire_report_free(&report);
	json_object_set_new(values, "one more", json_string("1"));
	assert_int_equal(wire_report_unpack(message, &report, &error), -EINVAL);
	json_decref(message);
}

#ifdef CAN_FAIL

static void test_a_report_without_memory_is_refused_and_leaves_nothing(void **state)
{
	long before = alive, allocations = -1;
	bool failed;

	(void)state;
	do {
		json_t *message = json_object();
		struct wire_report report;
		struct error error;
		int packed, unpacked = 0;

		left = ++allocations;
		packed = wire_report_pack(message, &sent_report);
		if (packed == 0)
			unpacked = wire_report_unpack(message, &report, &error);
		failed = left < 0;
		left = -1;
		assert_int_equal(packed ? packed : unpacked, failed ? -ENOMEM : 0);
		if (!failed) {
			assert_reports_equal(&report, &sent_report);
			wire_report_free(&report);
		}
		json_decref(message);
		assert_int_equal(alive, before);
	} while (failed);
	assert_true(allocations > 10);
}

static void test_tickets_without_memory_are_refused(void **state)
{
	json_t *array = json_of("[{" HEAD "}]");
	struct wire_task *tasks;
	struct error error;
	size_t n;

	(void)state;
	left = 0;
	assert_int_equal(wire_tickets_unpack(array, &tasks, &n, &error), -ENOMEM);
	left = -1;
	assert_string_equal(error.text, "out of memory");
	json_decref(array);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tickets_are_read_as_they_were_written),
		cmocka_unit_test(test_tickets_outside_the_range_are_written_as_its_ends),
		cmocka_unit_test(test_tickets_need_as_much_room_as_their_text),
		cmocka_unit_test(test_wrong_members_of_tickets_are_refused_with_their_names),
		cmocka_unit_test(test_paths_of_cgroups_that_are_plain_are_taken),
		cmocka_unit_test(test_more_tasks_than_a_host_may_have_are_refused),
		cmocka_unit_test(test_a_report_is_read_as_it_was_packed),
		cmocka_unit_test(test_wrong_members_of_reports_are_refused_with_their_names),
		cmocka_unit_test(test_texts_that_are_too_long_are_refused),
		cmocka_unit_test(test_more_load_values_than_allowed_are_refused),
#ifdef CAN_FAIL
		cmocka_unit_test(test_a_report_without_memory_is_refused_and_leaves_nothing),
		cmocka_unit_test(test_tickets_without_memory_are_refused),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
