/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as the scheduler of a local cell receives them, and the operands in them. */
#include "tests/client/talk.h"

#include "sched/client/job.h"

static void assert_sent(const struct scheduler_request *request, const char *wanted)
{
	json_t *should = json_loads(wanted, 0, NULL), *is;
	struct talk talk;

	talk_begin(&talk);
	assert_non_null(should);
	assert_int_equal(request_send(&talk.connection, request, &talk.messages), EXIT_OK);
	is = talk_heard(&talk);
	if (!json_equal(is, should))
		fail_msg("is %s, not %s", json_dumps(is, JSON_SORT_KEYS), wanted);
	json_decref(is);
	json_decref(should);
	talk_end(&talk);
}

/* Read the operands of a command. The caller clears them. */
static struct operand_list operands(const char *tasks, const char *users, ...)
{
	struct messages messages = { .items = NULL };
	struct operand_list list = { .n = 0 };
	char *words[8] = { NULL };
	va_list arguments;
	size_t n = 0;

	va_start(arguments, users);
	while (n < 7 && (words[n] = va_arg(arguments, char *)) != NULL)
		n++;
	va_end(arguments);
	assert_int_equal(operands_take_all(&messages, &list, "del", words, tasks, users), EXIT_OK);
	return list;
}

static void test_requests_about_jobs_name_tasks_and_users(void **unused)
{
	struct operand_list list = operands("2-3", "ann,bob", "17", "18.1", "all", NULL);

	(void)unused;
	assert_int_equal(list.n, 6);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_DELETE, .operands = &list },
		    "{\"request\":\"delete\",\"force\":false,\"jobs\":["
		    "{\"job\":\"17\",\"tasks\":\"2-3\",\"user\":\"ann\"},{\"job\":\"18\",\"tasks\":\"1\",\"user\":\"ann\"},"
		    "{\"job\":\"*\",\"tasks\":\"2-3\",\"user\":\"ann\"},"
		    "{\"job\":\"17\",\"tasks\":\"2-3\",\"user\":\"bob\"},{\"job\":\"18\",\"tasks\":\"1\",\"user\":\"bob\"},"
		    "{\"job\":\"*\",\"tasks\":\"2-3\",\"user\":\"bob\"}]}");
	operands_clear(&list);
	list = operands(NULL, "ann", NULL);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_HOLD, .operands = &list, .holds = "uo" },
		    "{\"request\":\"hold\",\"jobs\":[{\"user\":\"ann\"}],\"kind\":\"uo\"}");
	operands_clear(&list);
	assert_int_equal(operands_add_job(&list, 17, 0) | operands_add_job(&list, 18, 4), 0);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_RESCHEDULE, .operands = &list, .force = true },
		    "{\"request\":\"reschedule\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"18\",\"tasks\":\"4\"}],\"force\":true}");
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_JOBPRIO, .operands = &list, .priority = -5, .is_relative = true },
		    "{\"request\":\"jobprio\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"18\",\"tasks\":\"4\"}],\"by\":-5}");
	operands_clear(&list);
}

static void test_requests_about_queues_and_reservations_name_them(void **unused)
{
	char *words[] = { (char *)"all.q,b@h", (char *)"c", NULL }, *missing[] = { (char *)"a,", NULL };
	struct messages messages = { .items = NULL };
	struct operand_list list = { .n = 0 };

	(void)unused;
	assert_int_equal(operands_take_queues(&messages, &list, "mod", words), EXIT_OK);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_DISABLE, .operands = &list },
		    "{\"request\":\"disable\",\"queues\":[\"all.q\",\"b@h\",\"c\"]}");
	assert_int_equal(operands_take_queues(&messages, &list, "mod", missing), EXIT_USAGE);
	assert_true(message_is_about(&messages.items[0], "mod"));
	operands_clear(&list);
	assert_int_equal(operands_add(&messages, &list, "reserve del", "*", "ann"), EXIT_OK);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_UNRESERVE, .operands = &list },
		    "{\"request\":\"unreserve\",\"reservations\":[{\"reservation\":\"*\",\"user\":\"ann\"}]}");
	operands_clear(&list);
	messages_free(&messages);
}

static void test_a_submission_has_a_job_and_an_execution(void **unused)
{
	struct messages messages = { .items = NULL };
	struct job job = { .verb = "test", .messages = &messages };
	const char *const addresses[] = { "ann", "bob@example.org" };

	(void)unused;
	assert_int_equal(job_set_name(&job, "nap"), 0);
	assert_int_equal(job_set_start(&job, 1796030000), 0);
	assert_int_equal(job_set_session(&job, "s"), 0);
	assert_int_equal(job_set_join(&job, true), 0);
	assert_int_equal(job_set_ends_on_error(&job), 0);
	assert_int_equal(job_set_mail_list(&job, (char *const *)addresses, 2), 0);
	assert_int_equal(job_set_name(&job, "\377"), -EINVAL);
	assert_int_equal(job_set_variable(&job, "A", 1, "\300\257"), -EINVAL);
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_SUBMIT, .job = &job, .check = "w", .follow = true },
		    "{\"request\":\"submit\",\"job\":{\"job_name\":\"nap\",\"execution_time\":1796030000},\"execution\":"
		    "{\"session\":\"s\",\"join\":true,\"ends_on_error\":true,\"mail_list\":[\"ann\",\"bob@example.org\"]},"
		    "\"check\":\"w\",\"follow\":true}");
	job_close(&job);
	messages_free(&messages);
}

static void test_other_requests_have_their_own_members(void **unused)
{
	const struct priority_edit edit = { .name = "setfactor", .customer = "ann@x", .has_value = true, .value = 2.5, .duration_s = 60 };

	(void)unused;
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_FOLLOW, .number = 4294967295 },
		    "{\"request\":\"follow\",\"job_number\":4294967295}");
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_SESSION, .session = "x" },
		    "{\"request\":\"session\",\"session\":\"x\"}");
	assert_sent(&(struct scheduler_request){ .kind = REQUEST_USERPRIO, .edit = &edit },
		    "{\"request\":\"userprio\",\"edit\":\"setfactor\",\"customer\":\"ann@x\",\"value\":2.5,\"duration\":60}");
}

static void test_a_request_that_is_too_long_is_refused(void **unused)
{
	struct messages messages = { .items = NULL };
	struct operand_list list = { .n = 0 };
	char *name = malloc(REQUEST_LINE_BYTES + 1);
	struct talk talk;

	(void)unused;
	assert_non_null(name);
	memset(name, 'x', REQUEST_LINE_BYTES);
	name[REQUEST_LINE_BYTES] = '\0';
	assert_int_equal(operands_add(&messages, &list, "del", name, NULL), EXIT_OK);
	talk_begin(&talk);
	assert_int_equal(request_send(&talk.connection,
				      &(struct scheduler_request){ .kind = REQUEST_DELETE, .operands = &list }, &messages),
			 EXIT_USAGE);
	assert_non_null(strstr(messages.items[0].text, "the request is longer than 1048576 bytes"));
	talk_end(&talk);
	operands_clear(&list);
	messages_free(&messages);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_about_jobs_name_tasks_and_users),
		cmocka_unit_test(test_requests_about_queues_and_reservations_name_them),
		cmocka_unit_test(test_a_submission_has_a_job_and_an_execution),
		cmocka_unit_test(test_other_requests_have_their_own_members),
		cmocka_unit_test(test_a_request_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
