/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead submit -now y and -sync y: their reaction to the news of a job. tests/local/jobs uses a
 * real scheduler.
 */
#include "tests/cli/submit.h"

#define STARTED "{\"news\":\"started\",\"job_number\":17}\n"
#define GONE "{\"news\":\"gone\",\"job_number\":17}"
#define ENDED(task, failed, status, signal) \
	"{\"news\":\"ended\",\"job_number\":17," task "\"failed\":" #failed ",\"exit_status\":" #status ",\"signal\":" #signal "}\n"
#define TASK(id) "\"task\":" #id ","
#define NEWS(...) SUBMITTED "\n" __VA_ARGS__
#define SYNC(reply, ...) ASK(reply, "submit", "-sync", "y", __VA_ARGS__, "--", "true")

static void assert_said(int wanted, const char *text)
{
	if (code != wanted || strcmp(err, text) != 0)
		fail_msg("exit %d, not %d; \"%s\", not \"%s\"", code, wanted, err, text);
}

/* Check whether the request asks for news, and for a start at once. */
static void assert_asked(bool follow, bool now)
{
	json_t *asked = request(0);

	assert_int_equal(json_is_true(json_object_get(asked, "follow")), follow);
	assert_int_equal(json_is_true(json_object_get(json_object_get(asked, "job"), "now")), now);
	json_decref(asked);
}

static void test_submit_requests_news_when_it_follows_the_job(void **state)
{
	(void)state;
	SYNC(NEWS(STARTED ENDED("", 0, 0, 0) GONE), "-j", "n");
	assert_asked(true, false);
	ASK(NEWS(STARTED), "submit", "-now", "y", "--", "true");
	assert_asked(true, true);
	SUBMIT("-now", "n", "-sync", "n");
	assert_asked(false, false);
}

static void test_the_exit_status_is_that_of_the_job(void **state)
{
	(void)state;
	SYNC(NEWS(STARTED ENDED("", 0, 3, 0) GONE), "-j", "n");
	assert_string_equal(out, "Your job 17 (\"x\") has been submitted\n");
	assert_said(3, "Job 17 exited with exit code 3.\n");
	SYNC(NEWS(ENDED("", 27, 127, 0) GONE), "-terse");
	assert_string_equal(out, "17\n");
	assert_said(127, "Job 17 exited with exit code 127.\n");
	SYNC(NEWS(ENDED("", 0, 137, 9) GONE), "-j", "n");
	assert_said(1, "Job 17 exited because of signal SIGKILL\n");
	SYNC(NEWS(ENDED("", 19, 137, 9) GONE), "-j", "n");
	assert_said(1, "Job 17 was lost: its shepherd or the machine went down\n");
	SYNC(NEWS(GONE), "-j", "n");
	assert_said(1, "Unable to run job 17.\n");
}

static void test_the_exit_code_is_the_first_nonzero_one_of_several_tasks(void **state)
{
	(void)state;
	SYNC(NEWS(ENDED(TASK(2), 0, 0, 0) ENDED(TASK(3), 0, 4, 0) ENDED(TASK(1), 0, 5, 0) GONE), "-t", "1-3");
	assert_said(4, "Job 17.2 exited with exit code 0.\nJob 17.3 exited with exit code 4.\nJob 17.1 exited with exit code 5.\n");
	SYNC(NEWS(ENDED(TASK(2), 0, 7, 0) ENDED(TASK(2), 0, 7, 0) GONE), "-t", "1-3");
	assert_said(1, "Job 17.2 exited with exit code 7.\nUnable to run 2 of the tasks of job 17.\n");
	SYNC(NEWS(ENDED(TASK(1), 0, 7, 0) ENDED(TASK(2), 0, 143, 15) GONE), "-t", "1-2");
	assert_said(1, "Job 17.1 exited with exit code 7.\nJob 17.2 exited because of signal SIGTERM\n");
}

static void test_the_largest_task_number_counts(void **state)
{
	(void)state;
	SYNC(NEWS(ENDED(TASK(4294967295), 0, 2, 0) GONE), "-t", "4294967295");
	assert_said(2, "Job 17.4294967295 exited with exit code 2.\n");
}

static void test_an_immediate_job_has_started_or_has_not(void **state)
{
#define WAITING "Waiting for immediate job to be scheduled.\n"
#define SCHEDULED "Your immediate job 17 has been successfully scheduled.\n"
	(void)state;
	ASK(NEWS(STARTED), "submit", "-now", "y", "--", "true");
	assert_said(0, WAITING SCHEDULED);
	ASK(NEWS(GONE), "submit", "-now", "y", "--", "true");
	assert_said(1, WAITING "Your request could not be scheduled; try again later.\n");
	ASK(NEWS(STARTED STARTED ENDED("", 0, 9, 0) GONE), "submit", "-now", "y", "-sync", "y", "--", "true");
	assert_said(9, WAITING SCHEDULED "Job 17 exited with exit code 9.\n");
	/* The job began and ended before the client listened. */
	ASK(NEWS(ENDED("", 0, 9, 0)), "submit", "-now", "y", "--", "true");
	assert_said(0, WAITING SCHEDULED);
}

static void test_a_note_of_the_scheduler_is_printed_with_the_answer(void **state)
{
	(void)state;
	ASK("{\"reply\":\"done\",\"results\":[{\"code\":0,\"text\":\"submitted\",\"job_number\":17,\"note\":\"no mail will come\"}]}", "submit", "--", "true");
	assert_string_equal(out, "submitted\n");
	assert_said(0, "fairlead: no mail will come\n");
}

static void test_a_job_in_error_is_reported_and_waited_for(void **state)
{
#define IN_ERROR(task, text) "{\"news\":\"error\",\"job_number\":17," task "\"text\":\"" text "\"}\n"
	(void)state;
	SYNC(NEWS(IN_ERROR("", "x: command not found") IN_ERROR("", "x: command not found") ENDED("", 0, 0, 0) GONE), "-j", "n");
	assert_said(0, "Job 17 is in the error state: x: command not found\n"
		       "The command waits for it: repair the cause and clear the state with \"fairlead mod -cj 17\", or delete the job with \"fairlead del 17\".\n"
		       "Job 17 exited with exit code 0.\n");
	SYNC(NEWS(IN_ERROR(TASK(2), "no") GONE), "-t", "1-3");
	if (code != 1 || !strstr(err, "Job 17.2 is in the error state: no\n") || !strstr(err, "\"fairlead mod -cj 17.2\""))
		fail_msg("exit %d: %s", code, err);
	SYNC(NEWS("{\"news\":\"error\",\"job_number\":17}\n" IN_ERROR(TASK(-5), "no") GONE), "-j", "n");
	if (code != 1 || !strstr(err, "Job 17 is in the error state: no\n"))
		fail_msg("exit %d: %s", code, err);
}

static void test_a_refused_job_is_not_waited_for(void **state)
{
	(void)state;
	SYNC("{\"reply\":\"done\",\"results\":[{\"code\":2,\"text\":\"job rejected\"}]}", "-j", "n");
	assert_said(2, "fairlead: job rejected\n");
}

static void test_a_signal_before_the_answer_deletes_the_job(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		signal_before_answer = ((const int[]){ SIGINT, SIGTERM, SIGHUP })[k];
		SYNC(SUBMITTED, "-j", "n");
		signal_before_answer = 0;
		json_t *last = request(1);

		assert_string_equal(json_string_value(json_object_get(last, "request")), "delete");
		assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(last, "jobs"), 0), "job")), "17");
		json_decref(last);
		if (code != 1 || !strstr(err, "\nInterrupted!\n"))
			fail_msg("exit %d: %s", code, err);
	}
}

static void test_an_invalid_news_line_ends_the_wait_or_is_ignored(void **state)
{
	(void)state;
	SYNC(NEWS("{\"news\":\"weather\"}\n" ENDED(TASK(-1), 0, 1, 0) ENDED(TASK(4294967296), 0, 1, 0) ENDED("", 0, 2, 0) GONE), "-j", "n");
	assert_said(2, "Job 17 exited with exit code 2.\n");
	static const char *const lines[] = { NEWS("null"), NEWS("{}"), NEWS("x"), NEWS("{\"results\":[{\"code\":4,\"text\":\"no\"}]}") };

	for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++) {
		SYNC(lines[k], "-j", "n");
		if (code != 1 || !strstr(err, "cannot wait for job"))
			fail_msg("exit %d: %s", code, err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_submit_requests_news_when_it_follows_the_job),
		cmocka_unit_test(test_the_exit_status_is_that_of_the_job),
		cmocka_unit_test(test_the_exit_code_is_the_first_nonzero_one_of_several_tasks),
		cmocka_unit_test(test_the_largest_task_number_counts),
		cmocka_unit_test(test_an_immediate_job_has_started_or_has_not),
		cmocka_unit_test(test_a_note_of_the_scheduler_is_printed_with_the_answer),
		cmocka_unit_test(test_a_job_in_error_is_reported_and_waited_for),
		cmocka_unit_test(test_a_refused_job_is_not_waited_for),
		cmocka_unit_test(test_a_signal_before_the_answer_deletes_the_job),
		cmocka_unit_test(test_an_invalid_news_line_ends_the_wait_or_is_ignored),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
