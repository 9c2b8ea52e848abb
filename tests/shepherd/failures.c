/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that can be wrong before a command runs: it is recorded with Grid Engine's number and
 * a text, and no command has run.
 */
#include "tests/shepherd/shepherd.h"

#define RUNS "\"command\":[\"touch\",\"ran\"]"

static bool has_run(void)
{
	bool ran = access(scratch_path("home/ran"), F_OK) == 0;

	unlink(scratch_path("home/ran"));
	return ran;
}

static void assert_failed(struct attempt attempt, enum attempt_failed failed, const char *text)
{
	assert_int_equal(attempt.exit.failed, failed);
	if (!strstr(attempt.exit.text, text))
		fail_msg("no \"%s\" in: %s", text, attempt.exit.text);
	assert_int_not_equal(attempt.exit.exit_status, 0);
	assert_int_equal(attempt.exit.signal, 0);
	assert_false(has_run());
}

static void assert_fails(const char *changes, enum attempt_failed failed, const char *text)
{
	assert_failed(run_to_its_end(attempt_make(changes)), failed, text);
}

static void test_a_command_without_a_fault_runs(void **state)
{
	struct attempt a = run_to_its_end(attempt_make("{" RUNS "}"));

	(void)state;
	assert_int_equal(a.exit.failed, FAILED_NOT);
	assert_true(has_run());
}

static void test_a_missing_user_fails_the_attempt(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		assert_fails("{" RUNS ",\"uid\":54321}", FAILED_BEFORE_JOB, "the scheduler is not root");
		assert_fails("{" RUNS ",\"uid\":0}", FAILED_BEFORE_JOB, "the scheduler is not root");
		return;
	}
	assert_fails("{" RUNS ",\"user\":\"no-such-user\"}", FAILED_BEFORE_JOB, "there is no user no-such-user");
	assert_fails("{" RUNS ",\"uid\":54321}", FAILED_BEFORE_JOB, "has the number");
}

static void test_a_missing_working_directory_fails_the_attempt(void **state)
{
	(void)state;
	assert_fails("{" RUNS ",\"cwd\":\"/nowhere/at/all\"}", FAILED_NO_CWD,
		     "changing to /nowhere/at/all: No such file or directory");
	assert_fails("{" RUNS ",\"cwd\":\"/dev/null\"}", FAILED_NO_CWD, "Not a directory");
	if (job_user.pw_uid != 0)
		assert_fails("{" RUNS ",\"cwd\":\"/root\"}", FAILED_NO_CWD, "Permission denied");
}

static void test_files_that_can_t_be_opened(void **state)
{
	char changes[300];

	(void)state;
	assert_fails("{" RUNS ",\"stdin_path\":\"/nowhere\"}", FAILED_OPEN_OUTPUT,
		     "opening input file /nowhere: No such file");
	assert_fails("{" RUNS ",\"stdout_path\":\"/nowhere/out\"}", FAILED_OPEN_OUTPUT,
		     "opening output file /nowhere/out: No such file");
	assert_fails("{" RUNS ",\"stderr_path\":\"/tmp\"}", FAILED_OPEN_OUTPUT,
		     "opening output file /tmp: Is a directory");
	assert_int_equal(mkfifo(scratch_path("home/fifo"), 0666) || chmod(scratch_path("home/fifo"), 0666), 0);
	snprintf(changes, sizeof(changes), "{" RUNS ",\"stdout_path\":\"%s\"}", scratch_path("home/fifo"));
	/* The FIFO has no reader. The shepherd must not hang. */
	assert_fails(changes, FAILED_OPEN_OUTPUT, "No such device or address");
	unlink(scratch_path("home/fifo"));
}

/* Root could write there, but the user cannot, and the rights of the user count. */
static void test_the_user_s_rights_count_for_files(void **state)
{
	char changes[300];
	int fd = open(scratch_path("precious"), O_WRONLY | O_CREAT, 0600);

	(void)state;
	if (job_user.pw_uid == 0 || getuid() != 0)
		skip();
	assert_true(fd >= 0 && fchown(fd, 0, 0) == 0);
	close(fd);
	snprintf(changes, sizeof(changes), "{" RUNS ",\"stdout_path\":\"%s\"}", scratch_path("precious"));
	assert_fails(changes, FAILED_OPEN_OUTPUT, "Permission denied");
	snprintf(changes, sizeof(changes), "{" RUNS ",\"stdin_path\":\"%s\"}", scratch_path("precious"));
	assert_fails(changes, FAILED_OPEN_OUTPUT, "Permission denied");
}

static void script_make(const char *name, const char *text)
{
	int fd;

	unlink(scratch_path(name));
	fd = open(scratch_path(name), O_WRONLY | O_CREAT | O_EXCL, 0755);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void test_a_missing_command_exits_127_and_an_unusable_one_126(void **state)
{
	struct attempt attempt = run_to_its_end(attempt_make("{\"command\":[\"no-such-command\",\"x\"]}"));

	(void)state;
	assert_failed(attempt, FAILED_NO_COMMAND,
		      "no-such-command: command not found (No such file or directory); PATH of the job: ");
	assert_non_null(strstr(file_text(scratch_path("home/err")), "fairlead: no-such-command: command not found"));
	assert_int_equal(attempt.exit.exit_status, 127);
	attempt = run_to_its_end(attempt_make("{\"command\":[\"/nowhere/x\"]}"));
	assert_failed(attempt, FAILED_NO_COMMAND, "/nowhere/x: command not found (No such file or directory)");
	assert_int_equal(attempt.exit.exit_status, 127);
	attempt = run_to_its_end(attempt_make("{\"command\":[\"./x\"]}"));
	assert_failed(attempt, FAILED_NO_COMMAND, "; directory of the job: /");
	assert_non_null(strstr(attempt.exit.text, scratch_path("home")));
	script_make("home/lost", "#!/nowhere/interpreter\n");
	attempt = run_to_its_end(attempt_make("{\"command\":[\"./lost\"]}"));
	assert_failed(attempt, FAILED_NO_COMMAND, "./lost: command not found: the file exists, but the interpreter");
	attempt = run_to_its_end(attempt_make("{\"command\":[\"/etc/passwd\"]}"));
	assert_failed(attempt, FAILED_NO_COMMAND, "/etc/passwd: cannot be executed: Permission denied");
	assert_int_equal(attempt.exit.exit_status, 126);
	attempt = run_to_its_end(attempt_make("{\"command\":[\"/tmp\"]}"));
	assert_failed(attempt, FAILED_NO_COMMAND, "Permission denied");
	assert_int_equal(WEXITSTATUS(attempt.exit.wait_status), 126);
}

static void test_arguments_that_are_too_long_for_the_kernel(void **state)
{
	char *changes = malloc(3 << 20);
	size_t n = (size_t)sprintf(changes, "{\"command\":[\"true\",\"");

	(void)state;
	memset(changes + n, 'x', 2 << 20);
	strcpy(changes + n + (2 << 20), "\"]}");
	assert_fails(changes, FAILED_BEFORE_JOB, "Argument list too long");
	free(changes);
}

static void test_a_missing_cgroup_fails_the_attempt(void **state)
{
	(void)state;
	assert_fails("{" RUNS ",\"cgroup\":\"/nowhere/cgroup\"}", FAILED_BEFORE_JOB,
		     "joining /nowhere/cgroup: No such file");
}

static void test_a_child_killed_before_it_is_the_command_fails_the_attempt(void **state)
{
	struct attempt a = run_to_its_end(attempt_make("{" RUNS ",\"limits\":{\"cpu\":[0,0]}}"));

	(void)state;	/* the kernel may let it live for a second, and then it runs */
	if (a.exit.failed == FAILED_NOT || a.exit.failed == FAILED_LIMIT)
		assert_true(has_run() || a.exit.signal);
	else
		assert_failed(a, FAILED_BEFORE_JOB, "killed before it became the command");
}

/* The scheduler has made the script, but the user cannot reach it. */
static void test_a_script_that_the_user_cannot_read_fails_the_attempt(void **state)
{
	char changes[300];

	(void)state;
	script_make("script", "#!/bin/sh\ntouch ran\n");
	snprintf(changes, sizeof(changes), "{\"command\":[\"sh\"],\"script\":\"%s\"}", scratch_path("lost"));
	assert_fails(changes, FAILED_BEFORE_JOB, "its script cannot be read by");
	if (job_user.pw_uid == 0 || getuid() != 0)
		return;
	snprintf(changes, sizeof(changes), "{\"command\":[\"sh\"],\"script\":\"%s\"}", scratch_path("script"));
	assert_int_equal(chmod(scratch_path("script"), 0600) || chown(scratch_path("script"), 0, 0), 0);
	assert_fails(changes, FAILED_BEFORE_JOB, "Permission denied");
}

static void test_names_that_are_too_long_fail_the_attempt(void **state)
{
	static char name[5000], changes[6000];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	memset(name, '/', 1);
	snprintf(changes, sizeof(changes), "{" RUNS ",\"cgroup\":\"%s\"}", name);
	assert_fails(changes, FAILED_BEFORE_JOB, "the name of its cgroup is too long");
	snprintf(changes, sizeof(changes), "{" RUNS ",\"stdout_path\":\"%s\"}", name);
	assert_fails(changes, FAILED_OPEN_OUTPUT, "File name too long");
	snprintf(changes, sizeof(changes), "{" RUNS ",\"stdout_path\":\"/\",\"stdout_name\":\"%s\"}", name + 1);
	assert_fails(changes, FAILED_OPEN_OUTPUT, "File name too long");
}

/* Config */

static void test_members_of_config_that_are_wrong_or_missing(void **state)
{
	static const char *const wrong[][2] = {
		{ "\"job_number\":null", "job_number: an integer" },
		{ "\"job_number\":0", "job_number" },
		{ "\"job_number\":4294967296", "job_number" },
		{ "\"job_number\":\"17\"", "job_number" },
		{ "\"task\":-1", "task" },
		{ "\"task\":1.5", "task" },
		{ "\"uid\":null", "uid" },
		{ "\"uid\":-1", "uid" },
		{ "\"uid\":4294967295", "uid" },
		{ "\"gid\":4294967295", "gid" },
		{ "\"user\":\"\"", "user" },
		{ "\"user\":7", "user" },
		{ "\"groups\":[4]", "groups" },
		{ "\"groups\":\"none\"", "groups" },
		{ "\"command\":null", "command" },
		{ "\"command\":[]", "command" },
		{ "\"command\":[\"\"]", "command" },
		{ "\"command\":[\"true\",1]", "command" },
		{ "\"command\":\"true\"", "command" },
		{ "\"cwd\":null", "cwd" },
		{ "\"cwd\":\"\"", "cwd" },
		{ "\"environment\":null", "environment" },
		{ "\"environment\":[]", "environment" },
		{ "\"environment\":{\"A\":1}", "environment" },
		{ "\"environment\":{\"\":\"x\"}", "environment" },
		{ "\"environment\":{\"A=B\":\"x\"}", "environment" },
		{ "\"stdin_path\":false", "stdin_path" },
		{ "\"stdout_path\":null", "stdout_path" },
		{ "\"stderr_path\":null", "stderr_path" },
		{ "\"join\":\"y\"", "join" },
		{ "\"umask\":18", "umask" },
		{ "\"umask\":\"8\"", "umask" },
		{ "\"umask\":\"01000\"", "umask" },
		{ "\"umask\":\"-1\"", "umask" },
		{ "\"nice\":21", "nice" },
		{ "\"nice\":-21", "nice" },
		{ "\"cgroup\":\"relative\"", "cgroup" },
		{ "\"program\":\"sh\"", "program" },
		{ "\"script\":\"x\"", "script" },
		{ "\"tmpdir\":\"/tmp\"", "tmpdir_name: the name of a directory is expected" },
		{ "\"tmpdir\":\"tmp\",\"tmpdir_name\":\"x\"", "tmpdir: an absolute path" },
		{ "\"tmpdir\":\"/tmp\",\"tmpdir_name\":\"a/b\"", "tmpdir_name: the name of a file" },
		{ "\"script_input\":true", "script_input: there is no script" },
		{ "\"stdout_name\":\"a/b\"", "stdout_name" },
		{ "\"stderr_name\":\"..\"", "stderr_name" },
		{ "\"stdout_name\":7", "stdout_name" },
		{ "\"limits\":[]", "limits" },
		{ "\"limits\":{\"rss\":[1,1]}", "unknown name" },
		{ "\"limits\":{\"cpu\":[1]}", "cpu" },
		{ "\"limits\":{\"cpu\":[2,1]}", "cpu" },
		{ "\"limits\":{\"cpu\":[-1,1]}", "cpu" },
		{ "\"limits\":{\"cpu\":[-2,-1]}", "cpu" },
		{ "\"limits\":{\"cpu\":[1.0,1]}", "cpu" },
		{ "\"limits\":{\"cpu\":1}", "cpu" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		char changes[200];

		snprintf(changes, sizeof(changes), "{%s,%s}",
			 strncmp(wrong[k][0], "\"command\"", 9) ? RUNS : "\"nice\":0", wrong[k][0]);
		assert_fails(changes, FAILED_CONFIG, wrong[k][1]);
	}
}

/* Replace the valid file by this one, unchanged. */
static int attempt_make_damaged(const char *bytes, size_t length, mode_t mode)
{
	int dirfd = attempt_make("{" RUNS "}"), fd = openat(dirfd, "config", O_WRONLY | O_TRUNC);

	assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length && fchmod(fd, mode) == 0);
	close(fd);
	return dirfd;
}

static void test_config_that_is_no_json(void **state)
{
	static const char *const damaged[] = { "",     "{",	  "[]", "{}", "null", "{\"task\":0,\"task\":0}",
					       "{} x", "\377\376" };
	static char zeros[512];

	(void)state;
	for (size_t k = 0; k < sizeof(damaged) / sizeof(*damaged); k++)
		assert_failed(run_to_its_end(attempt_make_damaged(damaged[k], strlen(damaged[k]), 0600)), FAILED_CONFIG,
			      "config: ");
	assert_failed(run_to_its_end(attempt_make_damaged(zeros, sizeof(zeros), 0600)), FAILED_CONFIG, "config: ");
}

static void test_config_that_can_t_be_trusted(void **state)
{
	int dirfd = attempt_make("{" RUNS "}");

	(void)state;
	assert_int_equal(fchmodat(dirfd, "config", 0622, 0), 0);
	assert_failed(run_to_its_end(dirfd), FAILED_CONFIG, "writable by other users");
	dirfd = attempt_make("{" RUNS "}");
	assert_int_equal(renameat(dirfd, "config", dirfd, "elsewhere") || symlinkat("elsewhere", dirfd, "config"), 0);
	assert_failed(run_to_its_end(dirfd), FAILED_CONFIG, "not a regular file");
	dirfd = attempt_make("{" RUNS "}");
	assert_int_equal(unlinkat(dirfd, "config", 0) || mkfifoat(dirfd, "config", 0600), 0);
	assert_failed(run_to_its_end(dirfd), FAILED_CONFIG, "not a regular file");
	dirfd = attempt_make("{" RUNS "}");
	assert_int_equal(unlinkat(dirfd, "config", 0), 0);
	assert_failed(run_to_its_end(dirfd), FAILED_CONFIG, "No such file");
	if (getuid() != 0 || geteuid() != 0)
		return;
	dirfd = attempt_make("{" RUNS "}");
	assert_int_equal(fchownat(dirfd, "config", job_user.pw_uid, job_user.pw_gid, 0), 0);
	assert_failed(run_to_its_end(dirfd), FAILED_CONFIG, "not a regular file");
}

static void test_config_that_is_too_long(void **state)
{
	char *bytes = malloc(ATTEMPT_CONFIG_BYTES + 1), *config;
	struct error error;
	int dirfd = attempt_make("{}");

	(void)state;
	memset(bytes, ' ', ATTEMPT_CONFIG_BYTES + 1);
	assert_failed(run_to_its_end(attempt_make_damaged(bytes, ATTEMPT_CONFIG_BYTES + 1, 0600)), FAILED_CONFIG,
		      "too long");
	bytes[ATTEMPT_CONFIG_BYTES] = '\0';
	assert_true(asprintf(&config, "{\"cwd\":\"%s\"}", bytes) > 0);
	assert_int_equal(attempt_config_write(dirfd, config, &error), -EFBIG);
	free(config);
	free(bytes);
	close(dirfd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_command_without_a_fault_runs),
		TEST_AS_USER(test_a_command_without_a_fault_runs),
		TEST(test_a_missing_user_fails_the_attempt),
		TEST_AS_USER(test_a_missing_user_fails_the_attempt),
		TEST(test_a_missing_working_directory_fails_the_attempt),
		TEST(test_files_that_can_t_be_opened),
		TEST_AS_USER(test_files_that_can_t_be_opened),
		TEST(test_the_user_s_rights_count_for_files),
		TEST(test_a_missing_command_exits_127_and_an_unusable_one_126),
		TEST_AS_USER(test_a_missing_command_exits_127_and_an_unusable_one_126),
		TEST(test_arguments_that_are_too_long_for_the_kernel),
		TEST(test_a_missing_cgroup_fails_the_attempt),
		TEST(test_a_child_killed_before_it_is_the_command_fails_the_attempt),
		TEST(test_a_script_that_the_user_cannot_read_fails_the_attempt),
		TEST(test_names_that_are_too_long_fail_the_attempt),
		TEST(test_members_of_config_that_are_wrong_or_missing),
		TEST(test_config_that_is_no_json),
		TEST(test_config_that_can_t_be_trusted),
		TEST(test_config_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
