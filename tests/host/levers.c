/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU control mechanisms that this machine has: the levels that are written. `fairlead doctor nice`
 * and bench/convergence measure their effect on the shares of CPU time.
 */
#include <dirent.h>
#include <pthread.h>

#include "sched/host/weights.h"
#include "tests/host/progress.h"

static struct host_setting setting_of(struct host *host, uint32_t job)
{
	struct host_setting setting;

	assert_int_equal(host_task_setting(host, job, 0, &setting), 0);
	return setting;
}

/* Add two tasks. Job 1 has more tickets. */
static void two_steered(struct host *host, const pid_t burner[2])
{
	session_add(host, 1, burner[0]);
	session_add(host, 2, burner[1]);
	assert_int_equal(host_tickets(host, 1, 0, 900), 0);
	assert_int_equal(host_tickets(host, 2, 0, 100), 0);
	assert_int_equal(host_round(host, 10 * S), 0);
	for (int k = 0; host_waiting(host) && k < 1000; k++, doze(110))
		host_retry(host);
	assert_int_equal(setting_of(host, 1).error, 0);
	assert_int_equal(setting_of(host, 2).error, 0);
	assert_int_equal(setting_of(host, 1).nice, 0);
	assert_true(setting_of(host, 2).nice >= 16);
}

static bool autogroups_work(void)
{
	struct host_options options = HOST_OPTIONS;
	struct host *host;
	bool work;

	options.force = LEVER_AUTOGROUP;
	work = host_open(&host, &options, NULL) == 0;
	host_close(host);
	return work;
}

static int autogroup_of(pid_t pid)
{
	char path[64], text[64] = "";
	int fd, nice = 99;

	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "/autogroup-%*d nice %d", &nice);
	close(fd);
	return nice;
}

static void test_sessions_are_weighed_by_the_levels_of_their_autogroups(void **state)
{
	struct host *host;
	pid_t family[2];

	(void)state;
	if (!autogroups_work())
		skip();
	host = host_of(LEVER_AUTOGROUP);
	for (int k = 0; k < 2; k++)
		family[k] = family_start(burns);
	two_steered(host, family);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), setting_of(host, 2).nice);
	assert_int_equal(setting_of(host, 2).group_nice, 10);
	assert_int_equal(autogroup_of(family[0]), 0);
	assert_int_equal(autogroup_of(family[1]), 10);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

/* Control: levels of processes do not count between sessions. */
static void test_nice_alone_leaves_the_levels_of_autogroups(void **state)
{
	struct host *host;
	pid_t family[2];

	(void)state;
	if (!autogroups_work())
		skip();
	host = host_of(LEVER_NICE);
	for (int k = 0; k < 2; k++)
		family[k] = family_start(burns);
	two_steered(host, family);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), setting_of(host, 2).nice);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(autogroup_of(family[k]), 0);
		family_end(family[k]);
	}
	host_close(host);
}

static void makes_a_session(void)
{
	if (fork() == 0) {
		doze(300);
		setsid();
		step_done();
	}
	sleeps();
}

static void test_a_session_within_a_task_gets_its_part_of_the_weight(void **state)
{
	struct host *host;
	pid_t family[2];

	(void)state;
	if (!autogroups_work())
		skip();
	host = host_of(LEVER_AUTOGROUP);
	family[0] = family_start(sleeps);
	family[1] = family_begin(makes_a_session);
	two_steered(host, family);
	wait_for_steps(1);
	for (int k = 0; k < 20; k++) {
		assert_int_equal(host_round(host, 12 * S), 0);
		for (int i = 0; host_waiting(host) && i < 1000; i++, doze(110))
			host_retry(host);
	}
	assert_int_equal(getsid(progress->pid), progress->pid);
	assert_int_equal(autogroup_of(progress->pid), levels_split(setting_of(host, 2).group_nice, 2).level);
	assert_int_equal(host_task_signal(host, 2, 0, SIGKILL), 0);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

static void *thread_sleeps(void *unused)
{
	sleeps();
	return unused;
}

static void has_threads(void)
{
	pthread_t thread;

	for (int k = 0; k < 3; k++)
		pthread_create(&thread, NULL, thread_sleeps, NULL);
	sleeps();
}

/* Return the number of threads, and how many of them have the level. */
static int threads_of(pid_t pid, int nice, int *niced)
{
	char path[64];
	const struct dirent *entry;
	int n = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	assert_non_null(directory);
	for (*niced = 0; (entry = readdir(directory)) != NULL;) {
		id_t thread = (id_t)strtoul(entry->d_name, NULL, 10);

		n += thread > 0;
		*niced += thread > 0 && getpriority(PRIO_PROCESS, thread) == nice;
	}
	closedir(directory);
	return n;
}

static void test_each_thread_gets_the_level(void **state)
{
	struct host *host = host_of(LEVER_NICE);
	pid_t family[2] = { family_start(sleeps), family_start(has_threads) };
	int niced;

	(void)state;
	for (int k = 0; k < TRIES && threads_of(family[1], 0, &niced) < 4; k++)
		doze(20);
	two_steered(host, family);
	assert_int_equal(threads_of(family[1], setting_of(host, 2).nice, &niced), 4);
	assert_int_equal(niced, 4);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

static void test_a_level_is_written_once(void **state)
{
	struct host *host;
	pid_t family[2];

	(void)state;
	if (geteuid() != 0)
		skip();		/* without root a level cannot be improved */
	host = host_of(LEVER_NICE);
	family[0] = family_start(sleeps);
	family[1] = family_start(sleeps);
	two_steered(host, family);
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)family[1], 18), 0);
	for (uint64_t k = 0; k < 20; k++) {
		assert_int_equal(host_tickets(host, 2, 0, 100), 0);
		assert_int_equal(host_tickets(host, 1, 0, 900), 0);
		assert_int_equal(host_round(host, (20 + 2 * k) * S), 0);
	}
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), 18);
	assert_int_equal(host_tickets(host, 2, 0, 699), 0);
	assert_int_equal(host_round(host, 100 * S), 0);
	assert_int_not_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), 18);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

static void test_without_tickets_levels_stay(void **state)
{
	struct host *host = host_of(LEVER_NICE);
	pid_t family = family_start(sleeps);

	(void)state;
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)family, 7), 0);
	session_add(host, 1, family);
	for (uint64_t k = 0; k < 5; k++)
		assert_int_equal(host_round(host, 10 * k * S), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family), 7);
	family_end(family);
	host_close(host);
}

static void test_without_a_mechanism_no_process_changes(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family[2] = { family_start(sleeps), family_start(sleeps) };

	(void)state;
	session_add(host, 1, family[0]);
	session_add(host, 2, family[1]);
	assert_int_equal(host_tickets(host, 1, 0, 900), 0);
	assert_int_equal(host_round(host, 10 * S), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), getpriority(PRIO_PROCESS, 0));
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

static void test_each_mechanism_has_a_reason(void **state)
{
	struct host_options options = HOST_OPTIONS;
	const char *reason;
	struct error error = { "" };
	struct host *host = host_of(LEVER_AUTO);

	(void)state;
	assert_int_not_equal(host_lever(host, &reason), LEVER_AUTO);
	assert_true(*reason);
	for (enum lever lever = LEVER_CGROUP; lever < LEVERS; lever++) {
		assert_true(*host_lever_reason(host, lever));
		assert_int_equal(lever_parse(&lever, lever_name(lever)), 0);
	}
	host_close(host);
	options.force = LEVER_CGROUP;
	options.cgroup_root = "/tmp";
	assert_int_equal(host_open(&host, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/tmp"));
	options.cgroup_root = NULL;
	options.proc = "/nowhere";
	assert_int_equal(host_open(&host, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/nowhere"));
}

/* Run `body` in a child and return its exit status. */
static int apart(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		body();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static pid_t foreign;		/* process of another user */

#define SHALL(condition) do { if (!(condition)) { fprintf(stderr, "not so: %s\n", #condition); _exit(1); } } while (0)

static void keeps_and_tries(void)
{
	struct host *host;
	struct host_options options = HOST_OPTIONS;
	struct host_usage usage;
	struct error error;

	options.force = LEVER_NICE;
	SHALL(host_keep_capabilities(LEVER_NICE, &error) == 0);
	SHALL(setuid(54321) != 0);
	SHALL(open("/etc/shadow", O_RDWR) >= 0 || errno == EACCES || geteuid() == 0);
	SHALL(host_open(&host, &options, &error) == 0);
	SHALL(host_task_add(host, 1, 0, &(struct host_where){ .session = foreign }) == 0);
	SHALL(setpriority(PRIO_PROCESS, (id_t)foreign, -3) == 0);
	SHALL(host_round(host, 0) == 0);
	SHALL(host_task_usage(host, 1, 0, &usage) == 0 && usage.processes == 1 && usage.io_gb > 0);
	SHALL(host_task_signal(host, 1, 0, SIGKILL) == 0);
	host_close(host);
}

static void is_another_user(void)
{
	static char block[4096];
	int fd = open("/dev/null", O_WRONLY);

	if (setresgid(54321, 54321, 54321) || setresuid(54321, 54321, 54321) || write(fd, block, sizeof(block)) < 0)
		_exit(1);
	step_done();
	sleeps();
}

static void test_kept_capabilities_are_enough_and_no_more(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	foreign = family_begin(is_another_user);
	wait_for_steps(1);
	assert_int_equal(apart(keeps_and_tries), 0);
	family_end(foreign);
}

/* Run without privileges: nice values can be raised, but not lowered. */
static void niced_up_only(void)
{
	struct host *host;
	struct host_options options = HOST_OPTIONS;
	struct host_setting setting;
	pid_t family[2];

	SHALL(setresgid(54321, 54321, 54321) == 0 && setresuid(54321, 54321, 54321) == 0);
	for (int k = 0; k < 2; k++)
		family[k] = family_start(sleeps);
	options.force = LEVER_NICE;
	SHALL(host_open(&host, &options, NULL) == 0);
	for (uint32_t k = 0; k < 2; k++)
		SHALL(host_task_add(host, k + 1, 0, &(struct host_where){ .session = family[k] }) == 0);
	host_tickets(host, 1, 0, 100);
	host_tickets(host, 2, 0, 900);
	SHALL(host_round(host, 0) == 0 && host_task_setting(host, 1, 0, &setting) == 0);
	SHALL(setting.error == 0 && setting.nice > 10 && getpriority(PRIO_PROCESS, (id_t)family[0]) == setting.nice);
	host_tickets(host, 1, 0, 900);
	host_tickets(host, 2, 0, 100);
	SHALL(host_round(host, 10 * S) == 0 && host_task_setting(host, 1, 0, &setting) == 0);
	SHALL(setting.nice == 0 && setting.error == -EACCES && getpriority(PRIO_PROCESS, (id_t)family[0]) > 10);
	SHALL(strstr(host_lever_reason(host, LEVER_NICE), "only"));
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(host);
}

static void test_a_refused_level_is_reported(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(apart(niced_up_only), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessions_are_weighed_by_the_levels_of_their_autogroups),
		cmocka_unit_test(test_nice_alone_leaves_the_levels_of_autogroups),
		cmocka_unit_test(test_a_session_within_a_task_gets_its_part_of_the_weight),
		cmocka_unit_test(test_each_thread_gets_the_level),
		cmocka_unit_test(test_a_level_is_written_once),
		cmocka_unit_test(test_without_tickets_levels_stay),
		cmocka_unit_test(test_without_a_mechanism_no_process_changes),
		cmocka_unit_test(test_each_mechanism_has_a_reason),
		cmocka_unit_test(test_kept_capabilities_are_enough_and_no_more),
		cmocka_unit_test(test_a_refused_level_is_reported),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, progress_setup, NULL);
}
