/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead submit: from the command line to the request, option by option, and from the answer to
 * exit codes.
 */
#include "tests/cli/submit.h"

#define TRUE "{\"command\":[\"true\"]}"

static void test_a_command_is_all_that_is_needed(void **state)
{
	(void)state;
	ASK(SUBMITTED, "submit", "--", "sh", "-c", "exit 3", "", "--help", "\303\251");
	assert_submitted("{}", "{\"command\":[\"sh\",\"-c\",\"exit 3\",\"\",\"--help\",\"\303\251\"]}");
	assert_string_equal(out, "Your job 17 (\"x\") has been submitted\n");
	assert_string_equal(err, "");
}

static void test_the_first_word_that_is_no_option_is_the_command(void **state)
{
	(void)state;
	ASK(SUBMITTED, "submit", "-h", "sh", "-c", "exit 3", "--help", "--", "-h");
	assert_submitted("{\"hold\":{\"u\":\"1\"}}",
			 "{\"command\":[\"sh\",\"-c\",\"exit 3\",\"--help\",\"--\",\"-h\"]}");
	ASK(SUBMITTED, "submit", "-N", "--", "sleep", "10");
	assert_submitted("{\"job_name\":\"--\"}", "{\"command\":[\"sleep\",\"10\"]}");
	ASSERT_REFUSED("name a script or a command", "submit");
	ASSERT_REFUSED("name a script or a command", "submit", "-h");
	ASSERT_REFUSED("name a script or a command", "submit", "--");
	ASSERT_REFUSED("the command after the options is empty", "submit", "--", "");
	ASSERT_REFUSED("-b y needs a command", "submit", "-b", "y");
	ASSERT_REFUSED("is not UTF-8", "submit", "--", "\377");
	ASSERT_REFUSED("neither such a script here nor such a command in PATH", "submit", "no-such-program", "10");
	ASSERT_REFUSED("./no-such-file: No such file", "submit", "./no-such-file");
	ASK(SUBMITTED, "submit", "--", "no-such-program");
	assert_submitted("{}", "{\"command\":[\"no-such-program\"]}");
}

static void test_a_command_is_run_directly_unless_b_y_or_shell_y_is_given(void **state)
{
	(void)state;
	ASK(SUBMITTED, "submit", "-b", "y", "no-such | cat");
	assert_submitted("{}", "{\"command\":[\"no-such | cat\"],\"use_shell\":true}");
	ASK(SUBMITTED, "submit", "-b", "y", "-shell", "n", "no-such");
	assert_submitted("{}", "{\"command\":[\"no-such\"]}");
	ASK(SUBMITTED, "submit", "-shell", "yes", "true");
	assert_submitted("{}", "{\"command\":[\"true\"],\"use_shell\":true}");
	ASSERT_REFUSED("-b: \"maybe\": y or n is expected", "submit", "-b", "maybe", "true");
}

static void test_submit_sends_mail_and_shell_options(void **state)
{
	(void)state;
	SUBMIT("-m", "bn,e");
	assert_submitted("{}", "{\"command\":[\"true\"],\"mail_options\":\"n\"}");
	SUBMIT("-m", "be,a", "-M", "ann,bob@example.org", "-notify", "-S", "elsewhere:/bin/csh,/bin/bash", "-ot", "5");
	assert_submitted("{\"override_tickets\":5}",
			 "{\"command\":[\"true\"],\"mail_options\":\"bea\",\"mail_list\":[\"ann\",\"bob@example.org\"],"
			 "\"notify\":true,\"shell\":\"/bin/bash\"}");
	SUBMIT("-S", ":/bin/a,localhost:/bin/b,$HOME/c");
	assert_submitted("{}", "{\"command\":[\"true\"],\"shell\":\"/bin/b\"}");
	SUBMIT("-ac", "a=1,b=x=y,c", "-dc", "a,z");
	assert_submitted("{}", "{\"command\":[\"true\"],\"context\":{\"b\":\"x=y\",\"c\":\"\"}}");
	SUBMIT("-ac", "a=1", "-sc", "b=2", "-ac", "c=3");
	assert_submitted("{}", "{\"command\":[\"true\"],\"context\":{\"b\":\"2\",\"c\":\"3\"}}");
	ASSERT_REFUSED("letters of b e a s are expected, or n", "submit", "-m", "x", "true");
	ASSERT_REFUSED("letters of b e a s are expected, or n", "submit", "-m", "", "true");
	ASSERT_REFUSED("an address is missing", "submit", "-M", "a,,b", "true");
	ASSERT_REFUSED("an absolute path is expected", "submit", "-S", "no-such-shell", "true");
	ASK(SUBMITTED, "submit", "-S", "sh", "true");
	assert_submitted("{}", "{\"command\":[\"true\"],\"shell\":\"/bin/sh\"}");
	assert_non_null(strstr(err, "-S sh: the shell is /bin/sh"));
	ASSERT_REFUSED("no path for this machine", "submit", "-S", "elsewhere:/bin/csh", "true");
	ASSERT_REFUSED("the name of a variable is missing", "submit", "-ac", "=x", "true");
	ASSERT_REFUSED("names without values are expected", "submit", "-dc", "a=x", "true");
	ASSERT_REFUSED("\"smp\": the number of slots is missing", "submit", "-pe", "smp", "--", "true");
}

static void test_options_without_effect_are_accepted_and_reported(void **state)
{
	(void)state;
	SUBMIT("-binding", "set", "linear:1", "-jsv", "/x", "-he", "y", "-display", "a:1");
	assert_submitted("{}", TRUE);
	assert_string_equal(err,
			    "fairlead: submit: -binding has no effect: a local cell binds no jobs to cores\n"
			    "fairlead: submit: -jsv has no effect: no script verifies jobs before they are submitted\n"
			    "fairlead: submit: -he has no effect: there is no such error handling\n"
			    "fairlead: submit: -display has no effect: there are no interactive jobs\n");
}

static void test_submit_w_requests_a_check_for_jobs_that_can_never_start(void **state)
{
	(void)state;
	for (const char *const *letter = (const char *const[]){ "e", "w", "n", "p", "v", NULL }; *letter; letter++) {
		json_t *is;

		SUBMIT("-w", *letter);
		is = request(0);
		assert_string_equal(json_string_value(json_object_get(is, "check")), *letter);
		assert_int_equal(json_is_true(json_object_get(is, "verify")), **letter == 'p' || **letter == 'v');
		json_decref(is);
	}
	ASSERT_REFUSED("one letter of e w n p v is expected", "submit", "-w", "x", "true");
	ASSERT_REFUSED("one letter of e w n p v is expected", "alter", "-w", "ev", "17");
	ASK(SUBMITTED, "alter", "-w", "v", "17");
	assert_int_equal(code, 0);
}

static void test_simple_members(void **state)
{
	(void)state;
	SUBMIT("-N", "name", "-P", "project", "-p", "-10", "-js", "4294967295", "-ckpt", "env", "-R", "y", "-r", "n",
	       "-j", "y");
	assert_submitted(
		"{\"job_name\":\"name\",\"project\":\"project\",\"priority\":-10,\"jobshare\":4294967295,\"checkpoint\":\"env\","
		"\"reserve\":true}",
		"{\"command\":[\"true\"],\"rerun\":false,\"join\":true}");
	SUBMIT("-R", "n", "-now", "NO", "-sync", "n", "-r", "true", "-j", "no", "-p", "+1024");
	assert_submitted("{\"reserve\":false,\"priority\":1024}",
			 "{\"command\":[\"true\"],\"rerun\":true,\"join\":false}");
	SUBMIT("-N", "first", "-N", "last");
	assert_submitted("{\"job_name\":\"last\"}", TRUE);
}

static void test_htcondor_options_are_sent(void **state)
{
	(void)state;
	SUBMIT("--accounting-group", "physics.hep", "--accounting-group-user", "ann", "--nice-user", "y",
	       "--requirements", "TARGET.Memory > 5", "--rank", "Mips", "--concurrency-limits", "license:2,disk",
	       "--kill-sig", "SIGUSR1", "--remove-kill-sig", "15", "--hold-kill-sig", "TERM", "--job-max-vacate-time",
	       "120", "--max-job-retirement-time=MY.Long ? 3600 : 0", "--job-prio", "-2147483648");
	assert_submitted(
		"{\"accounting_group\":\"physics.hep\",\"accounting_group_user\":\"ann\",\"nice_user\":true,\"requirements\":\"TARGET.Memory > 5\","
		"\"rank\":\"Mips\",\"concurrency_limits\":\"license:2,disk\",\"kill_sig\":\"SIGUSR1\",\"remove_kill_sig\":\"15\",\"hold_kill_sig\":\"TERM\","
		"\"job_max_vacate_time\":\"120\",\"max_job_retirement_time\":\"MY.Long ? 3600 : 0\",\"job_prio\":-2147483648}",
		TRUE);
	SUBMIT("--pre-job-prio1", "1", "--pre-job-prio2", "+2", "--post-job-prio1", "-3", "--post-job-prio2",
	       "2147483647");
	assert_submitted(
		"{\"pre_job_prio1\":1,\"pre_job_prio2\":2,\"post_job_prio1\":-3,\"post_job_prio2\":2147483647}", TRUE);
	SUBMIT("--ad", "Project=\"x = y\"", "--ad", "Wanted = 1 + 1", "--ad", "Project=2");
	assert_submitted("{\"ad\":{\"Project\":{\"expr\":\"2\"},\"Wanted\":{\"expr\":\"1 + 1\"}}}", TRUE);
}

static void test_invalid_htcondor_options_are_refused(void **state)
{
	static const char *const wrong[][3] = {
		{ "--job-prio", "2147483648", "an integer from" },
		{ "--job-prio", "", "an integer from" },
		{ "--job-prio", " 1", "an integer from" },
		{ "--job-prio", "1x", "an integer from" },
		{ "--nice-user", "maybe", "y or n" },
		{ "--ad", "", "NAME=EXPRESSION" },
		{ "--ad", "x", "NAME=EXPRESSION" },
		{ "--ad", "=1", "NAME=EXPRESSION" },
		{ "--ad", "x=", "NAME=EXPRESSION" },
		{ "--ad", "x= ", "NAME=EXPRESSION" },
		{ "--ad", "1x=1", "NAME=EXPRESSION" },
		{ "--ad", "x.y=1", "NAME=EXPRESSION" },
		{ "--ad", "x=\377", "UTF-8" },
		{ "--rank", "", "empty" },
		{ "--accounting-group", "\377", "UTF-8" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED(wrong[k][2], "submit", wrong[k][0], wrong[k][1], "--", "true");
}

static void test_simple_members_with_wrong_values(void **state)
{
	static const char *const wrong[][3] = {
		{ "-p", "1025", "from -1023 to 1024" },
		{ "-p", "-1024", "from -1023" },
		{ "-p", "", "invalid priority" },
		{ "-p", "1.5", "invalid priority" },
		{ "-p", " 1", "invalid priority" },
		{ "-p", "--1", "invalid priority" },
		{ "-p", "99999999999999999999", "invalid priority" },
		{ "-js", "-1", "is not a number" },
		{ "-js", "4294967296", "is not a number" },
		{ "-js", "x", "is not a number" },
		{ "-R", "maybe", "y or n is expected" },
		{ "-now", "", "y or n is expected" },
		{ "-sync", "now", "y or n is expected" },
		{ "-r", "2", "y or n" },
		{ "-j", "yy", "y or n" },
		{ "-N", "", "1 to 255 bytes" },
		{ "-N", "1st", "begin with a digit" },
		{ "-N", "a/b", "none of" },
		{ "-N", "a b", "no blanks" },
		{ "-N", "a*", "none of" },
		{ "-N", "a\nb", "printable" },
		{ "-N", "\377", "printable" },
		{ "-P", "", "empty" },
		{ "-P", "\377", "UTF-8" },
		{ "-ckpt", "", "empty" },
	};
	char longest[300];

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED(wrong[k][2], "submit", wrong[k][0], wrong[k][1], "--", "true");
	memset(longest, 'x', 256);
	longest[256] = '\0';
	ASSERT_REFUSED("1 to 255 bytes", "submit", "-N", longest, "--", "true");
	SUBMIT("-N", longest + 1);
	assert_int_equal(code, 0);
}

static void test_resources_and_queues_hard_and_soft(void **state)
{
	(void)state;
	SUBMIT("-l", "a=1", "-l", "h_rt=1:0:0,h_vmem=2G", "-soft", "-l", "arch=lx*", "-q", "a.q,b.q@h", "-hard", "-q",
	       "c.q", "-q", "d.q", "-l", "gpu");
	assert_submitted("{\"hard_resource_list\":\"a=1,h_rt=1:0:0,h_vmem=2G,gpu\",\"soft_resource_list\":\"arch=lx*\","
			 "\"soft_queue_list\":\"a.q,b.q@h\","
			 "\"hard_queue_list\":\"c.q,d.q\"}", TRUE);
	SUBMIT("-pe", "mpi*", "2-6:2,8-", "-masterq", "m.q", "-masterq", "n.q");
	assert_submitted("{\"pe\":\"mpi*\",\"pe_range\":\"2-6:2,8-\",\"master_queue_list\":\"m.q,n.q\"}", TRUE);
}

static void test_resources_and_queues_with_wrong_values(void **state)
{
	static const char *const wrong[][3] = {
		{ "-l", "", "name of a resource" },
		{ "-l", "=1", "name of a resource" },
		{ "-l", "a=1,,b=2", "name of a resource" },
		{ "-l", "a=1,", "name of a resource" },
		{ "-l", "a=", "value of a resource" },
		{ "-l", "h_rt=1h30", "a duration" },
		{ "-l", "s_cpu=-1", "a duration" },
		{ "-l", "h_rt", "such as 1:30:00" },
		{ "-l", "h_vmem=2XB", "such as 512M" },
		{ "-l", "s_stack=-1", "a size" },
		{ "-l", "h_data", "a size" },
		{ "-l", "\377=1", "UTF-8" },
		{ "-q", "", "name of a queue" },
		{ "-q", "a.q,", "name of a queue" },
		{ "-q", ",a.q", "name of a queue" },
		{ "-masterq", "a,,b", "name of a queue" },
		{ "-masterq", "m.q", "can only be used with -pe" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED(wrong[k][2], "submit", wrong[k][0], wrong[k][1], "--", "true");
	ASSERT_REFUSED("needs an argument", "submit", "-pe");
	ASSERT_REFUSED("number of slots is missing", "submit", "-pe", "mpi");
	ASSERT_REFUSED("submit: -pe: \"0\"", "submit", "-pe", "mpi", "0", "--", "true");
	ASSERT_REFUSED("submit: -pe: \"4-2\"", "submit", "-pe", "mpi", "4-2", "--", "true");
	ASSERT_REFUSED("submit: -pe: \"2-6:0\"", "submit", "-pe", "mpi", "2-6:0", "--", "true");
	ASSERT_REFUSED("must not overlap", "submit", "-pe", "mpi", "2-6:2,4", "--", "true");
	ASSERT_REFUSED("submit: -pe: \"x\"", "submit", "-pe", "mpi", "x", "--", "true");
	ASSERT_REFUSED("submit: -pe: \"\": it is empty", "submit", "-pe", "", "4", "--", "true");
}

static void test_arrays_and_holds(void **state)
{
	(void)state;
	SUBMIT("-t", "1:22");
	assert_submitted("{\"tasks\":\"1-22\"}", TRUE);
	SUBMIT("-t", "1-10:3", "-tc", "2", "-h");
	assert_submitted("{\"tasks\":\"1-10:3\",\"task_concurrency\":2,\"hold\":{\"u\":\"1-10:3\"}}", TRUE);
	SUBMIT("-h", "-hold_jid", "17,name*,4294967295");
	assert_submitted("{\"hold\":{\"u\":\"1\"},\"hold_jid\":[17,\"name*\",4294967295]}", TRUE);
	ASSERT_REFUSED("-tc can only be used with -t", "submit", "-tc", "1", "--", "true");
	ASSERT_REFUSED("is not a number", "submit", "-t", "1", "-tc", "x", "--", "true");
	static const char *const tasks[] = { "", "0", "x", "2-1", "1-2:0", "1-", "1,1", "-1", "4294967296" };
	static const char *const jobs[] = { "", "1,", ",1", "1x", "17.1", "0", "4294967296", "\377" };

	for (size_t k = 0; k < sizeof(tasks) / sizeof(*tasks); k++)
		ASSERT_REFUSED("submit: -t:", "submit", "-t", tasks[k], "--", "true");
	for (size_t k = 0; k < sizeof(jobs) / sizeof(*jobs); k++)
		ASSERT_REFUSED("submit: -hold_jid:", "submit", "-hold_jid", jobs[k], "--", "true");
}

static void assert_date(const char *text, long wanted)
{
	char job[80];

	SUBMIT("-a", text, "-dl", text);
	snprintf(job, sizeof(job), "{\"execution_time\":%ld,\"deadline\":%ld}", wanted, wanted);
	assert_submitted(job, TRUE);
}

static void test_dates_are_local_times(void **state)
{
	static const char *const wrong[] = {
		"",
		"1",
		"12345678901234567890",
		"203001010000.",
		"203001010000.1",
		"203001010000.60",
		"203001010000.00x",
		"203002300000",
		"203013010000",
		"203001320000",
		"203000010000",
		"203001012400",
		"203001010060",
		"2030-1-1",
		"2030-01-01T",
		"2030-01-01T1",
		"2030-02-30",
		"2030-01-01T10:00+1",
		"x03001010000",
		"20300101000",
		"190001010000",
	};
	time_t now = time(NULL);
	struct tm tm = *gmtime(&now);

	(void)state;
	assert_date("203001020304", 1893553440);
	assert_date("203001020304.05", 1893553445);
	assert_date("3001020304.05", 1893553445);
	assert_date("197001010000.01", 1);
	assert_date("7001010000", 0);
	assert_date("2030-01-02T03:04", 1893553440);
	assert_date("2030-01-02 03:04:05", 1893553445);
	assert_date("2030-01-02T04:04:05+01:00", 1893553445);
	assert_date("2030-01-02", 1893542400);
	assert_date("@1893553445", 1893553445);
	tm = (struct tm){ .tm_year = tm.tm_year, .tm_mon = 11, .tm_mday = 31, .tm_hour = 23, .tm_min = 59 };
	assert_date("12312359", (long)timegm(&tm));
	setenv("TZ", "Europe/Berlin", 1);
	if (access("/usr/share/zoneinfo/Europe/Berlin", F_OK) == 0) {
		assert_date("203007010000", 1909087200);
		assert_date("2030-07-01", 1909087200);
		assert_date("2030-07-01T00:00Z", 1909094400);
		ASSERT_REFUSED("a date is expected", "submit", "-a", "2027-03-28T02:30", "--", "true");
		/* The clock skips this time. */
		ASSERT_REFUSED("a date is expected", "submit", "-a", "202703280230", "--", "true");
	}
	setenv("TZ", "UTC", 1);
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED("a date is expected", "submit", k % 2 ? "-a" : "-dl", wrong[k], "--", "true");
}

/* Directory and host of the job */

static void test_directories_become_absolute(void **state)
{
	char execution[300], here[200];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	SUBMIT("-cwd");
	snprintf(execution, sizeof(execution), "{\"command\":[\"true\"],\"cwd\":\"%s\"}", here);
	assert_submitted("{}", execution);
	SUBMIT("-wd", "/some/where");
	assert_submitted("{}", "{\"command\":[\"true\"],\"cwd\":\"/some/where\"}");
	SUBMIT("-cwd", "-wd", "below");
	snprintf(execution, sizeof(execution), "{\"command\":[\"true\"],\"cwd\":\"%s/below\"}", here);
	assert_submitted("{}", execution);
}

static void test_files_are_expanded_by_the_scheduler_and_directories_get_names(void **state)
{
	(void)state;
	SUBMIT("-o", "$HOME/$JOB_ID.out", "-e", "err", "-i", ":in:put");
	assert_submitted("{}", "{\"command\":[\"true\"],\"stdout_path\":\"$HOME/$JOB_ID.out\",\"stderr_path\":\"err\","
			 "\"stdin_path\":\"in:put\"}");
	SUBMIT("-o", "~/no-directory/x", "-e", "localhost:/tmp/", "-i", "~root/in");
	assert_submitted(
		"{}",
		"{\"command\":[\"true\"],\"stdout_path\":\"$HOME/no-directory/x\",\"stderr_path\":\"/tmp/$JOB_NAME.e$JOB_ID\","
		"\"stdin_path\":\"/root/in\"}");
	SUBMIT("-o", "/tmp", "-t", "1-2", "-e", "/dev/null");
	assert_submitted("{\"tasks\":\"1-2\"}",
			 "{\"command\":[\"true\"],\"stdout_path\":\"/tmp/$JOB_NAME.o$JOB_ID.$TASK_ID\","
			 "\"stderr_path\":\"/dev/null\"}");
	SUBMIT("-o", "tests", "-cwd");		/* below the working directory of the job */
	assert_non_null(strstr(requests, "\"stdout_path\":\"tests/$JOB_NAME.o$JOB_ID\""));
}

static void test_files_with_wrong_values(void **state)
{
	char longest[5000];

	(void)state;
	ASSERT_REFUSED("one path is expected", "submit", "-o", "", "--", "true");
	ASSERT_REFUSED("one path is expected", "submit", "-e", "a,b", "--", "true");
	ASSERT_REFUSED("one path is expected", "submit", "-i", ":", "--", "true");
	ASSERT_REFUSED("it is a directory", "submit", "-i", "/tmp", "--", "true");
	ASSERT_REFUSED("run on this machine", "submit", "-o", "no-such-host-here:/tmp/x", "--", "true");
	ASSERT_REFUSED("there is no such user", "submit", "-o", "~no-such-user/x", "--", "true");
	ASSERT_REFUSED("is not UTF-8", "submit", "-o", "/\377", "--", "true");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ASSERT_REFUSED("the path is too long", "submit", "-o", longest, "--", "true");
	ASSERT_REFUSED("the path is too long", "submit", "-wd", longest, "--", "true");
	ASSERT_REFUSED("is not UTF-8", "submit", "-wd", "\377", "--", "true");
}

/* Environment */

static const char *variable(json_t *object, const char *name)
{
	return json_string_value(
		json_object_get(json_object_get(json_object_get(object, "execution"), "environment"), name));
}

static void test_the_environment_is_that_of_grid_engine(void **state)
{
	json_t *is;

	(void)state;
	setenv("HOME", "/h", 1);
	setenv("SHELL", "/bin/tcsh", 1);
	setenv("SECRET", "s", 1);
	unsetenv("MAIL");
	SUBMIT("-v", "A=1,B=x=y,SECRET", "-v", "EMPTY=,MISSING");
	is = request(0);
	assert_string_equal(variable(is, "SGE_O_HOME"), "/h");
	assert_string_equal(variable(is, "SGE_O_SHELL"), "/bin/tcsh");
	assert_string_equal(variable(is, "SGE_O_TZ"), "UTC");
	assert_string_equal(variable(is, "SGE_O_PATH"), getenv("PATH"));
	assert_non_null(variable(is, "SGE_O_WORKDIR"));
	assert_non_null(variable(is, "SGE_O_HOST"));
	assert_null(variable(is, "SGE_O_MAIL"));
	assert_null(variable(is, "HOME"));
	assert_null(variable(is, "PATH"));
	assert_string_equal(variable(is, "A"), "1");
	assert_string_equal(variable(is, "B"), "x=y");
	assert_string_equal(variable(is, "SECRET"), "s");
	assert_string_equal(variable(is, "EMPTY"), "");
	assert_string_equal(variable(is, "MISSING"), "");
	json_decref(is);
}

static void test_v_overrides_the_environment_sent_by_option_V(void **state)
{
	json_t *is;

	(void)state;
	setenv("SECRET", "s", 1);
	setenv("BYTES", "\377", 1);
	SUBMIT("-v", "SECRET=t", "-V");
	is = request(0);
	assert_int_equal(code, 0);
	assert_string_equal(variable(is, "SECRET"), "t");
	assert_string_equal(variable(is, "PATH"), getenv("PATH"));
	assert_null(variable(is, "BYTES"));
	assert_non_null(strstr(err, "BYTES is left out"));
	json_decref(is);
	ASSERT_REFUSED("is not UTF-8", "submit", "-v", "BYTES", "--", "true");
	unsetenv("BYTES");
}

static void test_variables_with_wrong_names(void **state)
{
	static const char *const wrong[] = { "", "=", "=x", "A=1,", "1A=x", "a b=c", "a-b", "A=1,,B=2" };

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		ASSERT_REFUSED("NAME or NAME=VALUE is expected", "submit", "-v", wrong[k], "--", "true");
}

static void test_a_request_that_no_scheduler_would_read_is_not_sent(void **state)
{
	char *large = malloc(100001);
	const char *words[20] = { "fairlead", "submit", "--", "true" };

	(void)state;
	memset(large, 'x', 100000);
	large[100000] = '\0';
	for (int k = 4; k < 15; k++)
		words[k] = large;
	ask(SUBMITTED, words);
	assert_int_equal(code, 2);
	assert_non_null(strstr(err, "longer than 1048576 bytes"));
	assert_string_equal(requests, "");
	words[13] = NULL;
	ask(SUBMITTED, words);
	assert_int_equal(code, 0);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_command_is_all_that_is_needed),
		cmocka_unit_test(test_the_first_word_that_is_no_option_is_the_command),
		cmocka_unit_test(test_a_command_is_run_directly_unless_b_y_or_shell_y_is_given),
		cmocka_unit_test(test_submit_sends_mail_and_shell_options),
		cmocka_unit_test(test_options_without_effect_are_accepted_and_reported),
		cmocka_unit_test(test_submit_w_requests_a_check_for_jobs_that_can_never_start),
		cmocka_unit_test(test_simple_members),
		cmocka_unit_test(test_htcondor_options_are_sent),
		cmocka_unit_test(test_invalid_htcondor_options_are_refused),
		cmocka_unit_test(test_simple_members_with_wrong_values),
		cmocka_unit_test(test_resources_and_queues_hard_and_soft),
		cmocka_unit_test(test_resources_and_queues_with_wrong_values),
		cmocka_unit_test(test_arrays_and_holds),
		cmocka_unit_test(test_dates_are_local_times),
		cmocka_unit_test(test_directories_become_absolute),
		cmocka_unit_test(test_files_are_expanded_by_the_scheduler_and_directories_get_names),
		cmocka_unit_test(test_files_with_wrong_values),
		cmocka_unit_test(test_the_environment_is_that_of_grid_engine),
		cmocka_unit_test(test_v_overrides_the_environment_sent_by_option_V),
		cmocka_unit_test(test_variables_with_wrong_names),
		cmocka_unit_test(test_a_request_that_no_scheduler_would_read_is_not_sent),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
