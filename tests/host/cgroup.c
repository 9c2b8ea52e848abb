/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best CPU control mechanism. It needs root and a cgroup of version 2 with a cpu controller
 * that may be divided. `make check-cgroup` has a machine with it.
 */
#include <sys/stat.h>

#include "tests/host/family.h"

static struct host *host;
static char where[2][512];	/* cgroups of the tasks 1 and 2 */

static struct host *host_try(void)
{
	struct host_options options = HOST_OPTIONS;
	struct host *h;

	options.force = LEVER_CGROUP;
	return host_open(&h, &options, NULL) ? NULL : h;
}

static char *file_of(const char *directory, const char *name)
{
	static char text[4096];
	char path[600];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void enter(const char *directory)
{
	char path[600], pid[16];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	fd = open(path, O_WRONLY);
	if (write(fd, pid, strlen(pid)) < 0)
		_exit(1);
	close(fd);
}

static void one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(1, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void burns_in_first(void)
{
	enter(where[0]);
	one_cpu();
	burns();
}

static void burns_in_second(void)
{
	enter(where[1]);
	one_cpu();
	burns();
}

static int tasks_begin(void **state)
{
	(void)state;
	host = host_try();
	for (uint32_t k = 0; k < 2; k++)
		assert_int_equal(host_cgroup_make(host, k + 1, 0, where[k], sizeof(where[k])), 0);
	return 0;
}

static int tasks_end(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++)
		host_task_remove(host, k + 1, 0, NULL);
	orphans_bury();
	doze(50);
	host_close(host);
	for (int k = 0; k < 2; k++)
		rmdir(where[k]);
	return 0;
}

static void task_add(uint32_t job)
{
	assert_int_equal(host_task_add(host, job, 0, &(struct host_where){ .cgroup = where[job - 1] }), 0);
}

static double ratio(double seconds)
{
	struct host_usage begin[2], now[2];

	assert_int_equal(host_round(host, 0), 0);
	for (uint32_t k = 0; k < 2; k++)
		begin[k] = usage_of(host, k + 1);
	for (int i = 0; i < 500; i++) {
		doze(100);
		assert_int_equal(host_round(host, 0), 0);
		for (uint32_t k = 0; k < 2; k++)
			now[k] = usage_of(host, k + 1);
		if (now[0].cpu_s + now[1].cpu_s - begin[0].cpu_s - begin[1].cpu_s >= seconds)
			break;
	}
	printf("%.2f s and %.2f s of CPU time\n", now[0].cpu_s - begin[0].cpu_s, now[1].cpu_s - begin[1].cpu_s);
	return (now[0].cpu_s - begin[0].cpu_s) / (now[1].cpu_s - begin[1].cpu_s);
}

/* The control comes first: equal weights, equal shares. */
static void test_weights_move_cpu_time(void **state)
{
	pid_t burner[2] = { family_start(burns_in_first), family_start(burns_in_second) };
	double r;

	(void)state;
	task_add(1);
	task_add(2);
	r = ratio(3);
	assert_true(r > 0.5 && r < 2);
	assert_int_equal(host_tickets(host, 1, 0, 1200), 0);
	assert_int_equal(host_tickets(host, 2, 0, 300), 0);
	assert_int_equal(host_round(host, 0), 0);
	assert_string_equal(file_of(where[0], "cpu.weight"), "160");
	assert_string_equal(file_of(where[1], "cpu.weight"), "40");
	r = ratio(4);
	assert_true(r > 2.5 && r < 6);
	assert_int_equal(host_tickets(host, 2, 0, 4800), 0);
	assert_int_equal(host_round(host, 0), 0);
	assert_string_equal(file_of(where[0], "cpu.weight"), "40");
	r = ratio(4);
	assert_true(r > 1 / 6.0 && r < 1 / 2.5);
	for (int k = 0; k < 2; k++)
		family_end(burner[k]);
}

static void test_a_weight_is_written_once(void **state)
{
	char path[600];
	FILE *file;

	(void)state;
	task_add(1);
	assert_int_equal(host_tickets(host, 1, 0, 5), 0);
	assert_int_equal(host_round(host, 0), 0);
	assert_string_equal(file_of(where[0], "cpu.weight"), "100");
	snprintf(path, sizeof(path), "%s/cpu.weight", where[0]);
	file = fopen(path, "w");
	fprintf(file, "77");
	fclose(file);
	assert_int_equal(host_tickets(host, 1, 0, 6), 0);
	assert_int_equal(host_round(host, 0), 0);
	assert_string_equal(file_of(where[0], "cpu.weight"), "77");
}

/* Leave session and parent, use CPU time, and end before the next round. */
static void daemon_burns(void)
{
	enter(where[0]);
	if (fork() == 0) {
		setsid();
		if (fork())
			_exit(0);
		burn_for(0.3);
		_exit(0);
	}
	sleeps();
}

static void test_usage_in_a_cgroup_is_never_lost(void **state)
{
	pid_t family = family_start(daemon_burns);
	struct host_usage usage;

	(void)state;
	task_add(1);
	for (int k = 0; k < 2400 && strtoul(file_of(where[0], "cpu.stat") + strlen("usage_usec "), NULL, 10) < 300000;
	     k++)
		doze(50);
	doze(100);
	orphans_bury();
	assert_int_equal(host_round(host, 0), 0);
	usage = usage_of(host, 1);
	assert_true(usage.cpu_s >= 0.3);
	assert_int_equal(usage.processes, 1);
	family_end(family);
	assert_int_equal(host_task_remove(host, 1, 0, &usage), 0);
	assert_true(usage.cpu_s >= 0.3);
}

static void forks_on_and_on(void)
{
	struct rlimit most = { 200, 200 };

	enter(where[0]);
	if (setresuid(54321, 54321, 54321))
		_exit(1);
	setrlimit(RLIMIT_NPROC, &most);
	signal(SIGCHLD, SIG_IGN);
	for (;;)
		if (fork() < 0)
			doze(1);
		else
			setsid();
}

static void test_one_signal_ends_all_processes(void **state)
{
	pid_t family = family_start(forks_on_and_on);

	(void)state;
	task_add(1);
	for (int k = 0; k < 6000 && usage_of(host, 1).processes < 20; k++, doze(20), orphans_bury())
		assert_int_equal(host_round(host, 0), 0);
	assert_true(usage_of(host, 1).processes >= 20);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), 0);
	waitpid(family, NULL, 0);
	for (int k = 0; k < 2400 && strcmp(file_of(where[0], "cgroup.events"), "populated 0"); k++) {
		doze(50);
		orphans_bury();
	}
	assert_string_equal(file_of(where[0], "cgroup.events"), "populated 0");
}

static void test_an_empty_cgroup_is_removed_with_its_task(void **state)
{
	pid_t burner = family_start(burns_in_second);
	char path[512];

	(void)state;
	for (int k = 0; k < 6000 && strcmp(file_of(where[1], "cgroup.events"), "populated 1"); k++)
		doze(20);
	task_add(1);
	task_add(2);
	assert_int_equal(host_task_remove(host, 1, 0, NULL), 0);
	assert_int_equal(host_task_remove(host, 2, 0, NULL), 0);
	assert_int_equal(access(where[0], F_OK), -1);
	assert_int_equal(access(where[1], F_OK), 0);
	assert_int_equal(host_cgroup_make(host, 2, 0, path, sizeof(path)), -EEXIST);
	family_end(burner);
	assert_int_equal(host_cgroup_make(host, 2, 0, path, sizeof(path)), 0);
	assert_string_equal(path, where[1]);
	assert_int_equal(host_cgroup_make(host, 2, 0, path, 10), -ENAMETOOLONG);
}

/* A task without a cgroup is controlled by the next mechanism. */
static void test_a_task_without_a_cgroup_is_niced(void **state)
{
	pid_t family[2] = { family_start(sleeps), family_start(sleeps) };
	struct host_setting setting;

	(void)state;
	for (uint32_t k = 0; k < 2; k++)
		session_add(host, 11 + k, family[k]);
	assert_int_equal(host_tickets(host, 11, 0, 100), 0);
	assert_int_equal(host_tickets(host, 12, 0, 900), 0);
	assert_int_equal(host_round(host, 10 * S), 0);
	assert_int_equal(host_task_setting(host, 11, 0, &setting), 0);
	assert_int_not_equal(setting.lever, LEVER_CGROUP);
	assert_true(setting.nice > 10);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[0]), setting.nice);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
}

static void own_cgroup(char *path, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "r");
	char line[512];

	*path = '\0';
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "0::", 3))
			snprintf(path, size, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
	fclose(file);
}

static void test_the_previous_state_is_restored_when_no_task_is_left(void **state)
{
	char before[512], during[512], after[512];
	struct stat stat_jobs;
	struct host *h;

	(void)state;
	own_cgroup(before, sizeof(before));
	h = host_try();
	own_cgroup(during, sizeof(during));
	assert_true(!strcmp(before, "/") == !strcmp(during, before));
	assert_int_equal(host_cgroup_make(h, 5, 6, where[0], sizeof(where[0])), 0);
	host_close(h);
	assert_int_equal(stat(where[0], &stat_jobs), 0);
	if (strcmp(before, "/")) {	/* simulates a restart */
		char directory[600];

		snprintf(directory, sizeof(directory), "/sys/fs/cgroup%s", before);
		enter(directory);
	}
	h = host_try();
	assert_non_null(h);
	assert_int_equal(host_task_add(h, 5, 6, &(struct host_where){ .cgroup = where[0] }), 0);
	assert_int_equal(host_task_remove(h, 5, 6, NULL), 0);
	assert_int_equal(stat(where[0], &stat_jobs), -1);
	host_close(h);
	own_cgroup(after, sizeof(after));
	assert_string_equal(before, after);
}

/* Run as a user that does not own its cgroup. */
static void test_a_missing_permission_on_the_cgroup_is_explained(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct host_options options = HOST_OPTIONS;
		struct host *h;

		if (setresuid(54321, 54321, 54321) || host_open(&h, &options, NULL) ||
		    host_lever(h, NULL) == LEVER_CGROUP)
			_exit(1);
		_exit(!strstr(host_lever_reason(h, LEVER_CGROUP), "ermission denied"));
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_previous_state_is_restored_when_no_task_is_left),
		cmocka_unit_test_setup_teardown(test_weights_move_cpu_time, tasks_begin, tasks_end),
		cmocka_unit_test_setup_teardown(test_a_weight_is_written_once, tasks_begin, tasks_end),
		cmocka_unit_test_setup_teardown(test_usage_in_a_cgroup_is_never_lost, tasks_begin, tasks_end),
		cmocka_unit_test_setup_teardown(test_one_signal_ends_all_processes, tasks_begin, tasks_end),
		cmocka_unit_test_setup_teardown(test_an_empty_cgroup_is_removed_with_its_task, tasks_begin,
						tasks_end),
		cmocka_unit_test_setup_teardown(test_a_task_without_a_cgroup_is_niced, tasks_begin, tasks_end),
		cmocka_unit_test(test_a_missing_permission_on_the_cgroup_is_explained),
	};

	host = geteuid() ? NULL : host_try();
	if (!host) {
		puts("no cgroup v2 with the cpu controller that this user may divide");
		return 77;
	}
	host_close(host);
	families_adopt();
	int failures = cmocka_run_group_tests(tests, NULL, NULL);

	/* The call frees everything that processes have kept until now. */
	host_close(host_try());
	return failures;
}
