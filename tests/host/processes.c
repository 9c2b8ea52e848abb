/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes, and the tasks that they belong to. */
#include "tests/host/progress.h"

static void forks_three(void)
{
	for (int k = 0; k < 3; k++)
		if (fork() == 0)
			break;
	sleeps();
}

static uint32_t wait_for_processes(struct host *host, uint32_t job, uint32_t n)
{
	for (int k = 0; k < TRIES; k++, doze(20)) {
		assert_int_equal(host_round(host, 0), 0);
		if (usage_of(host, job).processes == n)
			break;
	}
	return usage_of(host, job).processes;
}

static void test_processes_of_a_session_are_found(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three), other = family_start(sleeps);

	(void)state;
	session_add(host, 1, family);
	session_add(host, 2, other);
	assert_int_equal(wait_for_processes(host, 1, 4), 4);
	assert_int_equal(usage_of(host, 2).processes, 1);
	assert_true(usage_of(host, 1).vmem_bytes > 0);
	family_end(family);
	assert_int_equal(wait_for_processes(host, 1, 0), 0);
	assert_int_equal(usage_of(host, 1).vmem_bytes, 0);
	assert_true(usage_of(host, 1).maxvmem_bytes > 0);
	family_end(other);
	host_close(host);
}

static void test_a_session_known_before_its_task_is_found(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three);

	(void)state;
	for (int k = 0; k < 5; k++)
		assert_int_equal(host_round(host, 0), 0);
	session_add(host, 1, family);
	assert_int_equal(wait_for_processes(host, 1, 4), 4);
	family_end(family);
	host_close(host);
}

static int leave[2];		/* pipe: a byte lets the child continue */

/* A child leaves the session of its parent, and the parent stays. */
static void fork_leaves_session(void)
{
	char byte;

	if (fork() == 0) {
		step_done();
		if (read(leave[0], &byte, 1) != 1)
			_exit(1);
		setsid();
		step_done();
	}
	sleeps();
}

static pid_t leaver_begin(void)
{
	pid_t family;

	assert_int_equal(pipe(leave), 0);
	family = family_begin(fork_leaves_session);
	wait_for_steps(1);
	return family;
}

static void leaver_leaves(void)
{
	assert_int_equal(write(leave[1], "", 1), 1);
	wait_for_steps(2);
	close(leave[0]);
	close(leave[1]);
}

static void test_a_descendant_stays_in_the_task_when_it_leaves_the_session(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = leaver_begin();

	(void)state;
	session_add(host, 1, family);
	assert_int_equal(wait_for_processes(host, 1, 2), 2);
	leaver_leaves();
	assert_int_equal(host_round(host, 0), 0);
	assert_int_equal(usage_of(host, 1).processes, 2);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(host);
}

static void test_a_descendant_that_left_before_the_task_was_known_is_found(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = leaver_begin();

	(void)state;
	leaver_leaves();
	for (int k = 0; k < 5; k++)
		assert_int_equal(host_round(host, 0), 0);
	session_add(host, 1, family);
	assert_int_equal(host_round(host, 0), 0);
	assert_int_equal(usage_of(host, 1).processes, 2);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(host);
}

static gid_t group;

static void takes_group(void)
{
	gid_t groups[] = { 7, group, 9 };

	if (setgroups(3, groups))
		_exit(1);
	/* First leave the parent in everything except the group, then leave the parent. */
	if (fork() == 0) {
		setsid();
		if (fork())
			_exit(0);
	}
	sleeps();
}

static void test_processes_are_found_by_an_additional_group(void **state)
{
	struct host *host;
	pid_t family;

	(void)state;
	if (geteuid() != 0)
		skip();
	group = 100000 + (gid_t)getpid();
	host = host_of(LEVER_NONE);
	assert_int_equal(host_round(host, 0), 0);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .group = group }), 0);
	family = family_start(takes_group);
	doze(100);
	orphans_bury();
	assert_int_equal(wait_for_processes(host, 1, 2), 2);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(host);
}

static void test_a_session_with_a_reused_number_is_not_the_tasks(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three);

	(void)state;
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .session = family, .session_start = 1 }), 0);
	doze(100);
	for (int k = 0; k < 3; k++)
		assert_int_equal(host_round(host, 0), 0);
	assert_int_equal(usage_of(host, 1).processes, 0);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), -ESRCH);
	assert_int_equal(kill(family, 0), 0);
	family_end(family);
	host_close(host);
}

static void test_an_invalid_task_is_refused(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	struct host_usage usage;

	(void)state;
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ 0 }), -EINVAL);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .session = 1 }), -EINVAL);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .session = -5 }), -EINVAL);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .cgroup = "/nowhere/at/all" }), -ENOENT);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .session = 4711 }), 0);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .group = 5 }), -EEXIST);
	assert_int_equal(host_task_add(host, 1, 1, &(struct host_where){ .session = 4711 }), -EEXIST);
	assert_int_equal(host_tickets(host, 2, 0, 5), -ENOENT);
	assert_int_equal(host_task_usage(host, 1, 2, &usage), -ENOENT);
	assert_int_equal(host_task_signal(host, 3, 0, SIGKILL), -ENOENT);
	assert_int_equal(host_task_remove(host, 3, 0, NULL), -ENOENT);
	assert_int_equal(host_task_remove(host, 1, 0, &usage), 0);
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .group = 5 }), 0);
	host_close(host);
	host_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_of_a_session_are_found),
		cmocka_unit_test(test_a_session_known_before_its_task_is_found),
		cmocka_unit_test(test_a_descendant_stays_in_the_task_when_it_leaves_the_session),
		cmocka_unit_test(test_a_descendant_that_left_before_the_task_was_known_is_found),
		cmocka_unit_test(test_processes_are_found_by_an_additional_group),
		cmocka_unit_test(test_a_session_with_a_reused_number_is_not_the_tasks),
		cmocka_unit_test(test_an_invalid_task_is_refused),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, progress_setup, NULL);
}
