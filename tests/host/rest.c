/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that do not run are not read again. They are read as soon as they have run. */
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/uio.h>

#include "sched/host/proc.h"
#include "tests/host/family.h"

#define LONG_ROUNDS 40		/* for who rests not to be read any more */
#define SOON_ROUNDS 16		/* until it is, when it has run */
#define BLOCK_BYTES (16u << 20)

static volatile int *done;	/* shared with the family */
static char *block;		/* a block per process, at the same address */

static void nothing(int sig)
{
	(void)sig;
}

static void rests_until_woken_for(void (*work)(void))
{
	signal(SIGUSR1, nothing);
	*done = 1;
	pause();
	work();
	*done = 1;
	sleeps();
}

static void blinks(void)
{
}

static void writes(void)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || write(fd, block, BLOCK_BYTES) != BLOCK_BYTES)
		_exit(1);
}

static void burns_and_writes(void)
{
	burn_for(0.3);
	writes();
}

static void rests_and_blinks(void)
{
	rests_until_woken_for(blinks);
}

static void rests_and_writes(void)
{
	rests_until_woken_for(writes);
}

static void rests_and_burns(void)
{
	rests_until_woken_for(burns_and_writes);
}

/* Wait until the process has finished its work and sleeps. */
static void wait_for_rest(const struct proc *proc, pid_t pid)
{
	struct proc_stat stat = { .state = '?' };
	uint64_t before;

	for (int k = 0; k < 12000 && (!*done || proc_stat(proc, pid, &stat) || stat.state != 'S'); k++)
		doze(10);
	assert_int_equal(stat.state, 'S');
	do {
		before = proc_ran_ns(proc, pid);
		doze(10);
	} while (proc_ran_ns(proc, pid) != before);
	*done = 0;
}

static void wake(const struct proc *proc, pid_t pid)
{
	kill(pid, SIGUSR1);
	wait_for_rest(proc, pid);
}

static int shared_make(void **state)
{
	static struct proc proc;

	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*state = &proc;
	return done != MAP_FAILED && block != MAP_FAILED ? proc_open(&proc, "/proc") : -1;
}

static int shared_free(void **state)
{
	proc_close(*state);
	munmap((void *)(uintptr_t)done, sizeof(*done));
	munmap(block, BLOCK_BYTES);
	return 0;
}

static void rounds(struct host *host, int n)
{
	for (int k = 0; k < n; k++)
		assert_int_equal(host_round(host, 0), 0);
}

static struct host *host_of_resting(const struct proc *proc, void (*body)(void), pid_t *family)
{
	struct host *host = host_of(LEVER_NONE);

	*family = family_start(body);
	wait_for_rest(proc, *family);
	session_add(host, 1, *family);
	rounds(host, LONG_ROUNDS);
	assert_int_equal(usage_of(host, 1).processes, 1);
	return host;
}

static int ending_of(pid_t child)
{
	int status = 0;

	return waitpid(child, &status, 0) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return whether a process in there finds that the directory can be read from any pid on. */
static int seeks(const char *directory)
{
	struct proc proc;

	return proc_open(&proc, directory) == 0 && proc_seeks(&proc) ? 0 : 1;
}

/* The first pid read is the caller's own, which certainly exists. It need not be the last one. */
static void test_the_newest_process_can_read_from_any_pid_on(void **state)
{
	pid_t newest = fork();

	(void)state;
	if (newest == 0)
		_exit(seeks("/proc"));
	assert_int_equal(ending_of(newest), 0);
	assert_int_equal(seeks("/proc"), 0);
}

#define NOT_PERMITTED 77

/* Run as the first and only process of a container. */
static int alone(void)
{
	if (unshare(CLONE_NEWPID | CLONE_NEWNS))
		return NOT_PERMITTED;
	if (fork() == 0) {
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL))
			_exit(NOT_PERMITTED);
		_exit(getpid() == 1 ? seeks("/proc") : 2);
	}
	return ending_of(-1);
}

static void test_the_only_process_can_read_from_any_pid_on(void **state)
{
	pid_t child = fork();
	int ending;

	(void)state;
	if (child == 0)
		_exit(alone());
	ending = ending_of(child);
	if (ending == NOT_PERMITTED)
		skip();
	assert_int_equal(ending, 0);
}

static void test_the_run_time_of_a_process_shows_whether_it_has_run(void **state)
{
	struct proc *proc = *state, other;
	pid_t family = family_start(rests_and_blinks);
	uint64_t before, now;

	wait_for_rest(proc, family);
	before = proc_ran_ns(proc, family);
	assert_true(before > 0 && proc_ran_ns(proc, family) == before);
	assert_int_equal(proc_open(&other, "/"), 0);
	assert_true(proc_ran_ns(&other, family) == 0);
	proc_close(&other);
	wake(proc, family);
	now = proc_ran_ns(proc, family);
	assert_true(now > before && now < before + 10000000);	/* less than a clock tick */
	family_end(family);
	assert_true(proc_ran_ns(proc, family) == 0);
}

static void test_a_long_idle_process_is_noticed_when_it_works(void **state)
{
	pid_t family;
	struct host *host = host_of_resting(*state, rests_and_burns, &family);

	assert_true(usage_of(host, 1).cpu_s < 0.2);
	wake(*state, family);
	rounds(host, SOON_ROUNDS);
	assert_true(usage_of(host, 1).cpu_s > 0.2);
	assert_true(usage_of(host, 1).io_gb >= (double)BLOCK_BYTES / (1 << 30));
	family_end(family);
	host_close(host);
}

/* The process uses less CPU time than /proc shows. */
static void test_a_process_that_only_writes_is_noticed(void **state)
{
	pid_t family;
	struct host *host = host_of_resting(*state, rests_and_writes, &family);

	assert_true(usage_of(host, 1).io_gb < (double)BLOCK_BYTES / (1 << 30));
	wake(*state, family);
	rounds(host, SOON_ROUNDS);
	assert_true(usage_of(host, 1).io_gb >= (double)BLOCK_BYTES / (1 << 30));
	family_end(family);
	host_close(host);
}

/* Write into the memory of a process, so that it gets more memory without running. */
static bool memory_fill(pid_t pid)
{
	struct iovec from = { block, BLOCK_BYTES }, to = { block, BLOCK_BYTES };

	return process_vm_writev(pid, &from, 1, &to, 1, 0) == BLOCK_BYTES;
}

static void test_an_idle_process_is_read_rarely(void **state)
{
	pid_t family;
	struct host *host = host_of_resting(*state, rests_and_blinks, &family);
	bool filled = memory_fill(family);

	if (filled) {
		rounds(host, LONG_ROUNDS);
		assert_true(usage_of(host, 1).vmem_bytes < BLOCK_BYTES);
		rounds(host, 200);
		assert_true(usage_of(host, 1).vmem_bytes >= BLOCK_BYTES);
	}
	family_end(family);
	host_close(host);
	if (!filled)
		skip();		/* permission denied */
}

/* Usage counts at once and not a round later. */
static void test_an_idle_process_is_read_when_its_task_is_removed(void **state)
{
	pid_t family;
	struct host *host = host_of_resting(*state, rests_and_burns, &family);
	struct host_usage usage;

	wake(*state, family);
	assert_int_equal(host_task_remove(host, 1, 0, &usage), 0);
	assert_true(usage.cpu_s > 0.2);
	assert_true(usage.io_gb >= (double)BLOCK_BYTES / (1 << 30));
	family_end(family);
	host_close(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_newest_process_can_read_from_any_pid_on),
		cmocka_unit_test(test_the_only_process_can_read_from_any_pid_on),
		cmocka_unit_test(test_the_run_time_of_a_process_shows_whether_it_has_run),
		cmocka_unit_test(test_a_long_idle_process_is_noticed_when_it_works),
		cmocka_unit_test(test_a_process_that_only_writes_is_noticed),
		cmocka_unit_test(test_an_idle_process_is_read_rarely),
		cmocka_unit_test(test_an_idle_process_is_read_when_its_task_is_removed),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, shared_make, shared_free);
}
