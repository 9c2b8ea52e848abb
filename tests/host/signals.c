/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes: signals to all processes of a task. */
#include "tests/host/progress.h"

static bool wait_for_end(pid_t leader)
{
	for (int k = 0; k < TRIES; k++, doze(20), orphans_bury())
		if (kill(-leader, 0) && errno == ESRCH)
			return true;
	return false;
}

/* Keep up to two hundred processes alive, each of which makes others as soon as some have ended. */
static void forks_on_and_on(void)
{
	struct rlimit most = { 200, 200 };

	if (geteuid() == 0 && setresuid(54321, 54321, 54321))
		_exit(1);
	if (geteuid() == 54321)
		setrlimit(RLIMIT_NPROC, &most);
	signal(SIGCHLD, SIG_IGN);
	for (;;)
		if (fork() < 0)
			doze(1);
}

static void test_no_process_escapes_a_kill_by_forking(void **state)
{
	struct host *host;
	pid_t family;
	int err;

	(void)state;
	if (geteuid() != 0)
		skip();		/* the number of our own user's processes is not ours to limit */
	host = host_of(LEVER_NONE);
	family = family_start(forks_on_and_on);
	session_add(host, 1, family);
	for (int k = 0; k < TRIES && usage_of(host, 1).processes <= 50; k++, doze(20))
		assert_int_equal(host_round(host, 0), 0);
	assert_true(usage_of(host, 1).processes > 50);
	for (int k = 0; (err = host_task_signal(host, 1, 0, SIGKILL)) == -EAGAIN && k < TRIES; k++)
		;
	assert_int_equal(err, 0);
	waitpid(family, NULL, 0);
	assert_true(wait_for_end(family));
	host_close(host);
}

/* Fork repeatedly, with a single process alive at a time. */
static void hops(void)
{
	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0)
		for (;;)
			if (fork() > 0)
				_exit(0);
	sleeps();
}

static void test_a_process_that_forks_and_ends_is_caught(void **state)
{
	(void)state;
	for (int k = 0; k < 5; k++) {
		struct host *host = host_of(LEVER_NONE);
		pid_t family = family_start(hops);
		int err;

		session_add(host, 1, family);
		doze(20);
		for (int i = 0; (err = host_task_signal(host, 1, 0, SIGKILL)) == -EAGAIN && i < TRIES; i++)
			;
		assert_int_equal(err, 0);
		waitpid(family, NULL, 0);
		assert_true(wait_for_end(family));
		host_close(host);
	}
}

/* Control for both: killing once the processes that were found misses some. */
static void test_one_pass_does_not_catch_a_hopping_process(void **state)
{
	int escaped = 0;

	(void)state;
	for (int k = 0; k < TRIES && !escaped; k++) {
		struct host *host = host_of(LEVER_NONE);
		pid_t family = family_start(hops);

		session_add(host, 1, family);
		doze(20);
		/*
		 * SIGUSR1 also ends them, but it is sent only once to the processes that are found.
		 */
		host_task_signal(host, 1, 0, SIGUSR1);
		waitpid(family, NULL, 0);
		doze(50);
		escaped += kill(-family, 0) == 0;
		kill(-family, SIGKILL);
		assert_true(wait_for_end(family));
		host_close(host);
	}
	assert_int_equal(escaped, 1);
}

static char state_of(pid_t pid)
{
	char path[64], text[512] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	return text[0] ? strrchr(text, ')')[2] : '\0';
}

static char wait_for_state(pid_t pid, char state)
{
	for (int k = 0; k < TRIES && state_of(pid) != state; k++)
		doze(20);
	return state_of(pid);
}

static void test_a_task_is_stopped_and_resumes(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_start(sleeps);

	(void)state;
	session_add(host, 1, family);
	assert_int_equal(host_task_signal(host, 1, 0, SIGSTOP), 0);
	assert_int_equal(wait_for_state(family, 'T'), 'T');
	assert_int_equal(host_task_signal(host, 1, 0, SIGCONT), 0);
	assert_int_equal(wait_for_state(family, 'S'), 'S');
	assert_int_equal(host_task_signal(host, 1, 0, SIGTERM), 0);
	waitpid(family, NULL, 0);
	assert_int_equal(host_task_signal(host, 1, 0, SIGTERM), -ESRCH);
	host_close(host);
}

static int go[2];

static void waits_for_a_session(void)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)!read(go[0], &byte, 1);
	setsid();
	sleeps();
}

/* Like a shepherd's child: a round for other tasks finds it in its parent's session. */
static void test_a_leader_known_from_before_its_session_gets_the_first_signal(void **state)
{
	struct host *host = host_of(LEVER_NICE);
	int status = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0)
		waits_for_a_session();
	assert_int_equal(host_round(host, 0), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	while (getsid(pid) != pid)
		doze(1);
	session_add(host, 1, pid);
	assert_int_equal(host_task_signal(host, 1, 0, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(go[0]);
	close(go[1]);
	host_close(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_process_escapes_a_kill_by_forking),
		cmocka_unit_test(test_a_process_that_forks_and_ends_is_caught),
		cmocka_unit_test(test_one_pass_does_not_catch_a_hopping_process),
		cmocka_unit_test(test_a_task_is_stopped_and_resumes),
		cmocka_unit_test(test_a_leader_known_from_before_its_session_gets_the_first_signal),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, progress_setup, NULL);
}
