/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that options describe: typed members, lists of several options, and the request of them. */
#include "tests/client/talk.h"

#include "sched/client/job.h"

struct asked {
	struct job job;
};

static const struct argument rows[] = { JOB_OPTION_ROWS, JOB_CONDOR_ROWS, { .name = NULL } };

/* Read options, which end with NULL. The caller closes the job. */
static struct asked *read_words(struct messages *messages, bool alters, ...)
{
	struct asked *asked = calloc(1, sizeof(*asked));
	static char *argv[32];
	struct words words = { .table = rows, .argv = argv, .next = 1, .messages = messages };
	va_list arguments;

	assert_non_null(asked);
	asked->job = (struct job){ .verb = "submit", .messages = messages, .alters = alters };
	argv[0] = (char *)"submit";
	va_start(arguments, alters);
	for (words.argc = 1; (argv[words.argc] = va_arg(arguments, char *)) != NULL;)
		words.argc++;
	va_end(arguments);
	job_begin_source(&asked->job);
	assert_int_equal(options_read(&words, asked), EXIT_OK);
	return asked;
}

static void close_job(struct asked *asked)
{
	job_close(&asked->job);
	free(asked);
}

/* Check the request to alter with this job. */
static void assert_request(const struct job *job, const char *wanted)
{
	struct operand_list none = { .n = 0 };
	const struct scheduler_request request = { .kind = REQUEST_ALTER, .job = job, .operands = &none };
	json_t *is, *should = json_loads(wanted, 0, NULL);
	struct talk talk;

	assert_non_null(should);
	talk_begin(&talk);
	assert_int_equal(request_send(&talk.connection, &request, &talk.messages), EXIT_OK);
	is = talk_heard(&talk);
	if (!json_equal(is, should))
		fail_msg("is %s, not %s", json_dumps(is, 0), wanted);
	json_decref(is);
	json_decref(should);
	talk_end(&talk);
}

static void test_members_have_their_types(void **unused)
{
	struct messages messages = { .items = NULL };
	struct asked *asked = read_words(&messages, false, "-p", "-7", "-R", "y", "-N", "nap", "-hold_jid", "3,4", "-r", "n",
					 "-l", "a=1", "-l", "b=2", "-S", "/bin/sh", NULL);

	(void)unused;
	assert_int_equal(asked->job.request.spec.priority, -7);
	assert_true(asked->job.request.spec.reserve);
	assert_string_equal(asked->job.request.spec.name, "nap");
	assert_int_equal(asked->job.request.spec.nhold_jid, 2);
	assert_string_equal(asked->job.request.spec.hard, "a=1,b=2");
	assert_int_equal(asked->job.execution.rerun, SAID_NO);
	assert_string_equal(asked->job.execution.shell, "/bin/sh");
	assert_request(&asked->job, "{\"request\":\"alter\",\"jobs\":[],\"job\":{\"priority\":-7,\"reserve\":true,\"job_name\":\"nap\","
				    "\"hold_jid\":[3,4],\"hard_resource_list\":\"a=1,b=2\"},"
				    "\"execution\":{\"rerun\":false,\"shell\":\"/bin/sh\"}}");
	close_job(asked);
}

static void test_predecessors_may_be_names_and_lists_grow(void **unused)
{
	struct messages messages = { .items = NULL };
	struct asked *asked = read_words(&messages, false, "-hold_jid", "1,2,3,4,5,6,7,8,9", "-hold_jid", "nap*,10", "--dependency",
					 "afterany:11,afterok:12:13", NULL);
	char *text = job_member_text(&asked->job, "hold_jid");

	(void)unused;
	assert_string_equal(text, "1,2,3,4,5,6,7,8,9,nap*,10,11");
	assert_true(job_waits_for_names(&asked->job, "hold_jid"));
	assert_false(job_waits_for_names(&asked->job, "after_ok"));
	assert_request(&asked->job, "{\"request\":\"alter\",\"jobs\":[],\"job\":{\"hold_jid\":[1,2,3,4,5,6,7,8,9,\"nap*\",10,11],"
				    "\"after_ok\":[12,13]}}");
	free(text);
	close_job(asked);
}

static void test_attributes_and_variables_keep_the_last_value(void **unused)
{
	struct messages messages = { .items = NULL };
	struct asked *asked = read_words(&messages, false, "--ad", "A = 1", "--ad", "B=2", "--ad", "A=x", "-v", "X=1,Y=2", "-v", "X=3",
					 "-ac", "a=1,b=2", "-dc", "a", "-ac", "c", NULL);

	(void)unused;
	assert_string_equal(job_variable(&asked->job, "X"), "3");
	assert_null(job_variable(&asked->job, "Z"));
	assert_request(&asked->job, "{\"request\":\"alter\",\"jobs\":[],\"job\":{\"ad\":{\"A\":{\"expr\":\"x\"},\"B\":{\"expr\":\"2\"}}},"
				    "\"execution\":{\"context\":{\"b\":\"2\",\"c\":\"\"}}}");
	close_job(asked);
}

static void test_an_existing_job_can_lose_settings(void **unused)
{
	struct messages messages = { .items = NULL };
	struct asked *asked = read_words(&messages, true, "-hold_jid", "3", "-hold_jid", "", "-q", "", "-m", "", "-M", "", "--ad", "A=1",
					 "--ad", "", "-ac", "a=1", "-dc", "b", NULL);

	(void)unused;
	assert_request(&asked->job, "{\"request\":\"alter\",\"jobs\":[],\"job\":{\"hold_jid\":[],\"hard_queue_list\":\"\",\"ad\":{}},"
				    "\"execution\":{\"mail_options\":null,\"mail_list\":null,\"context_changes\":{\"a\":\"1\",\"b\":null}}}");
	close_job(asked);
	asked = read_words(&messages, true, "-ac", "a=1", "-sc", "b=2", "-ac", "c=3", "-dc", "b", NULL);
	assert_request(&asked->job, "{\"request\":\"alter\",\"jobs\":[],\"job\":{},\"execution\":{\"context\":{\"c\":\"3\"}}}");
	close_job(asked);
}

static void test_queues_of_a_later_source_replace_those_before(void **unused)
{
	struct messages messages = { .items = NULL };
	struct asked *asked = read_words(&messages, false, "-q", "a", "-q", "b", "-soft", "-q", "s", "-l", "x=1", NULL);
	char *argv[] = { (char *)"submit", (char *)"-q", (char *)"c", (char *)"-q", (char *)"d", (char *)"-l", (char *)"y=2", NULL };
	struct words words = { .table = rows, .argc = 7, .argv = argv, .next = 1, .messages = &messages };

	(void)unused;
	job_begin_source(&asked->job);
	assert_int_equal(options_read(&words, asked), EXIT_OK);
	assert_string_equal(asked->job.request.spec.hard_queues, "c,d");
	assert_string_equal(asked->job.request.spec.soft_queues, "s");
	assert_string_equal(asked->job.request.spec.soft, "x=1");
	assert_string_equal(asked->job.request.spec.hard, "y=2");
	close_job(asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_have_their_types),
		cmocka_unit_test(test_predecessors_may_be_names_and_lists_grow),
		cmocka_unit_test(test_attributes_and_variables_keep_the_last_value),
		cmocka_unit_test(test_an_existing_job_can_lose_settings),
		cmocka_unit_test(test_queues_of_a_later_source_replace_those_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
