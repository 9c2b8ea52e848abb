/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The levers of this machine, as far as it has them. Burners share one CPU, so that what they get
 * is what they are given.
 */
#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>

#include "sched/host/weights.h"
#include "tests/host/family.h"

static void burns_on_one_cpu(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set) && found++)
			CPU_CLR(cpu, &set);
	}
	sched_setaffinity(0, sizeof(set), &set);
	burns();
}

static double cpu_s(pid_t pid)
{
	clockid_t clock;
	struct timespec t;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * How many times as much CPU time the first one gets, measured until both together have got so
 * much.
 */
static double ratio_of(const pid_t burner[2], double seconds)
{
	double begin[2] = { cpu_s(burner[0]), cpu_s(burner[1]) }, used[2];

	for (int k = 0; k < 2000; k++) {
		doze(20);
		for (int i = 0; i < 2; i++)
			used[i] = cpu_s(burner[i]) - begin[i];
		if (used[0] + used[1] >= seconds)
			break;
	}
	return used[0] / (used[1] > 0.001 ? used[1] : 0.001);
}

static struct host_setting setting_of(struct host *h, uint32_t job)
{
	struct host_setting setting;

	assert_int_equal(host_task_setting(h, job, 0, &setting), 0);
	return setting;
}

/* Job 1 has the more tickets. */
static void two_steered(struct host *h, const pid_t burner[2])
{
	session_add(h, 1, burner[0]);
	session_add(h, 2, burner[1]);
	assert_int_equal(host_tickets(h, 1, 0, 900), 0);
	assert_int_equal(host_tickets(h, 2, 0, 100), 0);
	assert_int_equal(host_round(h, 10 * S), 0);
	for (int k = 0; host_waiting(h) && k < 50; k++, doze(110))
		host_retry(h);
	assert_int_equal(setting_of(h, 1).error, 0);
	assert_int_equal(setting_of(h, 2).error, 0);
	assert_int_equal(setting_of(h, 1).nice, 0);
	assert_true(setting_of(h, 2).nice >= 16);
}

static bool autogroups_work(void)
{
	struct host_options options = HOST_OPTIONS;
	struct host *h;
	bool work;

	options.force = LEVER_AUTOGROUP;
	work = host_open(&h, &options, NULL) == 0;
	host_close(h);
	return work;
}

static void test_the_level_of_an_autogroup_moves_cpu_time(void **state)
{
	struct host *h;
	pid_t burner[2];

	(void)state;
	if (!autogroups_work())
		skip();
	h = host_of(LEVER_AUTOGROUP);
	for (int k = 0; k < 2; k++)
		burner[k] = family_start(burns_on_one_cpu);
	two_steered(h, burner);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)burner[1]), setting_of(h, 2).nice);
	doze(200);
	assert_int_equal(setting_of(h, 2).group_nice, 10);
	/* 9 is what the tickets and the levels mean */
	assert_true(ratio_of(burner, 0.5) > 4);
	for (int k = 0; k < 2; k++)
		family_end(burner[k]);
	host_close(h);
}

/* The control, and the reason for all that. */
static void test_nice_alone_does_nothing_between_sessions_with_autogroups(void **state)
{
	struct host *h;
	pid_t burner[2];
	double ratio;

	(void)state;
	if (!autogroups_work())
		skip();
	h = host_of(LEVER_NICE);
	for (int k = 0; k < 2; k++)
		burner[k] = family_start(burns_on_one_cpu);
	two_steered(h, burner);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)burner[1]), setting_of(h, 2).nice);
	doze(200);
	ratio = ratio_of(burner, 0.5);
	assert_true(ratio > 0.25 && ratio < 4);		/* 68 is what the levels would mean */
	for (int k = 0; k < 2; k++)
		family_end(burner[k]);
	host_close(h);
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

static pid_t *left;		/* who has left the session; shared */

static void makes_a_session(void)
{
	if (fork() == 0) {
		doze(300);
		setsid();
		*left = getpid();
	}
	sleeps();
}

static void test_a_session_within_a_task_gets_its_part_of_the_weight(void **state)
{
	struct host *h;
	pid_t family[2];

	(void)state;
	if (!autogroups_work())
		skip();
	left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(left != MAP_FAILED);
	h = host_of(LEVER_AUTOGROUP);
	family[0] = family_start(sleeps);
	family[1] = family_start(makes_a_session);
	two_steered(h, family);
	for (int k = 0; k < 500 && !*left; k++)
		doze(20);
	for (int k = 0; k < 20; k++) {
		assert_int_equal(host_round(h, 12 * S), 0);
		for (int i = 0; host_waiting(h) && i < 50; i++, doze(110))
			host_retry(h);
	}
	assert_int_equal(getsid(*left), *left);
	assert_int_equal(autogroup_of(*left), levels_split(setting_of(h, 2).group_nice, 2).level);
	assert_int_equal(host_task_signal(h, 2, 0, SIGKILL), 0);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	munmap(left, sizeof(*left));
	host_close(h);
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

/* How many threads there are, and how many of them have the level. */
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
	struct host *h = host_of(LEVER_NICE);
	pid_t family[2] = { family_start(sleeps), family_start(has_threads) };
	int niced;

	(void)state;
	for (int k = 0; k < 500 && threads_of(family[1], 0, &niced) < 4; k++)
		doze(20);
	two_steered(h, family);
	assert_int_equal(threads_of(family[1], setting_of(h, 2).nice, &niced), 4);
	assert_int_equal(niced, 4);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(h);
}

static void test_a_level_is_written_once(void **state)
{
	struct host *h;
	pid_t family[2];

	(void)state;
	if (geteuid() != 0)
		skip();		/* others can't make a level better, as this does */
	h = host_of(LEVER_NICE);
	family[0] = family_start(sleeps);
	family[1] = family_start(sleeps);
	two_steered(h, family);
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)family[1], 18), 0);
	for (uint64_t k = 0; k < 20; k++) {
		assert_int_equal(host_tickets(h, 2, 0, 100), 0);
		assert_int_equal(host_tickets(h, 1, 0, 900), 0);
		assert_int_equal(host_round(h, (20 + 2 * k) * S), 0);
	}
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), 18);
	assert_int_equal(host_tickets(h, 2, 0, 699), 0);
	assert_int_equal(host_round(h, 100 * S), 0);
	assert_int_not_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), 18);
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(h);
}

static void test_without_tickets_levels_stay(void **state)
{
	struct host *h = host_of(LEVER_NICE);
	pid_t family = family_start(sleeps);

	(void)state;
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)family, 7), 0);
	session_add(h, 1, family);
	for (uint64_t k = 0; k < 5; k++)
		assert_int_equal(host_round(h, 10 * k * S), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family), 7);
	family_end(family);
	host_close(h);
}

static void test_no_lever_moves_nothing(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family[2] = { family_start(sleeps), family_start(sleeps) };

	(void)state;
	session_add(h, 1, family[0]);
	session_add(h, 2, family[1]);
	assert_int_equal(host_tickets(h, 1, 0, 900), 0);
	assert_int_equal(host_round(h, 10 * S), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)family[1]), getpriority(PRIO_PROCESS, 0));
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(h);
}

static void test_each_lever_has_a_reason(void **state)
{
	struct host_options options = HOST_OPTIONS;
	const char *reason;
	struct error error = { "" };
	struct host *h = host_of(LEVER_AUTO);

	(void)state;
	assert_int_not_equal(host_lever(h, &reason), LEVER_AUTO);
	assert_true(*reason);
	for (enum lever lever = LEVER_CGROUP; lever < LEVERS; lever++) {
		assert_true(*host_lever_reason(h, lever));
		assert_int_equal(lever_parse(&lever, lever_name(lever)), 0);
	}
	host_close(h);
	options.force = LEVER_CGROUP;
	options.cgroup_root = "/tmp";
	assert_int_equal(host_open(&h, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/tmp"));
	options.cgroup_root = NULL;
	options.proc = "/nowhere";
	assert_int_equal(host_open(&h, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/nowhere"));
}

/* Runs `body` in a child, whose exit status it gives. */
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

static pid_t foreign;		/* of another user */

#define SHALL(condition) do { if (!(condition)) { fprintf(stderr, "not so: %s\n", #condition); _exit(1); } } while (0)

static void keeps_and_tries(void)
{
	struct host *h;
	struct host_options options = HOST_OPTIONS;
	struct host_usage usage;
	struct error error;

	options.force = LEVER_NICE;
	SHALL(host_keep_capabilities(LEVER_NICE, &error) == 0);
	SHALL(setuid(54321) != 0);
	SHALL(open("/etc/shadow", O_RDWR) >= 0 || errno == EACCES || geteuid() == 0);
	SHALL(host_open(&h, &options, &error) == 0);
	SHALL(host_task_add(h, 1, 0, &(struct host_where){ .session = foreign }) == 0);
	SHALL(setpriority(PRIO_PROCESS, (id_t)foreign, -3) == 0);
	SHALL(host_round(h, 0) == 0);
	SHALL(host_task_usage(h, 1, 0, &usage) == 0 && usage.processes == 1 && usage.io_gb > 0);
	SHALL(host_task_signal(h, 1, 0, SIGKILL) == 0);
	host_close(h);
}

static void is_another_user(void)
{
	static char block[4096];
	int fd = open("/dev/null", O_WRONLY);

	if (setresgid(54321, 54321, 54321) || setresuid(54321, 54321, 54321) || write(fd, block, sizeof(block)) < 0)
		_exit(1);
	sleeps();
}

static void test_kept_capabilities_are_enough_and_no_more(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	foreign = family_start(is_another_user);
	doze(100);
	assert_int_equal(apart(keeps_and_tries), 0);
	family_end(foreign);
}

/* As a user without any. */
static void niced_up_only(void)
{
	struct host *h;
	struct host_options options = HOST_OPTIONS;
	struct host_setting setting;
	pid_t family[2];

	SHALL(setresgid(54321, 54321, 54321) == 0 && setresuid(54321, 54321, 54321) == 0);
	for (int k = 0; k < 2; k++)
		family[k] = family_start(sleeps);
	options.force = LEVER_NICE;
	SHALL(host_open(&h, &options, NULL) == 0);
	for (uint32_t k = 0; k < 2; k++)
		SHALL(host_task_add(h, k + 1, 0, &(struct host_where){ .session = family[k] }) == 0);
	host_tickets(h, 1, 0, 100);
	host_tickets(h, 2, 0, 900);
	SHALL(host_round(h, 0) == 0 && host_task_setting(h, 1, 0, &setting) == 0);
	SHALL(setting.error == 0 && setting.nice > 10 && getpriority(PRIO_PROCESS, (id_t)family[0]) == setting.nice);
	host_tickets(h, 1, 0, 900);
	host_tickets(h, 2, 0, 100);
	SHALL(host_round(h, 10 * S) == 0 && host_task_setting(h, 1, 0, &setting) == 0);
	SHALL(setting.nice == 0 && setting.error == -EACCES && getpriority(PRIO_PROCESS, (id_t)family[0]) > 10);
	SHALL(strstr(host_lever_reason(h, LEVER_NICE), "only"));
	for (int k = 0; k < 2; k++)
		family_end(family[k]);
	host_close(h);
}

static void test_a_level_that_is_refused_is_told(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(apart(niced_up_only), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_level_of_an_autogroup_moves_cpu_time),
		cmocka_unit_test(test_nice_alone_does_nothing_between_sessions_with_autogroups),
		cmocka_unit_test(test_a_session_within_a_task_gets_its_part_of_the_weight),
		cmocka_unit_test(test_each_thread_gets_the_level),
		cmocka_unit_test(test_a_level_is_written_once),
		cmocka_unit_test(test_without_tickets_levels_stay),
		cmocka_unit_test(test_no_lever_moves_nothing),
		cmocka_unit_test(test_each_lever_has_a_reason),
		cmocka_unit_test(test_kept_capabilities_are_enough_and_no_more),
		cmocka_unit_test(test_a_level_that_is_refused_is_told),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
