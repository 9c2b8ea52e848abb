/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes: usage of the processes of a task. */
#include "tests/host/progress.h"

#define EACH_S 0.1	/* CPU time for each child in turn */
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
	step_done();
	sleeps();
}

/* Return after a complete round of the test, which finds all usage of this process so far. */
static void wait_for_round(void)
{
	int rounds = progress->rounds;

	while (progress->rounds < rounds + 2)
		doze(10);
}

static void ignores_children(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int k = 0; k < CHILDREN; k++) {
		pid_t child = fork();

		if (child == 0) {
			burn_for(EACH_S);
			wait_for_round();
			_exit(0);
		}
		while (kill(child, 0) == 0)
			doze(5);
	}
	step_done();
	sleeps();
}

/* Leave processes whose parents have ended. */
static void leaves_orphans(void)
{
	for (int k = 0; k < CHILDREN; k++) {
		pid_t child = fork();

		if (child == 0) {
			if (fork() == 0) {
				burn_for(EACH_S);
				wait_for_round();
				step_done();
			}
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	while (progress->done < CHILDREN)
		doze(5);
	sleeps();
}

/*
 * Return the CPU seconds found for a family after a number of steps. Rounds are 20 ms apart, and
 * usage never decreases.
 */
static double usage_in_the_end(void (*body)(void), int done)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_begin(body);
	struct host_usage before = { 0 }, usage = { 0 }, last;
	int more = 5;

	session_add(host, 1, family);
	for (int k = 0; k < TRIES && more > 0; k++, doze(20), orphans_bury()) {
		more -= progress->done == done;
		assert_int_equal(host_round(host, 0), 0);
		progress->rounds++;
		usage = usage_of(host, 1);
		assert_true(usage.cpu_s >= before.cpu_s && usage.mem_gbs >= before.mem_gbs &&
			    usage.io_gb >= before.io_gb);
		assert_true(usage.maxvmem_bytes >= before.maxvmem_bytes);
		before = usage;
	}
	assert_int_equal(more, 0);
	family_end(family);
	assert_int_equal(host_task_remove(host, 1, 0, &last), 0);
	assert_true(last.cpu_s >= usage.cpu_s);
	host_close(host);
	return usage.cpu_s;
}

static void test_usage_of_children_that_were_waited_for_counts_once(void **state)
{
	double used = usage_in_the_end(waits_for_children, 1);

	(void)state;
	assert_true(used >= CHILDREN * (EACH_S - 0.02));
	assert_true(used <= CHILDREN * (EACH_S + 0.03));
}

/*
 * The children end after a round that finds their usage, except for a tick of user time and one of
 * system time.
 */
static void test_usage_of_children_without_a_waiting_parent_is_kept(void **state)
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

static void test_written_bytes_are_io(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_start(writes_a_mebibyte);

	(void)state;
	session_add(host, 1, family);
	for (int k = 0; k < TRIES && usage_of(host, 1).io_gb < 1.0 / 1024; k++, doze(20))
		assert_int_equal(host_round(host, 0), 0);
	assert_true(usage_of(host, 1).io_gb >= 1.0 / 1024);
	assert_true(usage_of(host, 1).io_gb <= 1.2 / 1024);
	family_end(family);
	host_close(host);
}

/* Use 64 MiB of resident memory for some CPU time. */
static void fills_memory(void)
{
	size_t bytes = 64u << 20;
	volatile char *memory = malloc(bytes);

	if (!memory)
		_exit(1);
	for (size_t k = 0; k < bytes; k += 4096)
		memory[k] = 1;
	burn_for(0.5);
	step_done();
	sleeps();
}

static void test_memory_is_integrated_over_cpu_time(void **state)
{
	struct host *host = host_of(LEVER_NONE);
	pid_t family = family_begin(fills_memory);
	struct host_usage usage;
	int more = 5;

	(void)state;
	session_add(host, 1, family);
	for (int k = 0; k < TRIES && more > 0; k++, doze(20)) {
		more -= progress->done;
		assert_int_equal(host_round(host, 0), 0);
	}
	usage = usage_of(host, 1);
	assert_true(usage.maxvmem_bytes >= 64u << 20 && usage.maxvmem_bytes < 80u << 20);
	assert_true(usage.mem_gbs > 0.2 * 64 / 1024);
	assert_true(usage.mem_gbs < 0.7 * 80 / 1024);
	family_end(family);
	host_close(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage_of_children_that_were_waited_for_counts_once),
		cmocka_unit_test(test_usage_of_children_without_a_waiting_parent_is_kept),
		cmocka_unit_test(test_written_bytes_are_io),
		cmocka_unit_test(test_memory_is_integrated_over_cpu_time),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, progress_setup, NULL);
}
