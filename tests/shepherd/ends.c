/* SPDX-License-Identifier: Apache-2.0 */
/* After the end of a command no process of its task is left. The ways in which a shepherd ends. */
#include "tests/shepherd/shepherd.h"

#include <sys/statvfs.h>

/* Remaining processes */

/* Check that no process with a number in the file exists. */
static void assert_all_gone(const char *path, int wanted)
{
	FILE *f = fopen(path, "r");
	int pid, n = 0;

	assert_non_null(f);
	for (; fscanf(f, "%d", &pid) == 1; n++)
		if (is_alive(pid))
			fail_msg("process %d is still there", pid);
	fclose(f);
	assert_int_equal(n, wanted);
}

static void test_background_processes_of_a_command_end_with_it(void **state)
{
	(void)state;
	run_shell("for i in 1 2 3 4 5; do sleep 1000 & echo $!; done", "{}");
	assert_all_gone(output_path, 5);
}

static void test_a_daemon_in_a_session_of_its_own_ends_with_the_task(void **state)
{
	struct attempt attempt = run_shell(
		"setsid sh -c '(setsid sh -c \"echo \\$\\$; trap : TERM INT HUP; >go; exec sleep 1000\" &)'; " UNTIL_GO,
		"{}");

	(void)state;
	assert_int_equal(attempt.exit.exit_status, 0);
	assert_all_gone(output_path, 1);
}

static void test_a_process_that_forks_constantly_is_caught(void **state)
{
	struct attempt attempt =
		run_shell("cat >f.sh <<'E'\necho $$\nsh ./f.sh & exit\nE\nsh ./f.sh & sh ./f.sh & sh ./f.sh & "
			  "until [ $(wc -c </proc/$$/fd/1) -gt 1000 ]; do sleep 0.01; done",
			  "{}");
	struct stat before, after;

	(void)state;
	assert_int_equal(attempt.exit.exit_status, 0);
	assert_int_equal(stat(output_path, &before), 0);
	usleep(100000);
	assert_int_equal(stat(output_path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_true(before.st_size > 1000);
}

static void test_stopped_processes_are_no_obstacle(void **state)
{
	struct attempt attempt = run_shell("sleep 1000 & echo $!; kill -STOP $!; exit 3", "{}");

	(void)state;
	assert_int_equal(attempt.exit.exit_status, 3);
	assert_all_gone(output_path, 1);
}

static bool is_stopped(void *pid)
{
	char path[64], letter = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", *(pid_t *)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &letter) != 1)
		letter = 0;
	if (f)
		fclose(f);
	return letter == 'T';
}

static bool has_begun(void *dirfd)
{
	return look(*(int *)dirfd).begun == ATTEMPT_BY_SHEPHERD;
}

static void test_a_task_that_stops_itself_has_not_ended(void **state)
{
	int dirfd = attempt_make_shell("kill -STOP $$; exit 5", "{}");
	pid_t shepherd = shepherd_start(attempt_path);
	struct attempt attempt;

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	attempt = look(dirfd);
	assert_true(wait_until(is_stopped, &attempt.leader.pid));
	attempt = look(dirfd);
	assert_true(attempt.lock_held && !attempt.exited);
	assert_int_equal(kill(attempt.leader.pid, SIGCONT), 0);
	assert_int_equal(process_wait(shepherd), 0);
	assert_int_equal(look(dirfd).exit.exit_status, 5);
	close(dirfd);
}

/*
 * A program of root in a user's task, like su(1): a scheduler that is not root cannot end it and
 * does not wait for it forever.
 */
static void test_a_process_that_cannot_be_killed_is_reported(void **state)
{
	char command[400];
	struct statvfs disk;
	struct attempt attempt;

	(void)state;
	if (getuid() != 0 || access("/usr/bin/setpriv", X_OK) || statvfs(scratch, &disk) || disk.f_flag & ST_NOSUID)
		skip();
	assert_int_equal(seteuid(0), 0);
	snprintf(command, sizeof(command), "cp /usr/bin/setpriv %s && chmod 4755 %s", scratch_path("become"),
		 scratch_path("become"));
	assert_int_equal(system(command), 0);
	assert_int_equal(seteuid(job_user.pw_uid), 0);
	snprintf(
		command, sizeof(command),
		"%s --reuid 0 --clear-groups sleep 1000 & echo $!; until grep -q ^Uid:.0 /proc/$!/status; do sleep 0.01; done; exit 7",
		scratch_path("become"));
	attempt = run_shell(command, "{}");
	assert_int_equal(attempt.exit.exit_status, 7);
	assert_int_equal(attempt.exit.failed, FAILED_NOT);
	assert_string_equal(attempt.exit.text, "processes of other users that may not be killed were left running: 1");
	assert_true(is_alive((pid_t)atoi(file_text(output_path))));
}

/* Control groups */

static const char *const cgroup_roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

/* Return a group of our own below a writable cgroup v2, or "" if there is none. */
static const char *cgroup_make(void)
{
	static char path[200];

	for (size_t k = 0; k < sizeof(cgroup_roots) / sizeof(*cgroup_roots); k++) {
		snprintf(path, sizeof(path), "%s/cgroup.controllers", cgroup_roots[k]);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/fairlead-test-%d", cgroup_roots[k], (int)getpid());
		if (mkdir(path, 0755) == 0)
			return path;
	}
	return "";
}

static pid_t stranger_start(const char *cgroup)
{
	char path[300];
	pid_t pid = fork();
	FILE *f;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d", (int)pid);
	assert_int_equal(fclose(f), 0);
	return pid;
}

static void test_a_task_runs_in_its_cgroup_and_leaves_it_empty(void **state)
{
	const char *cgroup = cgroup_make();
	char changes[300], wanted[60];
	struct attempt attempt;
	pid_t stranger;

	(void)state;
	if (!*cgroup || geteuid() != 0)
		skip();
	/* not a descendant of the shepherd, for example a PE task */
	stranger = stranger_start(cgroup);
	snprintf(changes, sizeof(changes), "{\"cgroup\":\"%s\"}", cgroup);
	attempt = run_shell(
		"grep ^0:: /proc/self/cgroup; setsid sleep 1000 & i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done",
		changes);
	snprintf(wanted, sizeof(wanted), "/fairlead-test-%d\n", (int)getpid());
	assert_non_null(strstr(file_text(output_path), wanted));
	assert_true(attempt.exit.usage.cpu_s >= attempt.exit.usage.ru_utime && attempt.exit.usage.cpu_s < 60);
	assert_int_equal(process_wait(stranger), 128 + SIGKILL);
	assert_int_equal(rmdir(cgroup), 0);
}

/* The shepherd process */

static void test_identity_of_shepherd_and_task_can_be_checked(void **state)
{
	int dirfd = attempt_make_shell("sleep 1000", "{}");
	pid_t shepherd = shepherd_start(attempt_path);
	struct attempt attempt;

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	attempt = look(dirfd);
	assert_true(attempt.lock_held);
	assert_false(attempt.exited);
	assert_int_equal(attempt.shepherd.pid, shepherd);
	assert_int_equal(attempt.shepherd.start, attempt_process_start(shepherd));
	assert_int_equal(attempt.leader.start, attempt_process_start(attempt.leader.pid));
	assert_int_not_equal(attempt.leader.start, 0);
	assert_int_equal(kill(attempt.leader.pid, SIGTERM), 0);
	assert_int_equal(process_wait(shepherd), 0);
	attempt = look(dirfd);
	assert_true(attempt.exited && !attempt.lock_held);
	assert_int_equal(attempt.exit.signal, SIGTERM);
	close(dirfd);
}

static void test_signals_for_the_scheduler_do_not_end_the_shepherd(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP };
	int dirfd = attempt_make_shell(UNTIL_GO "exit 4", "{}");
	pid_t shepherd = shepherd_start(attempt_path);

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	for (size_t k = 0; k < sizeof(signals) / sizeof(*signals); k++)
		assert_int_equal(kill(shepherd, signals[k]), 0);
	let_go();
	assert_int_equal(process_wait(shepherd), 0);
	assert_int_equal(look(dirfd).exit.exit_status, 4);
	close(dirfd);
}

static void test_the_command_continues_and_the_lock_is_free_when_the_shepherd_is_killed(void **state)
{
	int dirfd = attempt_make_shell("echo begun; " UNTIL_GO "echo done >last", "{}");
	pid_t shepherd = shepherd_start(attempt_path);
	struct attempt attempt;
	char last[100];

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	attempt = look(dirfd);
	assert_true(wait_until(file_has_text, output_path));	/* after exec: the command must hold no lock */
	assert_int_equal(kill(shepherd, SIGKILL), 0);
	assert_int_equal(process_wait(shepherd), 128 + SIGKILL);
	assert_true(is_alive(attempt.leader.pid));
	attempt = look(dirfd);
	assert_int_equal(attempt.begun, ATTEMPT_BY_SHEPHERD);
	assert_false(attempt.lock_held);
	assert_false(attempt.exited);
	let_go();
	snprintf(last, sizeof(last), "%s", scratch_path("home/last"));
	assert_true(wait_until(file_has_text, last));
	assert_string_equal(file_text(last), "done\n");
	close(dirfd);
}

#define KILLS 100

/*
 * At any moment: a command that has run is known to have begun, and one that has not begun never
 * runs.
 */
static void test_a_shepherd_killed_at_any_moment_leaves_a_clear_state(void **state)
{
	int begun = 0, usual_us = time_to_begin();

	(void)state;
	for (int k = 0; k < KILLS; k++) {
		int dirfd = attempt_make("{\"command\":[\"touch\",\"ran\"]}");
		pid_t shepherd = shepherd_start(attempt_path);
		struct attempt attempt;

		usleep((useconds_t)((long)k * 3 * usual_us / KILLS));
		if (k == KILLS - 1)
			assert_true(wait_until(has_begun, &dirfd));
		kill(shepherd, SIGKILL);
		process_wait(shepherd);
		while (waitpid(-1, NULL, 0) > 0)
			;		/* its orphaned child, which is ours now */
		attempt = look(dirfd);
		assert_false(attempt.lock_held);
		if (attempt.begun == ATTEMPT_NOT_BEGUN)
			assert_int_not_equal(access(scratch_path("home/ran"), F_OK), 0);
		begun += attempt.begun == ATTEMPT_BY_SHEPHERD;
		unlink(scratch_path("home/ran"));
		close(dirfd);
	}
	print_message("%d of %d had begun\n", begun, KILLS);
	assert_true(begun > 0 && begun < KILLS);
}

static void test_a_second_shepherd_does_not_disturb_the_first(void **state)
{
	int dirfd = attempt_make_shell("echo run; " UNTIL_GO, "{}");
	pid_t first = shepherd_start(attempt_path);

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	assert_int_equal(process_wait(shepherd_start(attempt_path)), 1);
	let_go();
	assert_int_equal(process_wait(first), 0);
	assert_int_equal(process_wait(shepherd_start(attempt_path)), 1);
	assert_string_equal(file_text(output_path), "run\n");
	assert_true(look(dirfd).exited);
	close(dirfd);
}

static void test_a_directory_that_disappears_ends_the_shepherd_after_its_task(void **state)
{
	int dirfd = attempt_make_shell(UNTIL_GO "echo done", "{}");
	pid_t shepherd = shepherd_start(attempt_path);
	char command[200];

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	close(dirfd);
	snprintf(command, sizeof(command), "rm -r %s", attempt_path);
	assert_int_equal(system(command), 0);
	let_go();
	assert_int_equal(process_wait(shepherd), 3);
	assert_string_equal(file_text(output_path), "done\n");
}

static void test_an_invalid_attempt_directory_is_refused(void **state)
{
	(void)state;
	assert_int_equal(process_wait(shepherd_start("/nowhere")), 3);
	assert_int_equal(process_wait(shepherd_start("/dev/null")), 3);
	assert_int_equal(process_wait(shepherd_start("--wrong")), 2);
	assert_int_equal(mkdir(scratch_path("open"), 0700) || chmod(scratch_path("open"), 0777), 0);
	assert_int_equal(process_wait(shepherd_start(scratch_path("open"))), 3);
	assert_int_equal(rmdir(scratch_path("open")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_background_processes_of_a_command_end_with_it),
		TEST(test_a_daemon_in_a_session_of_its_own_ends_with_the_task),
		TEST_AS_USER(test_a_daemon_in_a_session_of_its_own_ends_with_the_task),
		TEST(test_a_process_that_forks_constantly_is_caught),
		TEST(test_stopped_processes_are_no_obstacle),
		TEST(test_a_task_that_stops_itself_has_not_ended),
		TEST_AS_USER(test_a_process_that_cannot_be_killed_is_reported),
		TEST(test_a_task_runs_in_its_cgroup_and_leaves_it_empty),
		TEST(test_identity_of_shepherd_and_task_can_be_checked),
		TEST(test_signals_for_the_scheduler_do_not_end_the_shepherd),
		TEST(test_the_command_continues_and_the_lock_is_free_when_the_shepherd_is_killed),
		TEST_AS_USER(test_the_command_continues_and_the_lock_is_free_when_the_shepherd_is_killed),
		TEST(test_a_shepherd_killed_at_any_moment_leaves_a_clear_state),
		TEST(test_a_second_shepherd_does_not_disturb_the_first),
		TEST(test_a_directory_that_disappears_ends_the_shepherd_after_its_task),
		TEST(test_an_invalid_attempt_directory_is_refused),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
