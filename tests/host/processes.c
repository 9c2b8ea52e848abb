/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes: whose they are, what they have used, and signals to all of them. */
#include <sys/mman.h>

#include "tests/host/family.h"

#define TRIES 6000		/* every 20 ms: two minutes */

/* What a family has come to, and how often the test has looked at it. In memory that both share. */
static volatile struct {
	int done, looks;
} *shared;

static int shared_make(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -1 : 0;
}

/* Start a family that is to do something by itself, counted in `done`. */
static pid_t family_begin(void (*body)(void))
{
	shared->done = shared->looks = 0;
	return family_start(body);
}

static void wait_for_done(int done)
{
	for (int k = 0; k < TRIES && shared->done < done; k++)
		doze(20);
	assert_int_equal(shared->done, done);
}

static void forks_three(void)
{
	for (int k = 0; k < 3; k++)
		if (fork() == 0)
			break;
	sleeps();
}

static uint32_t wait_for_processes(struct host *h, uint32_t job, uint32_t n)
{
	for (int k = 0; k < TRIES; k++, doze(20)) {
		assert_int_equal(host_round(h, 0), 0);
		if (usage_of(h, job).processes == n)
			break;
	}
	return usage_of(h, job).processes;
}

static void test_processes_of_a_session_are_found(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three), other = family_start(sleeps);

	(void)state;
	session_add(h, 1, family);
	session_add(h, 2, other);
	assert_int_equal(wait_for_processes(h, 1, 4), 4);
	assert_int_equal(usage_of(h, 2).processes, 1);
	assert_true(usage_of(h, 1).vmem_bytes > 0);
	family_end(family);
	assert_int_equal(wait_for_processes(h, 1, 0), 0);
	assert_int_equal(usage_of(h, 1).vmem_bytes, 0);
	assert_true(usage_of(h, 1).maxvmem_bytes > 0);
	family_end(other);
	host_close(h);
}

static void test_a_session_is_found_that_was_known_before_it_was_a_tasks(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three);

	(void)state;
	for (int k = 0; k < 5; k++)
		assert_int_equal(host_round(h, 0), 0);
	session_add(h, 1, family);
	assert_int_equal(wait_for_processes(h, 1, 4), 4);
	family_end(family);
	host_close(h);
}

/* It leaves its parent's session, and its parent stays. */
static int leave[2];

static void fork_leaves_session(void)
{
	char byte;

	if (fork() == 0) {
		shared->done = 1;
		if (read(leave[0], &byte, 1) != 1)
			_exit(1);
		setsid();
		shared->done = 2;
	}
	sleeps();
}

static pid_t leaver_begin(void)
{
	pid_t family;

	assert_int_equal(pipe(leave), 0);
	family = family_begin(fork_leaves_session);
	wait_for_done(1);
	return family;
}

static void leaver_leaves(void)
{
	assert_int_equal(write(leave[1], "", 1), 1);
	wait_for_done(2);
	close(leave[0]);
	close(leave[1]);
}

static void test_a_descendant_stays_when_it_leaves_the_session(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = leaver_begin();

	(void)state;
	session_add(h, 1, family);
	assert_int_equal(wait_for_processes(h, 1, 2), 2);
	leaver_leaves();
	assert_int_equal(host_round(h, 0), 0);
	assert_int_equal(usage_of(h, 1).processes, 2);
	assert_int_equal(host_task_signal(h, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(h);
}

static void test_a_descendant_is_found_that_had_left_before_the_task_was_known(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = leaver_begin();

	(void)state;
	leaver_leaves();
	for (int k = 0; k < 5; k++)
		assert_int_equal(host_round(h, 0), 0);
	session_add(h, 1, family);
	assert_int_equal(host_round(h, 0), 0);
	assert_int_equal(usage_of(h, 1).processes, 2);
	assert_int_equal(host_task_signal(h, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(h);
}

static gid_t group;

static void takes_group(void)
{
	gid_t groups[] = { 7, group, 9 };

	if (setgroups(3, groups))
		_exit(1);
	/* away from its parent in all but the group, and then from its parent */
	if (fork() == 0) {
		setsid();
		if (fork())
			_exit(0);
	}
	sleeps();
}

static void test_processes_are_found_by_an_additional_group(void **state)
{
	struct host *h;
	pid_t family;

	(void)state;
	if (geteuid() != 0)
		skip();
	group = 100000 + (gid_t)getpid();
	h = host_of(LEVER_NONE);
	assert_int_equal(host_round(h, 0), 0);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .group = group }), 0);
	family = family_start(takes_group);
	doze(100);
	orphans_bury();
	assert_int_equal(wait_for_processes(h, 1, 2), 2);
	assert_int_equal(host_task_signal(h, 1, 0, SIGKILL), 0);
	family_end(family);
	host_close(h);
}

static void test_a_session_whose_number_was_taken_over_is_not_the_tasks(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_start(forks_three);

	(void)state;
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .session = family, .session_start = 1 }), 0);
	doze(100);
	for (int k = 0; k < 3; k++)
		assert_int_equal(host_round(h, 0), 0);
	assert_int_equal(usage_of(h, 1).processes, 0);
	assert_int_equal(host_task_signal(h, 1, 0, SIGKILL), -ESRCH);
	assert_int_equal(kill(family, 0), 0);
	family_end(family);
	host_close(h);
}

static void test_what_is_wrong_is_refused(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	struct host_usage usage;

	(void)state;
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ 0 }), -EINVAL);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .session = 1 }), -EINVAL);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .session = -5 }), -EINVAL);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .cgroup = "/nowhere/at/all" }), -ENOENT);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .session = 4711 }), 0);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .group = 5 }), -EEXIST);
	assert_int_equal(host_task_add(h, 1, 1, &(struct host_where){ .session = 4711 }), -EEXIST);
	assert_int_equal(host_tickets(h, 2, 0, 5), -ENOENT);
	assert_int_equal(host_task_usage(h, 1, 2, &usage), -ENOENT);
	assert_int_equal(host_task_signal(h, 3, 0, SIGKILL), -ENOENT);
	assert_int_equal(host_task_remove(h, 3, 0, NULL), -ENOENT);
	assert_int_equal(host_task_remove(h, 1, 0, &usage), 0);
	assert_int_equal(host_task_add(h, 1, 0, &(struct host_where){ .group = 5 }), 0);
	host_close(h);
	host_close(NULL);
}

/* Usage */

#define EACH_S 0.1	/* of CPU time for each of these children, one after the other */
#define CHILDREN 5

static void waits_for_children(void)
{
	for (int k = 0; k < CHILDREN; k++) {
		pid_t child = fork();

		if (child == 0) {
			burn_for(EACH_S);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	shared->done = 1;
	sleeps();
}

/* Nothing is used after a look that begins from here on. */
static void be_looked_at(void)
{
	int looks = shared->looks;

	while (shared->looks < looks + 2)
		doze(10);
}

static void ignores_children(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int k = 0; k < CHILDREN; k++) {
		pid_t child = fork();

		if (child == 0) {
			burn_for(EACH_S);
			be_looked_at();
			_exit(0);
		}
		while (kill(child, 0) == 0)
			doze(5);
	}
	shared->done = 1;
	sleeps();
}

/* Each one's parent has ended. */
static void leaves_orphans(void)
{
	for (int k = 0; k < CHILDREN; k++) {
		pid_t child = fork();

		if (child == 0) {
			if (fork() == 0) {
				burn_for(EACH_S);
				be_looked_at();
				__atomic_add_fetch(&shared->done, 1, __ATOMIC_SEQ_CST);
			}
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	while (shared->done < CHILDREN)
		doze(5);
	sleeps();
}

/*
 * Look every 20 ms, until all is done, and then some more; what they have used never goes down
 * meanwhile.
 */
static double usage_in_the_end(void (*body)(void), int done)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_begin(body);
	struct host_usage before = { 0 }, usage = { 0 }, last;
	int more = 5;

	session_add(h, 1, family);
	for (int k = 0; k < TRIES && more > 0; k++, doze(20), orphans_bury()) {
		more -= shared->done == done;
		assert_int_equal(host_round(h, 0), 0);
		shared->looks++;
		usage = usage_of(h, 1);
		assert_true(usage.cpu_s >= before.cpu_s && usage.mem_gbs >= before.mem_gbs && usage.io_gb >= before.io_gb);
		assert_true(usage.maxvmem_bytes >= before.maxvmem_bytes);
		before = usage;
	}
	assert_int_equal(more, 0);
	family_end(family);
	assert_int_equal(host_task_remove(h, 1, 0, &last), 0);
	assert_true(last.cpu_s >= usage.cpu_s);
	host_close(h);
	return usage.cpu_s;
}

static void test_usage_of_children_that_were_waited_for_counts_once(void **state)
{
	double used = usage_in_the_end(waits_for_children, 1);

	(void)state;
	assert_true(used >= CHILDREN * (EACH_S - 0.02));
	assert_true(used <= CHILDREN * (EACH_S + 0.03));
}

/* They end after a look at what they have used, to the tick of each of user's and system's time. */
static void test_usage_of_children_that_nobody_waits_for_is_kept(void **state)
{
	double used;

	(void)state;
	used = usage_in_the_end(ignores_children, 1);
	assert_true(used >= CHILDREN * (EACH_S - 0.02));
	assert_true(used <= CHILDREN * (EACH_S + 0.03));
	used = usage_in_the_end(leaves_orphans, CHILDREN);
	assert_true(used >= CHILDREN * (EACH_S - 0.02));
	assert_true(used <= CHILDREN * (EACH_S + 0.03));
}

static void writes_a_mebibyte(void)
{
	static char block[1 << 16];
	int fd = open("/dev/null", O_WRONLY);

	for (int k = 0; k < 16; k++)
		if (write(fd, block, sizeof(block)) < 0)
			_exit(1);
	sleeps();
}

static void test_what_is_written_is_io(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_start(writes_a_mebibyte);

	(void)state;
	session_add(h, 1, family);
	for (int k = 0; k < TRIES && usage_of(h, 1).io_gb < 1.0 / 1024; k++, doze(20))
		assert_int_equal(host_round(h, 0), 0);
	assert_true(usage_of(h, 1).io_gb >= 1.0 / 1024);
	assert_true(usage_of(h, 1).io_gb <= 1.2 / 1024);
	family_end(family);
	host_close(h);
}

/* 64 MiB resident for some CPU time. */
static void fills_memory(void)
{
	size_t bytes = 64u << 20;
	volatile char *memory = malloc(bytes);

	if (!memory)
		_exit(1);
	for (size_t k = 0; k < bytes; k += 4096)
		memory[k] = 1;
	burn_for(0.5);
	shared->done = 1;
	sleeps();
}

static void test_memory_is_integrated_over_cpu_time(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_begin(fills_memory);
	struct host_usage usage;
	int more = 5;

	(void)state;
	session_add(h, 1, family);
	for (int k = 0; k < TRIES && more > 0; k++, doze(20)) {
		more -= shared->done;
		assert_int_equal(host_round(h, 0), 0);
	}
	usage = usage_of(h, 1);
	assert_true(usage.maxvmem_bytes >= 64u << 20 && usage.maxvmem_bytes < 80u << 20);
	assert_true(usage.mem_gbs > 0.2 * 64 / 1024);
	assert_true(usage.mem_gbs < 0.7 * 80 / 1024);
	family_end(family);
	host_close(h);
}

/* Signals */

static bool wait_for_end(pid_t leader)
{
	for (int k = 0; k < TRIES; k++, doze(20), orphans_bury())
		if (kill(-leader, 0) && errno == ESRCH)
			return true;
	return false;
}

/* Two hundred at most, each making others as soon as some are gone. */
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
	struct host *h;
	pid_t family;
	int err;

	(void)state;
	if (geteuid() != 0)
		skip();		/* the number of our own user's processes is not ours to limit */
	h = host_of(LEVER_NONE);
	family = family_start(forks_on_and_on);
	session_add(h, 1, family);
	for (int k = 0; k < TRIES && usage_of(h, 1).processes <= 50; k++, doze(20))
		assert_int_equal(host_round(h, 0), 0);
	assert_true(usage_of(h, 1).processes > 50);
	for (int k = 0; (err = host_task_signal(h, 1, 0, SIGKILL)) == -EAGAIN && k < TRIES; k++)
		;
	assert_int_equal(err, 0);
	waitpid(family, NULL, 0);
	assert_true(wait_for_end(family));
	host_close(h);
}

/* One at a time, always another one. */
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
		struct host *h = host_of(LEVER_NONE);
		pid_t family = family_start(hops);
		int err;

		session_add(h, 1, family);
		doze(20);
		for (int i = 0; (err = host_task_signal(h, 1, 0, SIGKILL)) == -EAGAIN && i < TRIES; i++)
			;
		assert_int_equal(err, 0);
		waitpid(family, NULL, 0);
		assert_true(wait_for_end(family));
		host_close(h);
	}
}

/* The control for both: killing what was found once misses some. */
static void test_one_look_does_not_catch_it(void **state)
{
	int escaped = 0;

	(void)state;
	for (int k = 0; k < TRIES && !escaped; k++) {
		struct host *h = host_of(LEVER_NONE);
		pid_t family = family_start(hops);

		session_add(h, 1, family);
		doze(20);
		/* ends them, too, but is no SIGKILL: sent once to whom is found */
		host_task_signal(h, 1, 0, SIGUSR1);
		waitpid(family, NULL, 0);
		doze(50);
		escaped += kill(-family, 0) == 0;
		kill(-family, SIGKILL);
		assert_true(wait_for_end(family));
		host_close(h);
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

static void test_a_task_is_stopped_and_goes_on(void **state)
{
	struct host *h = host_of(LEVER_NONE);
	pid_t family = family_start(sleeps);

	(void)state;
	session_add(h, 1, family);
	assert_int_equal(host_task_signal(h, 1, 0, SIGSTOP), 0);
	assert_int_equal(wait_for_state(family, 'T'), 'T');
	assert_int_equal(host_task_signal(h, 1, 0, SIGCONT), 0);
	assert_int_equal(wait_for_state(family, 'S'), 'S');
	assert_int_equal(host_task_signal(h, 1, 0, SIGTERM), 0);
	waitpid(family, NULL, 0);
	assert_int_equal(host_task_signal(h, 1, 0, SIGTERM), -ESRCH);
	host_close(h);
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

/* As a shepherd's child: met in its maker's session by a round for others. */
static void test_a_leader_known_from_before_its_session_gets_the_first_signal(void **state)
{
	struct host *h = host_of(LEVER_NICE);
	int status = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0)
		waits_for_a_session();
	assert_int_equal(host_round(h, 0), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	while (getsid(pid) != pid)
		doze(1);
	session_add(h, 1, pid);
	assert_int_equal(host_task_signal(h, 1, 0, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(go[0]);
	close(go[1]);
	host_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_of_a_session_are_found),
		cmocka_unit_test(test_a_session_is_found_that_was_known_before_it_was_a_tasks),
		cmocka_unit_test(test_a_descendant_stays_when_it_leaves_the_session),
		cmocka_unit_test(test_a_descendant_is_found_that_had_left_before_the_task_was_known),
		cmocka_unit_test(test_processes_are_found_by_an_additional_group),
		cmocka_unit_test(test_a_session_whose_number_was_taken_over_is_not_the_tasks),
		cmocka_unit_test(test_what_is_wrong_is_refused),
		cmocka_unit_test(test_usage_of_children_that_were_waited_for_counts_once),
		cmocka_unit_test(test_usage_of_children_that_nobody_waits_for_is_kept),
		cmocka_unit_test(test_what_is_written_is_io),
		cmocka_unit_test(test_memory_is_integrated_over_cpu_time),
		cmocka_unit_test(test_no_process_escapes_a_kill_by_forking),
		cmocka_unit_test(test_a_process_that_forks_and_ends_is_caught),
		cmocka_unit_test(test_one_look_does_not_catch_it),
		cmocka_unit_test(test_a_task_is_stopped_and_goes_on),
		cmocka_unit_test(test_a_leader_known_from_before_its_session_gets_the_first_signal),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, shared_make, NULL);
}
