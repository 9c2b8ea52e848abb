/* SPDX-License-Identifier: Apache-2.0 */
/* Replies and news of a scheduler: typed, complete, and safe if they are invalid. */
#include "tests/client/talk.h"

#define RESULT "{\"results\":[{\"code\":0,\"text\":\"Your job 17 has been submitted\",\"job_number\":17,\"note\":\"no mail\"}]}\n"

static const struct scheduler_request again = { .kind = REQUEST_RESUBMIT, .number = 17 };

static void test_a_result_has_code_job_text_note_and_lines(void **unused)
{
	struct talk talk;
	struct reply reply;

	(void)unused;
	talk_begin(&talk);
	talk_say(&talk, "{\"results\":[{\"code\":0,\"text\":\"a\",\"job_number\":17,\"note\":\"n\",\"lines\":[\"x\",\"y\",5],"
			"\"tasks\":\"1-3\"},{\"code\":4,\"text\":\"no\"}]}\n");
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_OK);
	assert_int_equal(reply.n, 2);
	assert_int_equal(reply.items[0].code, EXIT_OK);
	assert_int_equal(reply.items[0].job_number, 17);
	assert_string_equal(reply.items[0].text, "a");
	assert_string_equal(reply.items[0].note, "n");
	assert_string_equal(reply.items[0].tasks, "1-3");
	assert_int_equal(reply.items[0].nlines, 3);
	assert_string_equal(reply.items[0].lines[1], "y");
	assert_string_equal(reply.items[0].lines[2], "");
	assert_int_equal(reply.items[1].code, EXIT_PERMISSION);
	assert_null(reply.items[1].note);
	assert_int_equal(reply_code(&reply), EXIT_PERMISSION);
	assert_int_equal(reply_job(&reply), 17);
	assert_int_equal(talk.messages.n, 0);
	reply_free(&reply);
	talk_end(&talk);
}

static void test_a_result_has_a_reason_and_its_object(void **unused)
{
	struct talk talk;
	struct reply reply;

	(void)unused;
	talk_begin(&talk);
	talk_say(&talk, "{\"results\":[{\"code\":3,\"reason\":\"no_job\",\"object\":\"a b\"},"
			"{\"code\":0,\"reason\":\"in_state\",\"job_number\":17},"
			"{\"code\":2,\"reason\":\"unknown_queue\",\"object\":5}]}\n");
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_OK);
	assert_int_equal(reply.items[0].reason, REPLY_NO_JOB);
	assert_string_equal(reply.items[0].object, "a b");
	assert_int_equal(reply.items[1].reason, REPLY_IN_STATE);
	assert_null(reply.items[1].object);
	assert_int_equal(reply.items[2].reason, REPLY_UNKNOWN_QUEUE);
	assert_null(reply.items[2].object);
	reply_free(&reply);
	talk_end(&talk);
}

static void test_the_reason_of_an_older_or_later_scheduler_is_another_one(void **unused)
{
	struct talk talk;
	struct reply reply;

	(void)unused;
	talk_begin(&talk);
	talk_say(&talk, "{\"results\":[{\"code\":3,\"text\":\"denied: job \\\"17\\\" does not exist\"},"
			"{\"code\":2,\"reason\":\"weather\"},{\"code\":2,\"reason\":5},{\"code\":2,\"reason\":null}]}\n");
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_OK);
	for (size_t k = 0; k < reply.n; k++) {
		assert_int_equal(reply.items[k].reason, REPLY_OTHER);
		assert_null(reply.items[k].object);
	}
	reply_free(&reply);
	talk_end(&talk);
}

static void test_an_unknown_code_and_a_missing_text_are_failures(void **unused)
{
	struct talk talk;
	struct reply reply;

	(void)unused;
	talk_begin(&talk);
	talk_say(&talk, "{\"results\":[{\"code\":99},{\"code\":-1},{\"code\":0},5]}\n");
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_OK);
	assert_int_equal(reply.items[0].code, EXIT_NOT_STORED);
	assert_string_equal(reply.items[0].text, "refused");
	assert_int_equal(reply.items[1].code, EXIT_NOT_STORED);
	assert_string_equal(reply.items[2].text, "done");
	assert_int_equal(reply.items[3].code, EXIT_OK);
	reply_free(&reply);
	talk_end(&talk);
}

static void test_a_reply_that_is_invalid_or_missing_is_a_message(void **unused)
{
	static const char *const invalid[] = { "\n", "null\n", "x\n", "{}\n", "[]\n", "{\"results\":[]}\n", "{\"results\":5}\n" };
	struct talk talk;
	struct reply reply;

	(void)unused;
	for (size_t k = 0; k < sizeof(invalid) / sizeof(*invalid); k++) {
		talk_begin(&talk);
		talk_say(&talk, invalid[k]);
		assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_NO_DATA);
		assert_non_null(strstr(talk.messages.items[0].text, "does not understand"));
		assert_int_equal(reply.n, 0);
		talk_end(&talk);
	}
	talk_begin(&talk);
	talk_say(&talk, "{\"results\":");
	shutdown(talk.scheduler, SHUT_WR);
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_NO_DATA);
	assert_string_equal(talk.messages.items[0].text,
			    "/cell: the scheduler has not answered; fairlead stat shows whether the request was carried out");
	talk_end(&talk);
	talk_begin(&talk);
	talk_hang_up(&talk);
	assert_int_equal(request_ask(&talk.connection, &again, &reply, &talk.messages), EXIT_NO_DATA);
	assert_non_null(strstr(talk.messages.items[0].text, "has not answered: Broken pipe"));
	talk_end(&talk);
}

static void test_replies_can_be_joined_and_printed_as_json(void **unused)
{
	struct talk talk;
	struct reply all = { .n = 0 }, one;
	char *text;

	(void)unused;
	talk_begin(&talk);
	for (int k = 0; k < 2; k++) {
		talk_say(&talk, RESULT);
		assert_int_equal(request_ask(&talk.connection, &again, &one, &talk.messages), EXIT_OK);
		assert_int_equal(reply_append(&all, &one), 0);
		assert_int_equal(one.n, 0);
	}
	assert_int_equal(all.n, 2);
	text = reply_json(&all);
	assert_string_equal(text, "[{\"code\":0,\"text\":\"Your job 17 has been submitted\",\"job_number\":17,\"note\":\"no mail\"},"
				  "{\"code\":0,\"text\":\"Your job 17 has been submitted\",\"job_number\":17,\"note\":\"no mail\"}]");
	free(text);
	reply_free(&all);
	talk_end(&talk);
}

static void test_news_arrive_one_after_the_other(void **unused)
{
	struct talk talk;
	struct news news;

	(void)unused;
	talk_begin(&talk);
	assert_int_equal(news_receive(&talk.connection, false, &news), -EAGAIN);
	talk_say(&talk, "{\"news\":\"started\",\"job_number\":17,\"task\":2}\n"
			"{\"news\":\"ended\",\"job_number\":17,\"failed\":19,\"exit_status\":3,\"signal\":9,\"requeue\":true}\n"
			"{\"news\":\"error\",\"text\":\"x\"}\n{\"news\":\"weather\"}\n{\"news\":\"gone\"}\nnull\n" RESULT);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_true(news.kind == NEWS_STARTED && news.job_number == 17 && news.task == 2);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_true(news.kind == NEWS_ENDED && news.failed == 19 && news.exit_status == 3 && news.signal == 9 && news.requeue);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_int_equal(news.kind, NEWS_ERROR);
	assert_string_equal(news.text, "x");
	news_free(&news);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_int_equal(news.kind, NEWS_UNKNOWN);
	assert_int_equal(news_receive(&talk.connection, false, &news), 0);
	assert_int_equal(news.kind, NEWS_GONE);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_true(news.kind == NEWS_REPLY && news.reply.n == 0);
	assert_int_equal(news_receive(&talk.connection, true, &news), 0);
	assert_true(news.kind == NEWS_REPLY && news.reply.n == 1 && news.reply.items[0].job_number == 17);
	news_free(&news);
	talk_hang_up(&talk);
	assert_int_equal(news_receive(&talk.connection, true, &news), 1);
	talk_end(&talk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_result_has_code_job_text_note_and_lines),
		cmocka_unit_test(test_a_result_has_a_reason_and_its_object),
		cmocka_unit_test(test_the_reason_of_an_older_or_later_scheduler_is_another_one),
		cmocka_unit_test(test_an_unknown_code_and_a_missing_text_are_failures),
		cmocka_unit_test(test_a_reply_that_is_invalid_or_missing_is_a_message),
		cmocka_unit_test(test_replies_can_be_joined_and_printed_as_json),
		cmocka_unit_test(test_news_arrive_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
