/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other tasks of fairlead-shepherd: mail, tidying, its options, and what they report when they
 * fail.
 */
#include "tests/shepherd/shepherd.h"

static char output[1000];		/* both streams of the last call */

/* Run the program with up to six arguments, and return its exit status. */
static int call(const char *const arguments[])
{
	char *words[8] = { (char *)"fairlead-shepherd" };
	int ends[2], n = 0;
	size_t used = 0;
	ssize_t got;
	pid_t pid;

	for (; arguments[n]; n++)
		words[n + 1] = (char *)arguments[n];
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		fexecve(program_fd, words, environ);
		_exit(98);
	}
	close(ends[1]);
	while ((got = read(ends[0], output + used, sizeof(output) - 1 - used)) > 0)
		used += (size_t)got;
	output[used] = '\0';
	close(ends[0]);
	return process_wait(pid);
}

#define CALL(...) call((const char *const[]){ __VA_ARGS__, NULL })

#define MAIL(...) CALL("--mail", job_user.pw_name, number(job_user.pw_uid), number(job_user.pw_gid), __VA_ARGS__)

static const char *number(unsigned n)
{
	static char texts[2][20];
	static int next;
	char *text = texts[next++ % 2];

	snprintf(text, sizeof(texts[0]), "%u", n);
	return text;
}

static void test_options_that_do_not_exist_are_refused_with_the_usage(void **state)
{
	(void)state;
	assert_int_equal(CALL("--help"), 0);
	assert_non_null(strstr(output, "fairlead-shepherd"));
	assert_int_equal(CALL("--version"), 0);
	assert_int_equal(strncmp(output, "fairlead-shepherd ", 18), 0);
	assert_int_equal(CALL("--nonsense"), 2);
	assert_non_null(strstr(output, "fairlead-shepherd"));
	assert_int_equal(CALL("one", "two"), 2);
	assert_int_equal(CALL("--mail"), 2);
}

/* The program runs as the user, with a short environment of its own. */
static void test_mail_is_sent_as_the_user(void **state)
{
	(void)state;
	assert_int_equal(MAIL("/usr/bin/env", "-v"), 0);
	assert_non_null(strstr(output, "LOGNAME="));
	assert_non_null(strstr(output, job_user.pw_name));
	assert_non_null(strstr(output, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"));
	assert_null(strstr(output, "HOME="));
	assert_int_equal(MAIL("/usr/bin/id", "-u"), 0);
	assert_int_equal(atoi(output), job_user.pw_uid);
}

static void test_mail_that_cannot_be_sent_is_reported(void **state)
{
	(void)state;
	assert_int_equal(CALL("--mail", job_user.pw_name, "0", "0", "/bin/true"), 1);
	assert_non_null(strstr(output, "--mail: USER UID GID PROGRAM WORD... are expected"));
	assert_int_equal(MAIL("/nowhere/mail", "root"), 1);
	assert_non_null(strstr(output, "/nowhere/mail: No such file or directory"));
	if (geteuid() != 0)
		return;
	assert_int_equal(CALL("--mail", "no-such-user", "54321", "54321", "/bin/true", "x"), 1);
	assert_non_null(strstr(output, "fairlead-shepherd: mail: there is no user no-such-user"));
	assert_int_equal(CALL("--mail", job_user.pw_name, "54321", "54321", "/bin/true", "x"), 1);
	assert_non_null(strstr(output, "has the number"));
}

static void test_an_attempt_that_is_gone_is_tidy(void **state)
{
	(void)state;
	assert_int_equal(CALL("--tidy", scratch_path("nothing")), 0);
	assert_string_equal(output, "");
}

/* A directory that is no attempt cannot be tidied. Files of other names stay, and are reported. */
static void test_what_cannot_be_tidied_is_reported(void **state)
{
	int fd = open(scratch_path("file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	(void)state;
	close(fd);
	assert_int_equal(CALL("--tidy", scratch_path("file")), 1);
	assert_non_null(strstr(output, "Not a directory"));
	assert_int_equal(mkdir(scratch_path("17.1.99"), 0755) || mkdir(scratch_path("17.1.99/strange"), 0755), 0);
	assert_int_equal(CALL("--tidy", scratch_path("17.1.99")), 1);
	assert_non_null(strstr(output, "17.1.99: Directory not empty"));
	assert_int_equal(access(scratch_path("17.1.99/strange"), F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_options_that_do_not_exist_are_refused_with_the_usage),
		TEST(test_mail_is_sent_as_the_user),
		TEST(test_mail_that_cannot_be_sent_is_reported),
		TEST(test_an_attempt_that_is_gone_is_tidy),
		TEST(test_what_cannot_be_tidied_is_reported),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
