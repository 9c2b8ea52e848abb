/* SPDX-License-Identifier: Apache-2.0 */
/* Commands run by a shepherd: their environment, and the record of their end. */
#include "tests/shepherd/shepherd.h"

#include <linux/capability.h>
#include <sys/resource.h>

/* Record of the end */

static void test_a_command_that_succeeds_is_recorded_as_such(void **state)
{
	double before = (double)time(NULL) - 1;
	struct attempt attempt = run_to_its_end(attempt_make("{}"));

	(void)state;
	assert_int_equal(attempt.exit.wait_status, 0);
	assert_int_equal(attempt.exit.exit_status, 0);
	assert_int_equal(attempt.exit.signal, 0);
	assert_int_equal(attempt.exit.failed, FAILED_NOT);
	assert_string_equal(attempt.exit.text, "");
	assert_true(attempt.exit.start_time > before && attempt.exit.start_time < before + 60);
	assert_true(attempt.exit.end_time >= attempt.exit.start_time &&
		    attempt.exit.end_time < attempt.exit.start_time + 60);
	assert_int_not_equal(attempt.leader.pid, 0);
	assert_int_not_equal(attempt.leader.start, 0);
}

static void test_an_exit_status_is_kept_regardless_of_its_meaning_in_grid_engine(void **state)
{
	static const int statuses[] = { 1, 99, 100, 127, 255 };

	(void)state;
	for (size_t k = 0; k < sizeof(statuses) / sizeof(*statuses); k++) {
		char line[32];
		struct attempt attempt;

		snprintf(line, sizeof(line), "exit %d", statuses[k]);
		attempt = run_shell(line, "{}");
		assert_int_equal(attempt.exit.exit_status, statuses[k]);
		assert_int_equal(WEXITSTATUS(attempt.exit.wait_status), statuses[k]);
		assert_int_equal(attempt.exit.failed, FAILED_NOT);
	}
}

static void test_a_signal_that_ends_the_command_is_named(void **state)
{
	struct attempt attempt = run_shell("kill -KILL $$", "{}");

	(void)state;
	assert_int_equal(attempt.exit.signal, SIGKILL);
	assert_int_equal(attempt.exit.exit_status, 128 + SIGKILL);
	assert_true(WIFSIGNALED(attempt.exit.wait_status));
	assert_false(attempt.exit.core);
	assert_int_equal(attempt.exit.failed, FAILED_NOT);
}

/*
 * Whether a core is written depends on the location that this machine has configured. Without
 * permission to create it no core is written.
 */
static void test_a_core_is_reported_as_by_the_kernel(void **state)
{
	struct attempt attempt = run_shell("ulimit -c; kill -SEGV $$", "{\"limits\":{\"core\":[0,0]}}");

	(void)state;
	assert_int_equal(attempt.exit.signal, SIGSEGV);
	assert_int_equal(attempt.exit.core, WCOREDUMP(attempt.exit.wait_status) != 0);
	assert_string_equal(file_text(output_path), "0\n");
}

static void test_usage_is_that_of_the_command_and_its_descendants(void **state)
{
	/* Children of a child. For one of them only the shepherd waits. */
	struct attempt attempt =
		run_shell("n='i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; (sh -c \"$n\" &) ; sh -c \"$n\"; "
			  "dd if=/dev/zero of=/dev/null bs=1M count=256 2>/dev/null; sleep 0.2",
			  "{}");
	struct attempt idle = run_shell("sleep 0.2", "{}");

	(void)state;
	assert_true(attempt.exit.usage.ru_utime > 0.02);
	assert_true(attempt.exit.usage.ru_utime > 5 * idle.exit.usage.ru_utime);
	assert_true(attempt.exit.usage.cpu_s >= attempt.exit.usage.ru_utime);
	assert_true(attempt.exit.usage.ru_wallclock >= 0.2 && idle.exit.usage.ru_wallclock >= 0.2);
	assert_true(attempt.exit.usage.ru_maxrss > 500);
	assert_true(attempt.exit.usage.maxvmem_bytes == 1024 * attempt.exit.usage.ru_maxrss);
	if (access("/proc/self/io", R_OK) == 0)
		/* 256 MiB in, 256 MiB out */
		assert_true(attempt.exit.usage.io_gb > 0.5 && attempt.exit.usage.io_gb < 0.6);
	assert_true(idle.exit.usage.io_gb < 0.01);
}

/* Environment of the command */

static void test_the_command_runs_as_its_user_alone(void **state)
{
	char wanted[200];

	(void)state;
	run_shell("id -u; id -g; grep -E '^(Uid|Gid|CapEff|CapPrm)' /proc/self/status", "{}");
	snprintf(
		wanted, sizeof(wanted),
		"%u\n%u\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n",
		job_user.pw_uid, job_user.pw_gid, job_user.pw_uid, job_user.pw_uid, job_user.pw_uid, job_user.pw_uid,
		job_user.pw_gid, job_user.pw_gid, job_user.pw_gid, job_user.pw_gid);
	assert_string_equal(file_text(output_path), wanted);
}

static void test_root_s_own_groups_are_not_passed_to_the_user(void **state)
{
	gid_t some[] = { 4, 20, 0 };
	char wanted[40];

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(setgroups(3, some), 0);
	snprintf(wanted, sizeof(wanted), "%u\n", job_user.pw_gid);
	run_shell("id -G", "{\"groups\":null}");
	assert_string_equal(file_text(output_path), wanted);
	run_shell("id -G", "{}");
	assert_string_equal(file_text(output_path), wanted);
	assert_int_equal(setgroups(0, NULL), 0);
}

static void test_the_environment_is_the_requested_one_and_its_files(void **state)
{
	char wanted[600];

	(void)state;
	setenv("LEAKED", "from the scheduler", 1);
	run_to_its_end(attempt_make("{\"command\":[\"env\"],\"environment\":{\"A\":\"1\",\"PATH\":\"/usr/bin:/bin\","
				    "\"LINES\":\"a\\nb = c\"}}"));
	snprintf(
		wanted, sizeof(wanted),
		"A=1\nPATH=/usr/bin:/bin\nLINES=a\nb = c\nSGE_STDIN_PATH=/dev/null\nSGE_STDOUT_PATH=%s\nSGE_STDERR_PATH=%s\n",
		output_path, scratch_path("home/err"));
	assert_string_equal(file_text(output_path), wanted);
}

static void test_arguments_arrive_as_they_are(void **state)
{
	(void)state;
	run_to_its_end(
		attempt_make("{\"command\":[\"printf\",\"%s|\",\"\",\"a b\",\"$HOME\",\"'\\\"\",\"\\u00e9\",\"--\"]}"));
	assert_string_equal(file_text(output_path), "|a b|$HOME|'\"|\303\251|--|");
}

/* PATH is that of the job. The scheduler's own is not used. */
static void test_the_command_is_searched_in_the_job_s_path(void **state)
{
	char changes[400];
	struct attempt attempt;

	(void)state;
	assert_int_equal(mkdir(scratch_path("home/bin"), 0755), 0);
	assert_int_equal(symlink("/bin/echo", scratch_path("home/bin/only_here")), 0);
	snprintf(changes, sizeof(changes),
		 "{\"command\":[\"only_here\",\"found\"],\"environment\":{\"PATH\":\"/nowhere:%s::/bin\"}}",
		 scratch_path("home/bin"));
	run_to_its_end(attempt_make(changes));
	assert_string_equal(file_text(output_path), "found\n");
	run_to_its_end(attempt_make("{\"command\":[\"echo\",\"default\"],\"environment\":{}}"));
	assert_string_equal(file_text(output_path), "default\n");
	attempt = run_to_its_end(attempt_make("{\"command\":[\"echo\"],\"environment\":{\"PATH\":\"/nowhere\"}}"));
	assert_int_equal(attempt.exit.failed, FAILED_NO_COMMAND);
	assert_int_equal(unlink(scratch_path("home/bin/only_here")), 0);
	assert_int_equal(rmdir(scratch_path("home/bin")), 0);
}

static void test_output_is_appended_and_joined(void **state)
{
	(void)state;
	unlink(scratch_path("home/err"));
	run_shell("echo one; echo two >&2", "{}");
	assert_string_equal(file_text(output_path), "one\n");
	assert_string_equal(file_text(scratch_path("home/err")), "two\n");
	attempts_made--;		/* reuses the output file in another directory */
	assert_int_equal(rename(attempt_path, scratch_path("before")), 0);
	run_shell("echo three; echo four >&2", "{\"join\":true}");
	assert_string_equal(file_text(output_path), "one\nthree\nfour\n");
}

static void test_the_command_inherits_no_state_of_the_shepherd(void **state)
{
	/* descriptors of the starter are not inherited either */
	int leak = open("/dev/zero", O_RDONLY);

	(void)state;
	assert_true(leak >= 0);
	run_shell(
		"ls /proc/self/fd; grep -E '^Sig(Blk|Ign)' /proc/self/status; cat /proc/sys/kernel/random/uuid >/dev/null; pwd",
		"{}");
	close(leak);
	assert_non_null(
		strstr(file_text(output_path), "0\n1\n2\n3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
	assert_non_null(strstr(file_text(output_path), "/home\n"));
}

/* A directory as a path gets the name that the scheduler gives for this case. */
static void test_output_to_a_directory_has_a_file_of_its_own_there(void **state)
{
	char changes[400], inside[200];

	(void)state;
	snprintf(changes, sizeof(changes),
		 "{\"stdout_path\":\"%s\",\"stdout_name\":\"job.o17\",\"stderr_path\":\"%s/\",\"stderr_name\":\"job.e17\"}",
		 scratch_path("home"), scratch_path("home"));
	assert_int_equal(run_shell("echo out; echo err >&2; echo $SGE_STDOUT_PATH; echo $SGE_STDERR_PATH", changes)
				 .exit.failed,
			 FAILED_NOT);
	assert_string_equal(file_text(scratch_path("home/job.e17")), "err\n");
	snprintf(inside, sizeof(inside), "out\n%s\n%s\n", scratch_path("home/job.o17"), scratch_path("home/job.e17"));
	assert_string_equal(file_text(scratch_path("home/job.o17")), inside);
	unlink(scratch_path("home/job.o17"));
	unlink(scratch_path("home/job.e17"));
}

static void test_limits_are_set_and_hold(void **state)
{
	(void)state;
	run_shell(
		"ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -St; ulimit -Ss; ulimit -Sf; ulimit -Sd; ulimit -Sv",
		"{\"limits\":{\"nofile\":[20,30],\"core\":[0,0],\"cpu\":[100,200],\"stack\":[1048576,-1],\"fsize\":[1048576,1048576],"
		"\"data\":[1073741824,-1],\"as\":[1073741824,2147483648]}}");
	assert_string_equal(file_text(output_path), "20\n30\n0\n100\n1024\n2048\n1048576\n1048576\n");
}

/* The record names the limit whose signal has ended the command, directly or below a shell. */
static void test_a_limit_of_file_sizes_is_named_in_the_record(void **state)
{
	static const char *const lines[] = { "head -c 2000000 /dev/zero >big", "head -c 2000000 /dev/zero >big; exit $?" };

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct attempt attempt = run_shell(lines[k], "{\"limits\":{\"fsize\":[1048576,1048576]}}");

		assert_string_equal(attempt.exit.text, "ended by a signal: h_fsize=1048576");
		assert_int_equal(attempt.exit.failed, FAILED_NOT);
		attempt = run_shell(lines[k], "{\"limits\":{\"fsize\":[1048576,2097152]}}");
		assert_string_equal(attempt.exit.text, "ended by a signal: s_fsize=1048576");
	}
	assert_string_equal(run_shell("kill -XFSZ $$", "{\"limits\":{\"fsize\":[-1,-1]}}").exit.text, "");
	assert_string_equal(run_shell("kill -XFSZ $$", "{}").exit.text, "");
	unlink(scratch_path("home/big"));
}

static void test_limits_too_low_for_the_shepherd_can_be_set(void **state)
{
	struct attempt attempt = run_to_its_end(attempt_make("{\"limits\":{\"as\":[4096,4096],\"nofile\":[0,0]}}"));

	(void)state;
	assert_int_equal(attempt.exit.failed == FAILED_NOT || attempt.exit.failed == FAILED_BEFORE_JOB, 1);
	/* The command cannot run, but its end is known. */
	assert_int_not_equal(attempt.exit.exit_status, 0);
}

/* Run in a process of its own, because without the privilege no process can raise a limit again. */
static void test_a_limit_above_the_schedulers_own_is_set_as_far_as_permitted(void **state)
{
	struct rlimit low = { .rlim_cur = 5000, .rlim_max = 5000 };
	bool may = geteuid() == 0 && prctl(PR_CAPBSET_READ, CAP_SYS_RESOURCE) == 1;
	int dirfd = attempt_make_shell("ulimit -Ht", "{\"limits\":{\"cpu\":[7000,7000]}}");
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(setrlimit(RLIMIT_CPU, &low) ? 9 : process_wait(shepherd_start(attempt_path)));
	assert_int_equal(process_wait(pid), 0);
	close(dirfd);
	assert_string_equal(file_text(output_path), may ? "7000\n" : "5000\n");
}

static void test_cpu_limit_ends_a_burner(void **state)
{
	struct attempt attempt = run_shell("while :; do :; done", "{\"limits\":{\"cpu\":[1,2]}}");

	(void)state;
	assert_int_equal(attempt.exit.signal, SIGXCPU);
	assert_true(attempt.exit.usage.cpu_s > 0.5 && attempt.exit.usage.cpu_s < 10);
}

static void test_nice_umask_and_session_are_as_requested(void **state)
{
	(void)state;
	run_shell("nice; umask; cut -d' ' -f6 /proc/$$/stat; echo $$", "{\"nice\":7,\"umask\":\"0027\"}");
	int nice, mask, session, pid;

	assert_int_equal(sscanf(file_text(output_path), "%d %d %d %d", &nice, &mask, &session, &pid), 4);
	assert_int_equal(nice, 7);
	assert_int_equal(mask, 27);
	assert_int_equal(session, pid);
}

static void test_input_is_the_file_named(void **state)
{
	char changes[300];

	(void)state;
	run_shell("cat; echo end", "{}");
	assert_string_equal(file_text(output_path), "end\n");
	snprintf(changes, sizeof(changes), "{\"command\":[\"wc\",\"-c\"],\"stdin_path\":\"%s\"}", output_path);
	run_to_its_end(attempt_make(changes));
	assert_string_equal(file_text(output_path), "4\n");
}

static void test_large_output_is_written_completely(void **state)
{
	struct stat st;
	struct attempt attempt = run_shell("dd if=/dev/zero bs=1M count=64 2>/dev/null", "{}");

	(void)state;
	assert_int_equal(attempt.exit.exit_status, 0);
	assert_int_equal(stat(output_path, &st), 0);
	assert_int_equal(st.st_size, 64 << 20);
	assert_int_equal(unlink(output_path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_command_that_succeeds_is_recorded_as_such),
		TEST_AS_USER(test_a_command_that_succeeds_is_recorded_as_such),
		TEST(test_an_exit_status_is_kept_regardless_of_its_meaning_in_grid_engine),
		TEST(test_a_signal_that_ends_the_command_is_named),
		TEST(test_a_core_is_reported_as_by_the_kernel),
		TEST(test_usage_is_that_of_the_command_and_its_descendants),
		TEST_AS_USER(test_usage_is_that_of_the_command_and_its_descendants),
		TEST(test_the_command_runs_as_its_user_alone),
		TEST_AS_USER(test_the_command_runs_as_its_user_alone),
		TEST(test_root_s_own_groups_are_not_passed_to_the_user),
		TEST(test_the_environment_is_the_requested_one_and_its_files),
		TEST(test_arguments_arrive_as_they_are),
		TEST(test_the_command_is_searched_in_the_job_s_path),
		TEST(test_output_is_appended_and_joined),
		TEST(test_the_command_inherits_no_state_of_the_shepherd),
		TEST(test_output_to_a_directory_has_a_file_of_its_own_there),
		TEST_AS_USER(test_output_to_a_directory_has_a_file_of_its_own_there),
		TEST(test_a_limit_of_file_sizes_is_named_in_the_record),
		TEST(test_limits_are_set_and_hold),
		TEST_AS_USER(test_limits_are_set_and_hold),
		TEST(test_limits_too_low_for_the_shepherd_can_be_set),
		TEST(test_a_limit_above_the_schedulers_own_is_set_as_far_as_permitted),
		TEST_AS_USER(test_a_limit_above_the_schedulers_own_is_set_as_far_as_permitted),
		TEST(test_cpu_limit_ends_a_burner),
		TEST(test_nice_umask_and_session_are_as_requested),
		TEST(test_input_is_the_file_named),
		TEST(test_large_output_is_written_completely),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
