/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons of results, which programs distinguish. tests/compat and tests/drmaa use a real
 * scheduler.
 */
#include "tests/client/talk.h"

static void assert_reason(const char *text, enum reply_reason reason, const char *object)
{
	static const struct scheduler_request request = { .kind = REQUEST_RESUBMIT, .number = 17 };
	json_t *line = json_pack("{s:[{s:i,s:s}]}", "results", "code", 3, "text", text);
	struct talk talk;
	struct reply reply;

	talk_begin(&talk);
	char *sent = json_dumps(line, 0);

	talk_say(&talk, sent);
	talk_say(&talk, "\n");
	assert_int_equal(request_ask(&talk.connection, &request, &reply, &talk.messages), EXIT_OK);
	if (reply.items[0].reason != reason)
		fail_msg("%s: reason %d, not %d", text, reply.items[0].reason, reason);
	if (object)
		assert_string_equal(reply.items[0].object, object);
	else
		assert_null(reply.items[0].object);
	reply_free(&reply);
	talk_end(&talk);
	json_decref(line);
	free(sent);
}

static void test_each_reason_is_found_with_its_object(void **unused)
{
	(void)unused;
	assert_reason("denied: job \"17\" does not exist", REPLY_NO_JOB, "17");
	assert_reason("denied: job \"a b\" does not exist", REPLY_NO_JOB, "a b");
	assert_reason("job \"17\" does not exist", REPLY_NO_JOB, "17");
	assert_reason("denied: there are no advance reservations of \"ann\"", REPLY_NO_RESERVATION, "ann");
	assert_reason("job rejected: it requests the unknown queue \"x.q\"", REPLY_NO_QUEUE, "x.q");
	assert_reason("denied: job 17 is altered as a whole, not single tasks of it", REPLY_WHOLE_JOB, NULL);
	assert_reason("task_concurrency: the job is not an array", REPLY_TASK_CONCURRENCY, NULL);
	assert_reason("nothing was held: job 17 has ended", REPLY_NOTHING_CHANGED, NULL);
	assert_reason("ann - job 17 is already suspended", REPLY_WRONG_STATE, NULL);
	assert_reason("job 17 is not suspended", REPLY_WRONG_STATE, NULL);
}

static void test_other_sentences_have_no_reason(void **unused)
{
	static const char *const texts[] = {
		"", "denied: job \"17", "job rejected: it requests the unknown queue \"x", "denied: no job of user \"x\" exists",
		"denied: none of these tasks of job 17 exists", "modified job 17", "Your job 17 (\"nothing was \") has been submitted"
	};

	(void)unused;
	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		assert_reason(texts[k], REPLY_PLAIN, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_reason_is_found_with_its_object),
		cmocka_unit_test(test_other_sentences_have_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
