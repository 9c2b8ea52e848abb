/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "execution" of jobs: what is read is written again, wrong members are refused, and changes are
 * applied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/members/execution.h"
#include "tests/values.h"
#include "tests/members/stored.h"

static int take(const char *text, enum execution_source source, struct execution *execution, struct error *error)
{
	taking_clear(&taking);
	*execution = (struct execution){ .script = NULL };
	*error = (struct error){ "" };
	return execution_read(execution, &taking, object_of(text), source, error);
}

static void assert_execution(const struct execution *execution, const char *expected)
{
	struct out out;

	assert_int_equal(out_open_memory(&out, 1u << 20), 0);
	execution_write(&out, execution, NULL);
	assert_written(&out, expected);
}

#define ALL \
	"{\"umask\":\"077\",\"command\":[\"/bin/sh\",\"a b\",\"\"],\"script\":\"#!/bin/sh\\n\\techo \\\"\\\\\\u0001\",\"shell\":\"$HOME/sh\"," \
	"\"use_shell\":false,\"environment\":{\"Z\":\"\",\"A\":\"1\\n\\u001F\x7f\xc2\x85\"},\"context\":{},\"cwd\":\"/tmp\",\"join\":true," \
	"\"rerun\":false,\"notify\":true,\"ends_on_error\":false,\"session\":\"s@1\",\"mail_options\":\"bea\",\"mail_list\":[\"a@b\",\"c\"]," \
	"\"stdin_path\":\"/i\",\"stdout_path\":\"o/$JOB_ID\",\"stderr_path\":\"e\""

static void test_every_member_is_read_and_written_in_its_order(void **state)
{
	struct execution execution;
	struct error error;

	(void)state;
	assert_int_equal(take(ALL "}", EXECUTION_NEW, &execution, &error), 0);
	assert_execution(&execution, ALL "}");
	assert_int_equal(execution.command.n, 3);
	assert_string_equal(execution_program(&execution), "/bin/sh");
	assert_string_equal(execution.script, "#!/bin/sh\n\techo \"\\\x01");
	assert_true(!execution.use_shell && execution.join && execution.notify && !execution.ends_on_error);
	assert_int_equal(execution.rerun, SAID_NO);
	assert_int_equal(execution.environment.n, 2);
	assert_string_equal(execution.environment.items[0].name, "Z");
	assert_int_equal(execution.context.n, 0);
	assert_string_equal(execution.mail_list.items[1], "c");
	assert_int_equal(execution_check(&execution, &error), 0);
	assert_int_equal(take(ALL ",\"after_ok\":[3,1]}", EXECUTION_STORED, &execution, &error), 0);
	assert_execution(&execution, ALL ",\"after_ok\":[3,1]}");
	assert_int_equal(execution.after_ok.items[0], 3);
}

static void test_members_of_other_versions_and_wrong_values_stay_in_the_store(void **state)
{
	static const char row[] = "{\"later\":{\"a\":[1,2.50,null]},\"command\":[\"x\",5],\"umask\":18,\"environment\":{\"A\":null},"
				  "\"join\":null,\"cwd\":\"relative\",\"after_ok\":[0]}";
	struct execution execution;
	struct error error;

	(void)state;
	assert_int_equal(take(row, EXECUTION_STORED, &execution, &error), -EINVAL);
	assert_string_equal(error.text, "execution: \"later\" cannot be requested");
	assert_execution(&execution, "{\"later\":{\"a\":[1,2.5,null]},\"command\":[\"x\",5],\"umask\":18,\"environment\":{\"A\":null},"
				     "\"join\":null,\"cwd\":\"relative\",\"after_ok\":[0]}");
	assert_true(!execution.umask && !execution.join && execution.environment.n == 0 && execution.after_ok.n == 0);
	assert_null(execution_program(&execution));
	assert_int_equal(execution_check(&execution, &error), -EINVAL);
}

static void test_a_wrong_member_is_refused_with_its_name(void **state)
{
	static const struct { const char *text, *due; } wrong[] = {
		{ "{}", "execution: command: missing" },
		{ "{\"command\":[]}", "execution: command: a list of strings is expected, the program first" },
		{ "{\"command\":[\"\"]}", "execution: command: a list of strings is expected, the program first" },
		{ "{\"foo\":1}", "execution: \"foo\" cannot be requested" },
		{ "{\"after_ok\":[1]}", "execution: \"after_ok\" cannot be requested" },
		{ "{\"context_changes\":{}}", "execution: \"context_changes\" cannot be requested" },
		{ "{\"join\":null}", "execution: join: true or false is expected" },
		{ "{\"umask\":\"8\",\"join\":1}", "execution: umask: octal permissions are expected" },
		{ "{\"environment\":{\"A=\":\"\"}}", "execution: environment: an object of strings is expected" },
	};
	struct execution execution;
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int rc = take(wrong[i].text, EXECUTION_NEW, &execution, &error);

		assert_int_equal(rc ? rc : execution_check(&execution, &error), -EINVAL);
		assert_string_equal(error.text, wrong[i].due);
	}
}

static void test_changes_replace_add_and_remove_members(void **state)
{
	static const char changes_text[] = "{\"join\":null,\"cwd\":\"/new\",\"stdin_path\":\"/i\",\"context_changes\":{\"b\":null,\"c\":\"3\",\"a\":\"0\"},"
					   "\"umask\":null}";
	struct execution execution, changes = { .script = NULL };
	struct values job;
	struct error error;
	const char *row = "{\"join\":true,\"command\":[\"x\"],\"cwd\":\"/old\",\"context\":{\"a\":\"1\",\"b\":\"2\"},\"later\":1}";

	(void)state;
	assert_non_null(object_of(row));
	assert_non_null(values_copy(&values, &job));
	execution = (struct execution){ .script = NULL };
	assert_int_equal(execution_read(&execution, &taking, job.items, EXECUTION_STORED, &error), -EINVAL);
	assert_int_equal(execution_read(&changes, &taking, object_of(changes_text), EXECUTION_CHANGES, &error), 0);
	assert_int_equal(execution_change(&execution, &changes, &taking), 0);
	assert_execution(&execution, "{\"command\":[\"x\"],\"cwd\":\"/new\",\"context\":{\"a\":\"0\",\"c\":\"3\"},\"later\":1,\"stdin_path\":\"/i\"}");
	assert_false(execution.join);
	assert_int_equal(execution_set_after_ok(&execution, &taking, (struct number_list){ (const uint32_t[]){ 7 }, 1 }), 0);
	assert_execution(&execution, "{\"command\":[\"x\"],\"cwd\":\"/new\",\"context\":{\"a\":\"0\",\"c\":\"3\"},\"later\":1,\"stdin_path\":\"/i\",\"after_ok\":[7]}");
	assert_int_equal(execution_set_after_ok(&execution, &taking, (struct number_list){ NULL, 0 }), 0);
	assert_int_equal(execution.after_ok.n, 0);
	values_destroy(&job);
}

static void test_members_are_set_one_by_one(void **state)
{
	const struct variable variables[] = { { "a", "1" }, { "b", NULL } };
	const struct execution from = { .shell = "/bin/sh", .rerun = SAID_NO, .context_changes = { variables, 2 } };
	struct execution execution = { .script = NULL };

	(void)state;
	taking_clear(&taking);
	assert_int_equal(execution_set(&execution, &taking, &from, "shell"), 0);
	assert_int_equal(execution_set(&execution, &taking, &from, "rerun"), 0);
	assert_int_equal(execution_set(&execution, &taking, &from, "context_changes"), 0);
	assert_execution(&execution, "{\"shell\":\"/bin/sh\",\"rerun\":false,\"context_changes\":{\"a\":\"1\",\"b\":null}}");
	assert_int_equal(execution_set_null(&execution, &taking, "shell"), 0);
	assert_execution(&execution, "{\"shell\":null,\"rerun\":false,\"context_changes\":{\"a\":\"1\",\"b\":null}}");
	assert_int_equal(execution_set(&execution, &taking, &from, "shell"), 0);
	assert_execution(&execution, "{\"shell\":\"/bin/sh\",\"rerun\":false,\"context_changes\":{\"a\":\"1\",\"b\":null}}");
}

static void test_a_change_of_the_context_makes_one(void **state)
{
	struct execution execution, changes = { .script = NULL };
	struct values job;
	struct error error;

	(void)state;
	assert_non_null(object_of("{\"command\":[\"x\"]}"));
	assert_non_null(values_copy(&values, &job));
	execution = (struct execution){ .script = NULL };
	assert_int_equal(execution_read(&execution, &taking, job.items, EXECUTION_STORED, &error), 0);
	assert_int_equal(execution_read(&changes, &taking, object_of("{\"context_changes\":{\"a\":null}}"), EXECUTION_CHANGES, &error), 0);
	assert_int_equal(execution_change(&execution, &changes, &taking), 0);
	assert_execution(&execution, "{\"command\":[\"x\"],\"context\":{}}");
	values_destroy(&job);
}

static void test_hidden_members_are_not_written(void **state)
{
	static const char *const hidden[] = { "environment", "command", NULL };
	struct execution execution;
	struct error error;
	struct out out;

	(void)state;
	assert_int_equal(take("{\"environment\":{},\"cwd\":\"/\",\"command\":[\"x\"],\"join\":true}", EXECUTION_NEW, &execution, &error), 0);
	assert_int_equal(out_open_memory(&out, 1u << 20), 0);
	execution_write(&out, &execution, hidden);
	assert_written(&out, "{\"cwd\":\"/\",\"join\":true}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_member_is_read_and_written_in_its_order),
		cmocka_unit_test(test_members_of_other_versions_and_wrong_values_stay_in_the_store),
		cmocka_unit_test(test_a_wrong_member_is_refused_with_its_name),
		cmocka_unit_test(test_changes_replace_add_and_remove_members),
		cmocka_unit_test(test_members_are_set_one_by_one),
		cmocka_unit_test(test_a_change_of_the_context_makes_one),
		cmocka_unit_test(test_hidden_members_are_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
