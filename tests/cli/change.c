/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead alter, del, hold, release: their requests, and the treatment of a scheduler's answer or
 * of a missing one.
 */
#include "tests/cli/submit.h"

#define RESULT(code, text) "{\"reply\":\"done\",\"results\":[{\"job_number\":17,\"code\":" #code ",\"text\":\"" text "\"}]}"

/* Selection of jobs */

static void test_del_names_jobs_and_tasks(void **state)
{
	(void)state;
	ASK(RESULT(0, "ann has deleted job 17"), "del", "17");
	assert_int_equal(code, 0);
	assert_string_equal(out, "ann has deleted job 17\n");
	assert_request(0, "{\"request\":\"delete\",\"jobs\":[{\"job\":\"17\"}],\"force\":false}");
	ASK(RESULT(0, ""), "del", "-f", "17.3,18.1-10:2", "name*", "a.b", "4711");
	assert_request(0, "{\"request\":\"delete\",\"jobs\":[{\"job\":\"17\",\"tasks\":\"3\"},{\"job\":\"18\","
		       "\"tasks\":\"1-10:2\"},{\"job\":\"name*\"},"
		       "{\"job\":\"a.b\"},{\"job\":\"4711\"}],\"force\":true}");
	ASK(RESULT(0, ""), "del", "-t", "2-3", "17", "18.1");
	assert_request(
		0,
		"{\"request\":\"delete\",\"jobs\":[{\"job\":\"17\",\"tasks\":\"2-3\"},{\"job\":\"18\",\"tasks\":\"1\"}],"
		"\"force\":false}");
}

static void test_del_for_users(void **state)
{
	(void)state;
	ASK(RESULT(0, ""), "del", "-u", "ann,bob");
	assert_request(0, "{\"request\":\"delete\",\"jobs\":[{\"user\":\"ann\"},{\"user\":\"bob\"}],\"force\":false}");
	ASK(RESULT(0, ""), "del", "-u", "*", "x*", "17");
	assert_request(
		0, "{\"request\":\"delete\",\"jobs\":[{\"user\":\"*\",\"job\":\"x*\"},{\"user\":\"*\",\"job\":\"17\"}],"
		   "\"force\":false}");
}

static void test_an_invalid_job_is_refused(void **state)
{
	static const char *const wrong[] = { "", ",", "17,", "17x", "17.", "17.0", "17.2-1", "17.x", "17..1", "\377" };
	static const char *const verbs[] = { "del", "hold", "release" };

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED(verbs[k % 3], verbs[k % 3], wrong[k]);
	ASSERT_REFUSED("del: name a job", "del");
	ASSERT_REFUSED("del: name a job", "del", "-f");
	ASSERT_REFUSED("del: -t:", "del", "-t", "0", "17");
	ASSERT_REFUSED("name of a user", "del", "-u", "");
	ASSERT_REFUSED("name of a user", "del", "-u", "ann,,bob");
	ASSERT_REFUSED("no option -x", "del", "-x");
}

static void test_hold_and_release(void **state)
{
	(void)state;
	ASK(RESULT(0, "modified hold of job 17"), "hold", "17.1-3");
	assert_string_equal(out, "modified hold of job 17\n");
	assert_request(0, "{\"request\":\"hold\",\"jobs\":[{\"job\":\"17\",\"tasks\":\"1-3\"}],\"kind\":\"u\"}");
	ASK(RESULT(0, ""), "hold", "-h", "s,o,s", "all");
	assert_request(0, "{\"request\":\"hold\",\"jobs\":[{\"job\":\"*\"}],\"kind\":\"so\"}");
	ASK(RESULT(0, ""), "release", "-h", "uos", "17", "x");
	assert_request(0, "{\"request\":\"release\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"x\"}],\"kind\":\"uos\"}");
	static const char *const kinds[] = { "", "x", "n", "uU", ",", "u;o" };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		ASSERT_REFUSED("letters of u o s are expected", k % 2 ? "hold" : "release", "-h", kinds[k], "17");
	ASSERT_REFUSED("hold: name a job", "hold");
	ASSERT_REFUSED("release: name a job", "release", "-h", "u");
}

static void test_jobprio_sets_and_moves_priorities(void **state)
{
	static const char *const wrong[] = { "",   "x",		 "5x",		"1.5",
					     " 5", "2147483648", "-2147483649", "99999999999999999999" };

	(void)state;
	ASK(RESULT(0, "job priority of job 17 is 5"), "jobprio", "-p", "5", "17", "18.0", "19.1");
	assert_string_equal(out, "job priority of job 17 is 5\n");
	assert_request(0, "{\"request\":\"jobprio\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"18\",\"tasks\":\"1\"},"
		       "{\"job\":\"19\",\"tasks\":\"1\"}],\"to\":5}");
	ASK(RESULT(0, ""), "jobprio", "-p", "-2147483648", "ann");
	assert_request(0, "{\"request\":\"jobprio\",\"jobs\":[{\"user\":\"ann\"}],\"to\":-2147483648}");
	ASK(RESULT(0, ""), "jobprio", "+5", "17");
	assert_request(0, "{\"request\":\"jobprio\",\"jobs\":[{\"job\":\"17\"}],\"by\":5}");
	ASK(RESULT(0, ""), "jobprio", "-a", "-7");
	assert_request(0, "{\"request\":\"jobprio\",\"jobs\":[{\"user\":\"*\"}],\"by\":-7}");
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED("is not a job priority", "jobprio", "-p", wrong[k], "17");
	ASSERT_REFUSED("is not a job priority", "jobprio", "+5x", "17");
	ASSERT_REFUSED("there is more than one priority", "jobprio", "-p", "5", "-5", "17");
	ASSERT_REFUSED("the priority is missing", "jobprio", "17");
	ASSERT_REFUSED("name the jobs", "jobprio", "-p", "5");
	ASSERT_REFUSED("cannot be combined with jobs or users", "jobprio", "-p", "5", "-a", "17");
	ASSERT_REFUSED("is not a job", "jobprio", "-p", "5", "17x");
}

static void test_jobprio_shows_the_answer_as_json(void **state)
{
	(void)state;
	ASK(RESULT(3, "no \\\"job\\\" 17"), "jobprio", "--json", "-p", "5", "17");
	assert_int_equal(code, 3);
	assert_string_equal(out, "{\"results\":[{\"job_number\":17,\"code\":3,\"text\":\"no \\\"job\\\" 17\"}]}\n");
}

static void test_mod(void **state)
{
	(void)state;
	ASK(RESULT(0, "ann cleared error state of job 17"), "mod", "-cj", "17", "x*,18");
	assert_string_equal(out, "ann cleared error state of job 17\n");
	assert_request(0, "{\"request\":\"clear\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"x*\"},{\"job\":\"18\"}]}");
	ASK(RESULT(0, ""), "mod", "-sj", "17.2-4");
	assert_request(0, "{\"request\":\"suspend\",\"jobs\":[{\"job\":\"17\",\"tasks\":\"2-4\"}]}");
	ASK(RESULT(0, ""), "mod", "-usj", "x*");
	assert_request(0, "{\"request\":\"unsuspend\",\"jobs\":[{\"job\":\"x*\"}]}");
	ASSERT_REFUSED("mod: one of -cj", "mod", "-sj", "-usj", "17");
	ASSERT_REFUSED("mod: one of -cj", "mod", "17");
	ASSERT_REFUSED("mod: name a job", "mod", "-cj");
	ASSERT_REFUSED("no option -x", "mod", "-x");
}

static void test_mod_of_queues(void **state)
{
	(void)state;
	ASK(RESULT(0, "ann changed state"), "mod", "-d", "all.q@node1,short*", "@x");
	assert_request(0, "{\"request\":\"disable\",\"queues\":[\"all.q@node1\",\"short*\",\"@x\"]}");
	ASK(RESULT(0, ""), "mod", "-f", "-rq", "all.q");
	assert_request(0, "{\"request\":\"reschedule_queue\",\"queues\":[\"all.q\"],\"force\":true}");
	ASK(RESULT(0, ""), "mod", "-rj", "-u", "ann", "17.3");
	assert_request(0, "{\"request\":\"reschedule\",\"jobs\":[{\"user\":\"ann\",\"job\":\"17\",\"tasks\":\"3\"}]}");
	ASSERT_REFUSED("name a queue", "mod", "-e");
	ASSERT_REFUSED("the name of a queue is missing", "mod", "-e", "all.q,");
	ASSERT_REFUSED("-f can only be used with -rj and -rq", "mod", "-f", "-cj", "17");
	ASSERT_REFUSED("-u can only be used with jobs", "mod", "-u", "ann", "-d", "all.q");
}

/* Alter */

static void test_alter_sends_only_the_changes(void **state)
{
	(void)state;
	ASK(RESULT(0, "modified job 17"), "alter", "-p", "-5", "-N", "new", "17");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{\"priority\":-5,\"job_name\":\"new\"}}");
	ASK(RESULT(0, ""), "alter", "-o", "/nowhere/x", "-j", "n", "-wd", "/d", "17");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{},\"execution\":{\"stdout_path\":\"/nowhere/x\","
		"\"join\":false,\"cwd\":\"/d\"}}");
	ASK(RESULT(0, ""), "alter", "-ot", "4294967295", "-tc", "0", "17");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{\"override_tickets\":4294967295,\"task_concurrency\":0}}");
	ASK(RESULT(0, ""), "alter", "-v", "A=1", "17");
	assert_non_null(strstr(requests, "\"A\":\"1\""));
	assert_non_null(strstr(requests, "\"SGE_O_WORKDIR\""));
}

static void test_alter_removes_empty_values(void **state)
{
	(void)state;
	ASK(RESULT(0, ""), "alter", "-hold_jid", "", "-l", "", "-soft", "-l", "", "-q", "", "-P", "", "17");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{\"hold_jid\":[],\"hard_resource_list\":\"\","
		"\"soft_resource_list\":\"\","
		"\"soft_queue_list\":\"\",\"project\":\"\"}}");
	ASK(RESULT(0, ""), "alter", "--accounting-group", "", "--rank", "", "--ad", "", "--nice-user", "n", "17");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{\"accounting_group\":\"\",\"rank\":\"\",\"ad\":{},\"nice_user\":false}}");
}

static void test_alter_is_one_request_for_all_jobs(void **state)
{
	(void)state;
	ASK(RESULT(0, "modified"), "alter", "-p", "0", "17,18", "x*");
	assert_string_equal(out, "modified\n");
	assert_request(
		0,
		"{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"},{\"job\":\"18\"},{\"job\":\"x*\"}],\"job\":{\"priority\":0}}");
	ASK(RESULT(0, ""), "alter", "-u", "ann", "-p", "0");
	assert_request(0, "{\"request\":\"alter\",\"jobs\":[{\"user\":\"ann\"}],\"job\":{\"priority\":0}}");
}

static void test_alter_holds_the_altered_jobs_under_their_new_names(void **state)
{
	(void)state;
	ASK(RESULT(0, ""), "alter", "-N", "y", "-h", "u", "x*");
	assert_request(1, "{\"request\":\"hold\",\"jobs\":[{\"job\":\"17\"}],\"kind\":\"u\"}");
}

static void test_alter_prints_all_answers_as_one_json(void **state)
{
	(void)state;
	ASK(RESULT(0, "x"), "alter", "--json", "-p", "1", "-h", "u", "17");
	assert_string_equal(
		out,
		"{\"results\":[{\"job_number\":17,\"code\":0,\"text\":\"x\"},{\"job_number\":17,\"code\":0,\"text\":\"x\"}]}\n");
}

static void test_alter_of_holds_are_holds_and_releases(void **state)
{
	(void)state;
	ASK(RESULT(0, ""), "alter", "-h", "uoS", "17");
	assert_request(0, "{\"request\":\"release\",\"jobs\":[{\"job\":\"17\"}],\"kind\":\"s\"}");
	assert_request(1, "{\"request\":\"hold\",\"jobs\":[{\"job\":\"17\"}],\"kind\":\"uo\"}");
	ASK(RESULT(0, ""), "alter", "-h", "n", "-p", "1", "17");
	assert_request(0, "{\"request\":\"alter\",\"jobs\":[{\"job\":\"17\"}],\"job\":{\"priority\":1}}");
	assert_request(1, "{\"request\":\"release\",\"jobs\":[{\"job\":\"17\"}],\"kind\":\"uos\"}");
	ASK(RESULT(4, "denied"), "alter", "-h", "u", "-p", "1", "17");
	assert_int_equal(code, 4);
	assert_null(strstr(requests, "hold"));		/* after a refusal no further request is sent */
}

static void test_alter_with_wrong_values(void **state)
{
	static const char *const wrong[][2] = {
		{ "-h", "" },	{ "-h", "x" },	{ "-ot", "-1" }, { "-ot", "x" },   { "-p", "2000" },	  { "-N", "" },
		{ "-pe", "x" }, { "-l", "a=" }, { "-a", "x" },	 { "-o", "/tmp" }, { "-hold_jid", "1," },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED("alter", "alter", wrong[k][0], wrong[k][1], "17");
	ASSERT_REFUSED("alter: name a job", "alter", "-p", "1");
	ASSERT_REFUSED("no change is requested", "alter", "17");
	ASSERT_REFUSED("is not a job", "alter", "-p", "1", "17x");
	ASSERT_REFUSED("name of a user", "alter", "-p", "1", "-u", "ann,");
	ASSERT_REFUSED("no option -t", "alter", "-t", "1-3", "17");
	ASSERT_REFUSED("no option -now", "alter", "-now", "y", "17");
}

/* Answers */

static void test_terse_is_the_number_only(void **state)
{
	(void)state;
	ASK(SUBMITTED, "submit", "-terse", "--", "true");
	assert_string_equal(out, "17\n");
	ASK(RESULT(2, "refused"), "submit", "-terse", "--", "true");
	assert_string_equal(out, "");
	assert_string_equal(err, "fairlead: refused\n");
}

static void test_the_greatest_code_is_the_exit_status(void **state)
{
	static const int codes[] = { 2, 3, 4, 5 };

	(void)state;
	for (size_t k = 0; k < sizeof(codes) / sizeof(*codes); k++) {
		char reply[300];

		snprintf(reply, sizeof(reply),
			 "{\"reply\":\"done\",\"results\":[{\"code\":0,\"text\":\"good\"},{\"code\":%d,"
			 "\"text\":\"bad\"},"
			 "{\"code\":2,\"text\":\"worse\"}]}",
			 codes[k]);
		ASK(reply, "del", "17");
		assert_int_equal(code, codes[k]);
		assert_string_equal(out, "good\n");
		assert_string_equal(err, "fairlead: bad\nfairlead: worse\n");
	}
	ASK(RESULT(99, "of a newer scheduler"), "del", "17");
	assert_int_equal(code, 5);
}

static void test_an_invalid_answer_is_reported(void **state)
{
	static const char *const wrong[] = {
		"", "x", "{}", "[]", "{\"reply\":\"done\"}", "{\"results\":[]}", "{\"results\":{}}", "\377"
	};

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		ASK(wrong[k], "del", "17");
		assert_int_equal(code, 3);
		assert_non_null(strstr(err, "does not understand"));
		assert_string_equal(out, "");
	}
	ASK(NULL, "del", "17");
	assert_int_equal(code, 3);
	assert_non_null(strstr(err, "has not answered"));
	assert_non_null(strstr(err, "fairlead stat shows whether"));
	ASK(NULL, "userprio", "-setprio", "ann@pool", "5");
	assert_int_equal(code, 1);
	assert_non_null(strstr(err, "fairlead userprio shows whether"));
}

static void test_answers_are_made_safe_for_a_terminal(void **state)
{
	(void)state;
	ASK(RESULT(0, "\\u001b[2Jx\\n"), "del", "17");
	assert_string_equal(out, "?[2Jx?\n");
	ASK(RESULT(2, "\\u001b[2Jx\\n"), "del", "17");
	assert_string_equal(err, "fairlead: ?[2Jx?\n");
}

static void test_a_long_answer_is_read_completely(void **state)
{
	char *reply = malloc(4 << 20), *p = reply;

	(void)state;
	p += sprintf(p, "{\"reply\":\"done\",\"results\":[{\"code\":0,\"text\":\"first\"}");
	for (int k = 0; k < 50000; k++)
		p += sprintf(p, ",{\"code\":0,\"text\":\"job %d\"}", k);
	strcpy(p, ",{\"code\":3,\"text\":\"last\"}]}");
	ASK(reply, "del", "*");
	assert_int_equal(code, 3);
	assert_string_equal(err, "fairlead: last\n");
	free(reply);
}

/* The listening scheduler */

static void test_without_a_scheduler_the_exit_status_is_no_data(void **state)
{
	(void)state;
	close(listen_fd);
	ASK(SUBMITTED, "submit", "--", "true");		/* a socket without a listener */
	assert_int_equal(code, 3);
	assert_non_null(strstr(err, "no scheduler listens for jobs there"));
	unlink(address.sun_path);
	ASK(SUBMITTED, "hold", "17");
	assert_int_equal(code, 3);
	assert_non_null(strstr(err, "no scheduler listens for jobs there"));
	ASK(SUBMITTED, "del", "-c", "/nowhere", "17");
	assert_int_equal(code, 3);
	assert_non_null(strstr(err, "/nowhere: no such cell"));
	assert_int_equal(listen_open(state), 0);
}

static void test_a_server_of_another_user_gets_no_request(void **state)
{
	char place[sizeof(address.sun_path)];

	(void)state;
	if (getuid() != 0)
		skip();
	close(listen_fd);
	unlink(address.sun_path);
	server_uid = 65534;
	snprintf(place, sizeof(place), "%.*s", (int)(strrchr(address.sun_path, '/') - address.sun_path),
		 address.sun_path);
	assert_int_equal(chmod(place, 0777), 0);	/* simulates an intruder */
	/* The kernel records the user that calls listen(2). */
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(listen_open(state), 0);
	assert_int_equal(seteuid(0), 0);
	ASK(SUBMITTED, "submit", "--", "true");
	assert_int_equal(code, 4);
	assert_non_null(strstr(
		err,
		"the process that listens belongs to user 65534, who is neither root nor the owner of the cell; no request was sent"));
	assert_string_equal(requests, "");
	/* The cell belongs to another user now and is ignored. */
	assert_int_equal(chown(scratch_path("cell"), 65534, 65534), 0);
	ASK(SUBMITTED, "submit", "--", "true");
	assert_int_equal(code, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_del_names_jobs_and_tasks),
		cmocka_unit_test(test_del_for_users),
		cmocka_unit_test(test_an_invalid_job_is_refused),
		cmocka_unit_test(test_hold_and_release),
		cmocka_unit_test(test_jobprio_sets_and_moves_priorities),
		cmocka_unit_test(test_jobprio_shows_the_answer_as_json),
		cmocka_unit_test(test_mod),
		cmocka_unit_test(test_mod_of_queues),
		cmocka_unit_test(test_alter_sends_only_the_changes),
		cmocka_unit_test(test_alter_removes_empty_values),
		cmocka_unit_test(test_alter_is_one_request_for_all_jobs),
		cmocka_unit_test(test_alter_holds_the_altered_jobs_under_their_new_names),
		cmocka_unit_test(test_alter_prints_all_answers_as_one_json),
		cmocka_unit_test(test_alter_of_holds_are_holds_and_releases),
		cmocka_unit_test(test_alter_with_wrong_values),
		cmocka_unit_test(test_terse_is_the_number_only),
		cmocka_unit_test(test_the_greatest_code_is_the_exit_status),
		cmocka_unit_test(test_an_invalid_answer_is_reported),
		cmocka_unit_test(test_answers_are_made_safe_for_a_terminal),
		cmocka_unit_test(test_a_long_answer_is_read_completely),
		cmocka_unit_test(test_without_a_scheduler_the_exit_status_is_no_data),
		cmocka_unit_test(test_a_server_of_another_user_gets_no_request),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
